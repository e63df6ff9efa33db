#include "asm/expander.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace moescope::assembler {
namespace {

TEST(ColumnMapTest, PartsOfALineWithReplacedParameters) {
  // raw  "ab \x, \long;"   new  "ab 12345, 6;"
  ColumnMap map(12);
  map.Add({3, 5}, {3, 2});
  map.Add({10, 1}, {7, 5});
  EXPECT_EQ(map.ToRaw({0, 2}), (Span{0, 2}));
  EXPECT_EQ(map.ToRaw({3, 5}), (Span{3, 2}));
  EXPECT_EQ(map.ToRaw({4, 2}), (Span{3, 2}));  // inside of the replaced text
  EXPECT_EQ(map.ToRaw({0, 8}), (Span{0, 5}));  // up to its end
  EXPECT_EQ(map.ToRaw({8, 1}), (Span{5, 1}));  // the comma behind it
  EXPECT_EQ(map.ToRaw({10, 1}), (Span{7, 5}));
  EXPECT_EQ(map.ToRaw({3, 8}), (Span{3, 9}));    // both
  EXPECT_EQ(map.ToRaw({11, 1}), (Span{12, 1}));  // the semicolon
}

TEST(ColumnMapTest, WholeLines) {
  const ColumnMap map(7, /*whole_line=*/true);
  EXPECT_EQ(map.ToRaw({3, 1}), (Span{0, 7}));
}

TEST(ReplaceParametersTest, LongestNameAndUnknownNames) {
  const MacroParameters parameters = {{"a", 0}, {"ab", 1}};
  const std::vector<std::string> arguments = {"1", "22"};
  const auto replaced = [&](std::string_view text) {
    ColumnMap map(text.size());
    return ReplaceParameters(text, parameters, arguments, map);
  };
  EXPECT_EQ(replaced("gp\\a, gp\\ab, \\abc \\"), "gp1, gp22, \\abc \\");
  EXPECT_EQ(replaced("\\a\\a\\ab"), "1122");
  EXPECT_EQ(replaced("\\\\a"), "\\1");
  EXPECT_EQ(replaced(""), "");
}

TEST(DirectiveOfTest, FirstWordOnly) {
  EXPECT_EQ(DirectiveOf("\t .MACRO x"), ".macro");
  EXPECT_EQ(DirectiveOf(".endm;x"), ".endm");
  EXPECT_EQ(DirectiveOf("; .endm"), "");
  EXPECT_EQ(DirectiveOf("x .endm"), "");
  EXPECT_EQ(DirectiveOf(""), "");
}

TEST(SourcesTest, LinesByNumber) {
  Sources sources;
  const std::uint32_t file = sources.Add("a.asm", "\xEF\xBB\xBFone\r\ntwo\n\nlast");
  EXPECT_EQ(sources.LineText(file, 1), "one");
  EXPECT_EQ(sources.LineText(file, 2), "two");
  EXPECT_EQ(sources.LineText(file, 3), "");
  EXPECT_EQ(sources.LineText(file, 4), "last");
  EXPECT_EQ(sources.LineText(file, 5), "");
  EXPECT_EQ(sources.LineText(file, 0), "");
  EXPECT_EQ(sources.LineAt({"a.asm", 2, 1, 1}), "two");
  EXPECT_EQ(sources.LineAt({"b.asm", 2, 1, 1}), "");
}

TEST(SourcesTest, LongLinesAreCutBetweenCodePoints) {
  Sources sources;
  std::string line(999, 'x');
  for (int i = 0; i < 10; ++i) line += "\xE2\x86\x92";
  const std::uint32_t file = sources.Add("a.asm", line);
  EXPECT_EQ(sources.LineText(file, 1), std::string(999, 'x'));
  EXPECT_EQ(CountCodePoints(line), 1009u);
}

TEST(SourcesTest, OriginsAreSharedAndNamed) {
  Sources sources;
  const std::uint32_t file = sources.Add("a.asm", "x\ny\n");
  const Origin include{Origin::Kind::kInclude, 0, 0, {file, 1, 2}};
  const std::uint32_t first = sources.Intern(include);
  EXPECT_EQ(sources.Intern(include), first);
  const std::uint32_t name = sources.InternMacroName("LOAD");
  EXPECT_EQ(sources.InternMacroName("LOAD"), name);
  EXPECT_NE(sources.InternMacroName("STORE"), name);
  const std::uint32_t second = sources.Intern({Origin::Kind::kMacro, first, name, {file, 2, 1}});
  EXPECT_NE(second, first);
  const std::vector<DiagnosticNote> notes = sources.NotesOf(second);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].message, "in the expansion of macro 'LOAD'");
  EXPECT_EQ(ToString(notes[0].location), "a.asm:2:1");
  EXPECT_EQ(notes[1].message, "included from here");
  EXPECT_TRUE(sources.NotesOf(0).empty());
}

// Random programs of words, repetitions and macros, with the words they must give.
class Program {
 public:
  explicit Program(std::uint32_t seed) : random_(seed) {
    for (int i = 0; i < 4; ++i) {
      std::vector<std::uint32_t> none;
      const std::string body = Block(2, /*in_macro=*/true, [](std::uint32_t) {});
      absl::StrAppend(&text, ".macro M", i, " x\n", body, ".endm\n");
      bodies_.push_back(body);
    }
    text += Block(3, /*in_macro=*/false, [this](std::uint32_t word) { words.push_back(word); });
  }

  std::string text;
  std::vector<std::uint32_t> words;

 private:
  using Sink = std::function<void(std::uint32_t)>;
  std::size_t Below(std::size_t limit) { return random_() % limit; }

  // Lines, whose words go to `emit`. The words of a macro are those of its text with the argument.
  std::string Block(int depth, bool in_macro, const Sink& emit) {
    std::string lines;
    for (std::size_t left = Below(4) + 1; left > 0; --left) {
      const std::size_t choice = Below(depth > 0 ? 6 : 2);
      if (choice < 2) {
        const auto word = static_cast<std::uint32_t>(Below(1000));
        const bool uses_parameter = in_macro && choice == 1;
        absl::StrAppend(&lines, uses_parameter ? "  .word \\x + " : ".word ", word, "\n");
        if (!in_macro) emit(word);
      } else if (choice < 4) {
        std::vector<std::uint32_t> inner;
        const std::size_t count = Below(4);
        const std::string body =
            Block(depth - 1, in_macro, [&inner](std::uint32_t word) { inner.push_back(word); });
        absl::StrAppend(&lines, ".rept ", count, "\n", body, ".endr\n");
        for (std::size_t i = 0; i < count; ++i) {
          for (const std::uint32_t word : inner) emit(word);
        }
      } else if (!bodies_.empty() && !in_macro) {
        const std::size_t macro = Below(bodies_.size());
        const auto argument = static_cast<std::uint32_t>(Below(50));
        absl::StrAppend(&lines, "M", macro, " ", argument, " ; use\n");
        Expand(bodies_[macro], argument, emit);
      }
    }
    return lines;
  }

  // What a macro body gives: read line by line, apart from the code under test.
  static void Expand(const std::string& body, std::uint32_t argument, const Sink& emit) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < body.size();) {
      const std::size_t end = body.find('\n', begin);
      lines.push_back(body.substr(begin, end - begin));
      begin = end + 1;
    }
    std::size_t at = 0;
    ExpandLines(lines, at, argument, emit);
  }

  static void ExpandLines(const std::vector<std::string>& lines, std::size_t& at,
                          std::uint32_t argument, const Sink& emit) {
    for (; at < lines.size(); ++at) {
      const std::string& line = lines[at];
      if (line.starts_with(".endr")) return;
      if (line.starts_with(".rept ")) {
        const int count = std::stoi(line.substr(6));
        std::vector<std::uint32_t> inner;
        ++at;
        ExpandLines(lines, at, argument, [&inner](std::uint32_t word) { inner.push_back(word); });
        for (int i = 0; i < count; ++i) {
          for (const std::uint32_t word : inner) emit(word);
        }
      } else if (const std::size_t plus = line.find("+ "); plus != std::string::npos) {
        emit(argument + static_cast<std::uint32_t>(std::stoul(line.substr(plus + 2))));
      } else {
        emit(static_cast<std::uint32_t>(std::stoul(line.substr(6))));
      }
    }
  }

  std::mt19937 random_;
  std::vector<std::string> bodies_;
};

TEST(ExpansionTest, RandomProgramsGiveTheWordsOfTheModel) {
  std::size_t words = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const Program program(seed);
    const absl::StatusOr<Assembly> assembly = Assemble(program.text, "a.asm");
    if (program.words.empty()) continue;
    ASSERT_TRUE(assembly.ok()) << assembly.status() << program.text;
    ASSERT_EQ(assembly->program.words, program.words) << program.text;
    words += program.words.size();
  }
  EXPECT_GT(words, 5'000u);
}

}  // namespace
}  // namespace moescope::assembler
