// Every output of the assembler, read back by a reader that the test writes from the description
// of the format, holds what the source says.

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "asm/assembler.h"
#include "asm/disassembler.h"
#include "asm/emit.h"
#include "asm/program_file.h"
#include "base/json.h"
#include "isa/isa_hash.h"
#include "tests/asm/random_source.h"

namespace moescope::assembler {
namespace {

using test::RandomSource;

AssembleOptions Quiet() {
  AssembleOptions options;
  for (const std::string_view rule : AssemblerRules()) options.rules.Set(rule, RuleLevel::kOff);
  return options;
}

Assembly Assembled(const std::string& text) {
  absl::StatusOr<Assembly> assembly = Assemble(text, "a.asm", Quiet());
  EXPECT_TRUE(assembly.ok()) << assembly.status() << text;
  return *std::move(assembly);
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  EXPECT_EQ(lines.back(), "") << "the last line ends with a line end";
  lines.pop_back();
  return lines;
}

// One row of a listing: columns are separated by blanks, the text is the rest.
struct Row {
  std::string pc, word, stage, pair, expert, line, text;
};

Row ReadRow(const std::string& line) {
  std::istringstream in(line);
  Row row;
  in >> row.pc >> row.word >> row.stage >> row.pair >> row.expert >> row.line >> std::ws;
  std::getline(in, row.text);
  return row;
}

TEST(OutputsTest, TheListingHoldsEveryWordWithItsStageAndLine) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const RandomSource source(seed);
    const Assembly assembly = Assembled(source.text);
    const std::vector<std::string> lines = LinesOf(Emit(assembly, OutputFormat::kListing));
    ASSERT_GT(lines.size(), source.words.size());
    EXPECT_EQ(lines[0], "pc     word        stage                   pair  expert  line  text");
    std::map<std::string, std::size_t> per_stage;
    for (std::size_t pc = 0; pc < source.words.size(); ++pc) {
      const RandomSource::Word& expected = source.words[pc];
      const Row row = ReadRow(lines[pc + 1]);
      SCOPED_TRACE(lines[pc + 1]);
      EXPECT_EQ(std::stoul(row.pc), pc);
      EXPECT_EQ(row.pc.size(), 5u);
      EXPECT_EQ(std::stoul(row.word, nullptr, 16), expected.word);
      EXPECT_EQ(row.stage, expected.stage);
      EXPECT_EQ(row.pair, expected.pair);
      EXPECT_EQ(row.expert, expected.expert);
      EXPECT_EQ(std::stoul(row.line), expected.line);
      EXPECT_EQ(Assembled(row.text + "\n").program.words[0], expected.word);
      ++per_stage[expected.stage];
    }
    // The last part: words per stage, and their sum.
    std::size_t at = source.words.size() + 1;
    while (at < lines.size() && lines[at] != "words per stage") ++at;
    ASSERT_LT(at, lines.size());
    for (++at; at < lines.size(); ++at) {
      std::istringstream in(lines[at]);
      std::string stage;
      std::size_t words = 0;
      in >> stage >> words;
      if (stage == "total") {
        EXPECT_EQ(words, source.words.size());
      } else {
        EXPECT_EQ(words, per_stage[stage]) << stage;
        per_stage.erase(stage);
      }
    }
    EXPECT_TRUE(per_stage.empty());
  }
}

TEST(OutputsTest, TheListingNamesSymbolsAndWhereWordsCameFrom) {
  AssembleOptions options = Quiet();
  options.definitions = {{"TOKENS", "4"}};
  const absl::StatusOr<Assembly> assembly = Assemble(
      ".equ ROWS, TOKENS * 2\n.macro M n\nS_LUI_INT gp1, \\n\n.endm\nM ROWS\n.rept 2\nM 1\n.endr\n",
      "a.asm", options);
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  const std::vector<std::string> lines = LinesOf(Emit(*assembly, OutputFormat::kListing));
  const std::string blank(std::string("00042  0x00041A28  ").size() + 22 + 16, ' ');
  ASSERT_GE(lines.size(), 14u);
  EXPECT_EQ(lines[1], blank + "   5  M ROWS");
  EXPECT_EQ(ReadRow(lines[2]).line, "3");
  EXPECT_EQ(lines[3], blank + "   6  .rept 2");
  EXPECT_EQ(lines[4], blank + "   7  M 1");
  EXPECT_EQ(ReadRow(lines[5]).text, "S_LUI_INT gp1, 1");
  EXPECT_EQ(ReadRow(lines[6]).text, "S_LUI_INT gp1, 1") << "one per pass";
  std::size_t at = 0;
  while (at < lines.size() && lines[at] != ".equ values") ++at;
  ASSERT_LT(at + 2, lines.size());
  EXPECT_EQ(lines[at + 1], "  TOKENS                                      4  command line");
  EXPECT_EQ(lines[at + 2], "  ROWS                                        8  a.asm:1");
}

TEST(OutputsTest, TheJsonHoldsEveryWordWithItsStageAndLine) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const RandomSource source(seed);
    const Assembly assembly = Assembled(source.text);
    const absl::StatusOr<Json> json =
        ParseJson(Emit(assembly, OutputFormat::kJson), "p.json", "PC010");
    ASSERT_TRUE(json.ok()) << json.status();
    EXPECT_EQ((*json)["schema"], "moescope.program");
    EXPECT_EQ((*json)["isa_version"], "1.1");
    EXPECT_EQ((*json)["isa_hash"], isa::IsaHash(isa::InstructionSet::Builtin()));
    EXPECT_EQ((*json)["words_hash"], assembly.program.WordsHash());
    EXPECT_EQ((*json)["stage_table_hash"], assembly.program.StageTableHash());
    ASSERT_EQ((*json)["words"].size(), source.words.size());
    for (std::size_t pc = 0; pc < source.words.size(); ++pc) {
      const Json& row = (*json)["words"][pc];
      const RandomSource::Word& expected = source.words[pc];
      EXPECT_EQ(row["pc"], pc);
      EXPECT_EQ(std::stoul(row["word"].get<std::string>(), nullptr, 16), expected.word);
      EXPECT_EQ(row["stage"], expected.stage);
      EXPECT_EQ(row.contains("pair") ? absl::StrCat(row["pair"].get<int>()) : "-", expected.pair);
      EXPECT_EQ(row.contains("expert") ? absl::StrCat(row["expert"].get<int>()) : "-",
                expected.expert);
      EXPECT_EQ(row["file"], "a.asm");
      EXPECT_EQ(row["line"], expected.line);
    }
  }
}

// ---- Files of bare words ------------------------------------------------------------------------

std::vector<std::uint32_t> WordsOf(const RandomSource& source) {
  std::vector<std::uint32_t> words;
  for (const RandomSource::Word& word : source.words) words.push_back(word.word);
  return words;
}

// The words of one hexadecimal number per line, whatever else the lines hold.
std::vector<std::uint32_t> HexWords(const std::string& text, const std::string& prefix) {
  std::vector<std::uint32_t> words;
  for (const std::string& line : LinesOf(text)) {
    if (line.starts_with("//") || line.starts_with("@")) continue;
    EXPECT_TRUE(line.starts_with(prefix)) << line;
    EXPECT_EQ(line.size(), prefix.size() + 8) << line;
    EXPECT_EQ(line.find_first_not_of("0123456789ABCDEF", prefix.size()), std::string::npos) << line;
    words.push_back(
        static_cast<std::uint32_t>(std::stoul(line.substr(prefix.size()), nullptr, 16)));
  }
  return words;
}

TEST(OutputsTest, FilesOfWords) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const RandomSource source(seed);
    const Assembly assembly = Assembled(source.text);
    const std::vector<std::uint32_t> words = WordsOf(source);
    EXPECT_EQ(assembly.program.words, words);
    EXPECT_EQ(HexWords(Emit(assembly, OutputFormat::kMem), "0x"), words);
    EXPECT_EQ(HexWords(Emit(assembly, OutputFormat::kHex), ""), words);
    EXPECT_EQ(HexWords(Emit(assembly, OutputFormat::kReadmemh), ""), words);
    const std::string binary = Emit(assembly, OutputFormat::kBin);
    ASSERT_EQ(binary.size(), words.size() * 4);
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::uint32_t word = 0;
      for (std::size_t byte = 0; byte < 4; ++byte) {
        word |= std::uint32_t{static_cast<unsigned char>(binary[4 * i + byte])} << 8 * byte;
      }
      ASSERT_EQ(word, words[i]);
    }
  }
}

// What the assembler writes, it reads: as the kind of file that its suffix says.
TEST(OutputsTest, EveryFormatThatHoldsAProgramIsReadBack) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const RandomSource source(seed);
    const Assembly assembly = Assembled(source.text);
    for (const OutputFormat format :
         {OutputFormat::kContainer, OutputFormat::kMem, OutputFormat::kHex, OutputFormat::kBin}) {
      const std::string name = "p" + std::string(FileSuffixOf(format));
      const std::string bytes = Emit(assembly, format);
      const ProgramFormat detected = DetectProgramFormat(bytes, name);
      const absl::StatusOr<LoadedProgram> loaded = LoadProgram(bytes, name, detected, Quiet());
      ASSERT_TRUE(loaded.ok()) << loaded.status();
      EXPECT_EQ(loaded->program.words, assembly.program.words) << name;
      if (format == OutputFormat::kContainer) {
        EXPECT_EQ(loaded->program, assembly.program);
      }
    }
    const std::string text = Disassemble(assembly.program);
    const Assembly again = Assembled(text);
    EXPECT_EQ(again.program.words, assembly.program.words);
    EXPECT_EQ(again.program.StageTableHash().size(), assembly.program.StageTableHash().size());
    ASSERT_EQ(again.program.ranges.size(), assembly.program.ranges.size());
    for (std::size_t i = 0; i < again.program.ranges.size(); ++i) {
      EXPECT_EQ(again.program.ranges[i].begin_pc, assembly.program.ranges[i].begin_pc);
      EXPECT_EQ(again.program.ranges[i].pair, assembly.program.ranges[i].pair);
      EXPECT_EQ(again.program.ranges[i].expert, assembly.program.ranges[i].expert);
    }
  }
}

// Any part of a disassembly holds the words of that part and assembles to them, in their stages.
TEST(OutputsTest, AnyPartOfADisassembly) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const RandomSource source(seed);
    const Assembly assembly = Assembled(source.text);
    const auto size = static_cast<std::uint32_t>(source.words.size());
    for (std::uint32_t begin = 0; begin < size; begin += 1 + seed % 4) {
      const std::uint32_t end = std::min(size, begin + 1 + (begin * 7 + seed) % 9);
      DisassembleOptions options;
      options.begin_pc = begin;
      options.end_pc = end;
      const Assembly part = Assembled(Disassemble(assembly.program, options));
      ASSERT_EQ(part.program.words.size(), end - begin);
      for (std::uint32_t pc = begin; pc < end; ++pc) {
        EXPECT_EQ(part.program.words[pc - begin], source.words[pc].word);
      }
      for (const isa::StageRange& range : part.program.ranges) {
        for (std::uint32_t pc = range.begin_pc; pc < range.end_pc; ++pc) {
          const RandomSource::Word& expected = source.words[begin + pc];
          EXPECT_EQ(part.program.names[range.name].name, expected.stage);
          EXPECT_EQ(range.pair ? absl::StrCat(*range.pair) : "-", expected.pair);
        }
      }
    }
  }
}

// With addresses the text still assembles, and the comments say what they promise.
TEST(OutputsTest, AddressesAreComments) {
  const RandomSource source(77);
  const Assembly assembly = Assembled(source.text);
  DisassembleOptions options;
  options.addresses = true;
  options.markers = false;
  const std::string text = Disassemble(assembly.program, options);
  EXPECT_EQ(Assembled(text).program.words, assembly.program.words);
  const std::vector<std::string> lines = LinesOf(text);
  ASSERT_EQ(lines.size(), source.words.size());
  for (std::size_t pc = 0; pc < lines.size(); ++pc) {
    char expected[48];
    std::snprintf(expected, sizeof expected, "  ; %05zu: 0x%08X", pc, source.words[pc].word);
    EXPECT_TRUE(lines[pc].ends_with(expected)) << lines[pc];
  }
}

}  // namespace
}  // namespace moescope::assembler
