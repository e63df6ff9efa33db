// The same program however it is written: case, blanks, tabs, comments, line ends, numbers in other
// bases, symbols, and pieces taken out into macros, repetitions and files.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "asm/assembler.h"
#include "tests/asm/random_source.h"

namespace moescope::assembler {
namespace {

using test::RandomSource;

AssembleOptions Quiet() {
  AssembleOptions options;
  for (const std::string_view rule : AssemblerRules()) options.rules.Set(rule, RuleLevel::kOff);
  return options;
}

class Decorator {
 public:
  explicit Decorator(std::uint32_t seed) : random_(seed) {}

  std::size_t Below(std::size_t limit) { return random_() % limit; }

  // The line in another dress: not a comment line, and any comment behind it kept.
  std::string Line(const std::string& line) {
    const std::size_t semicolon = line.find(';');
    std::string statement = line.substr(0, semicolon);
    std::string out = Blanks(0);
    for (std::size_t i = 0; i < statement.size(); ++i) {
      const char c = statement[i];
      if (c == ' ' || c == '\t') {
        const bool between_words = !out.empty() && absl::ascii_isalnum(Byte(out.back()));
        out += Blanks(between_words ? 1 : 0);
      } else if (c == ',') {
        out += Blanks(0) + "," + Blanks(0);
      } else if (absl::ascii_isdigit(Byte(c)) && StartsNumber(statement, i)) {
        std::size_t end = i;
        while (end < statement.size() && absl::ascii_isalnum(Byte(statement[end]))) ++end;
        out += Number(statement.substr(i, end - i));
        i = end - 1;
      } else {
        out += Below(2) == 0 ? absl::ascii_toupper(Byte(c)) : absl::ascii_tolower(Byte(c));
      }
    }
    out += Blanks(0);
    if (semicolon != std::string::npos) return out + line.substr(semicolon);
    constexpr const char* kTails[] = {"",
                                      ";",
                                      " // slashes ; both",
                                      ";;; at stage \xE2\x86\x92",
                                      "\t; // #",
                                      "// S_EXP_FP f1, f2"};
    return out + kTails[Below(std::size(kTails))];
  }

 private:
  static unsigned char Byte(char c) { return static_cast<unsigned char>(c); }

  static bool StartsNumber(const std::string& text, std::size_t at) {
    return at == 0 || !(absl::ascii_isalnum(Byte(text[at - 1])) || text[at - 1] == '_');
  }

  std::string Blanks(std::size_t least) {
    std::string blanks;
    for (std::size_t left = least + Below(3); left > 0; --left) blanks += Below(2) ? ' ' : '\t';
    return blanks;
  }

  std::string Number(const std::string& text) {
    const auto value = static_cast<std::int64_t>(std::stoull(text, nullptr, 0));
    std::string bits;
    switch (Below(7)) {
      case 0:
        return absl::StrCat("0x", absl::Hex(value));
      case 1:
        for (std::int64_t v = value; v > 0; v /= 2) bits.insert(bits.begin(), v % 2 ? '1' : '0');
        return "0b" + (bits.empty() ? "0" : bits);
      case 2:
        return absl::StrCat("000", value);  // leading zeros stay decimal
      case 3:
        return absl::StrCat("(", value / 3, "*3+", value % 3, ")");
      case 4:
        return absl::StrCat("(hi(", value, ") << 12 | lo(", value, "))");
      case 5:
        return absl::StrCat("~(-", value, " - 1)");
      default:
        return absl::StrCat(value);
    }
  }

  std::mt19937 random_;
};

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  lines.pop_back();
  return lines;
}

bool IsComment(const std::string& line) { return line.empty() || line[0] == ';'; }

// Words and stage table; positions belong to the text.
void ExpectSameProgram(const isa::Program& a, const isa::Program& b, const std::string& text) {
  ASSERT_EQ(a.words, b.words) << text;
  ASSERT_EQ(a.names, b.names) << text;
  ASSERT_EQ(a.ranges.size(), b.ranges.size()) << text;
  for (std::size_t i = 0; i < a.ranges.size(); ++i) {
    EXPECT_EQ(a.ranges[i].begin_pc, b.ranges[i].begin_pc);
    EXPECT_EQ(a.ranges[i].end_pc, b.ranges[i].end_pc);
    EXPECT_EQ(a.ranges[i].name, b.ranges[i].name);
    EXPECT_EQ(a.ranges[i].pair, b.ranges[i].pair);
    EXPECT_EQ(a.ranges[i].expert, b.ranges[i].expert);
  }
}

isa::Program Assembled(const std::string& text, const AssembleOptions& options = Quiet()) {
  absl::StatusOr<Assembly> assembly = Assemble(text, "a.asm", options);
  EXPECT_TRUE(assembly.ok()) << assembly.status() << text;
  return assembly.ok() ? std::move(assembly->program) : isa::Program{};
}

TEST(DecoratedTextTest, CaseBlanksCommentsAndBasesDoNotMatter) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const RandomSource source(seed);
    Decorator decorator(seed);
    std::string text;
    for (const std::string& line : LinesOf(source.text)) {
      absl::StrAppend(&text, IsComment(line) ? line : decorator.Line(line), "\n");
    }
    ExpectSameProgram(Assembled(source.text), Assembled(text), text);
  }
}

TEST(DecoratedTextTest, LineEndsAndMarksOfTheEncodingDoNotMatter) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const RandomSource source(seed);
    const isa::Program plain = Assembled(source.text);
    std::string crlf;
    for (const std::string& line : LinesOf(source.text)) crlf += line + "\r\n";
    EXPECT_EQ(Assembled(crlf), plain);
    EXPECT_EQ(Assembled("\xEF\xBB\xBF" + source.text), plain);
    EXPECT_EQ(Assembled(source.text.substr(0, source.text.size() - 1)), plain);
    std::string gaps;
    for (const std::string& line : LinesOf(source.text)) gaps += "\n \t\n" + line + "\n";
    ExpectSameProgram(plain, Assembled(gaps), gaps);
  }
}

// Every number of the program as a symbol, defined by .equ or on the command line.
TEST(DecoratedTextTest, SymbolsStandForNumbers) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const RandomSource source(seed);
    Decorator decorator(seed + 1000);
    AssembleOptions options = Quiet();
    std::string definitions;
    std::string text;
    int symbols = 0;
    for (const std::string& line : LinesOf(source.text)) {
      const std::size_t space = line.rfind(' ');
      const std::string last = space == std::string::npos ? "" : line.substr(space + 1);
      const bool is_number = !IsComment(line) && line.find(';') == std::string::npos &&
                             !last.empty() && absl::ascii_isdigit(last[0]) &&
                             last.find_first_not_of("0123456789") == std::string::npos;
      if (!is_number) {
        absl::StrAppend(&text, line, "\n");
        continue;
      }
      const std::string name = absl::StrCat("VALUE_", symbols++);
      absl::StrAppend(&text, line.substr(0, space + 1), name, "\n");
      if (decorator.Below(2) == 0) {
        options.definitions.push_back({name, last});
      } else {
        absl::StrAppend(&definitions, ".equ ", name, ", ", last, "\n");
      }
    }
    ExpectSameProgram(Assembled(source.text), Assembled(definitions + text, options), text);
  }
}

// Stretches of the program moved into macros, files and repetitions of one pass.
TEST(DecoratedTextTest, PiecesMayStandElsewhere) {
  int moved = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const RandomSource source(seed);
    Decorator decorator(seed + 2000);
    std::map<std::string, std::string> files;
    std::string macros;
    std::string text;
    const std::vector<std::string> lines = LinesOf(source.text);
    for (std::size_t i = 0; i < lines.size();) {
      const std::size_t end = std::min(lines.size(), i + 1 + decorator.Below(6));
      std::string piece;
      for (; i < end; ++i) absl::StrAppend(&piece, lines[i], "\n");
      const std::string name = absl::StrCat("PIECE_", moved);
      switch (decorator.Below(4)) {
        case 0:
          ++moved;
          absl::StrAppend(&macros, ".macro ", name, "\n", piece, ".endm\n");
          absl::StrAppend(&text, "\t", name, " ; here\n");
          break;
        case 1:
          ++moved;
          files[name] = piece;
          absl::StrAppend(&text, ".include \"", name, "\"\n");
          break;
        case 2:
          absl::StrAppend(&text, ".rept 1\n", piece, ".endr\n.rept 0\n", piece, ".endr\n");
          break;
        default:
          text += piece;
      }
    }
    AssembleOptions options = Quiet();
    options.read_file = [&files](const std::string& path) -> absl::StatusOr<std::string> {
      const auto found = files.find(path);
      if (found == files.end()) return absl::NotFoundError("no such file");
      return found->second;
    };
    ExpectSameProgram(Assembled(source.text), Assembled(macros + text, options), macros + text);
  }
  EXPECT_GT(moved, 200);
}

// Arguments of macros: registers, parts of names, numbers, expressions, attributes of markers.
TEST(DecoratedTextTest, MacrosAgainstTheTextWrittenByHand) {
  struct Case {
    const char* macro;
    const char* by_hand;
  };
  constexpr Case kCases[] = {
      {".macro ADD d, a, b\nS_ADD_INT \\d, \\a, \\b\n.endm\nADD gp1, gp2, gp3\n",
       "S_ADD_INT gp1, gp2, gp3\n"},
      {".macro OP name, d\nS_\\name gp\\d, gp\\d, gp1\n.endm\nOP ADD_INT, 5\nOP MUL_INT, 6\n",
       "S_ADD_INT gp5, gp5, gp1\nS_MUL_INT gp6, gp6, gp1\n"},
      {".macro LI d, v\nS_LUI_INT \\d, hi(\\v)\nS_ADDI_INT \\d, \\d, lo(\\v)\n.endm\n"
       "LI gp4, 64 << 12 | 7\n",
       "S_LUI_INT gp4, 64\nS_ADDI_INT gp4, gp4, 7\n"},
      {".macro STAGE s, p\n; @stage=\\s pair=\\p\nS_EXP_FP f1, f2\n.endm\nSTAGE gather, 3\n"
       "STAGE expert_projection, 4\n",
       "; @stage=gather pair=3\nS_EXP_FP f1, f2\n; @stage=expert_projection pair=4\n"
       "S_EXP_FP f1, f2\n"},
      {".macro TWICE m\n\\m\n\\m\n.endm\n.macro ONE\nS_RECI_FP f1, f2\n.endm\nTWICE ONE\n",
       "S_RECI_FP f1, f2\nS_RECI_FP f1, f2\n"},
      {".macro N n\n.rept \\n\nS_SQRT_FP f1, f2\n.endr\n.endm\nN 3\nN 0\nN 1 + 1\n",
       "S_SQRT_FP f1, f2\nS_SQRT_FP f1, f2\nS_SQRT_FP f1, f2\nS_SQRT_FP f1, f2\n"
       "S_SQRT_FP f1, f2\n"},
      {".macro A x\nB \\x, 1\n.endm\n.macro B x, y\nS_LUI_INT gp1, \\x * 10 + \\y\n.endm\nA 4\n",
       "S_LUI_INT gp1, 41\n"},
      {".macro M a, ab\nS_LUI_INT gp\\a, \\ab\n.endm\nM 1, 22\n", "S_LUI_INT gp1, 22\n"},
      {".macro OUTER r\n.macro MADE_\\r\nS_LUI_INT \\r, 9\n.endm\n.endm\nOUTER gp2\nMADE_gp2\n",
       "S_LUI_INT gp2, 9\n"},
  };
  for (const Case& c : kCases) {
    ExpectSameProgram(Assembled(c.by_hand), Assembled(c.macro), c.macro);
  }
}

}  // namespace
}  // namespace moescope::assembler
