#include "asm/assembler.h"

#include <gtest/gtest.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "isa/document.h"

namespace moescope::assembler {
namespace {

using Words = std::vector<std::uint32_t>;

Assembly Good(std::string_view text, const AssembleOptions& options = {}) {
  absl::StatusOr<Assembly> assembly = Assemble(text, "a.asm", options);
  EXPECT_TRUE(assembly.ok()) << assembly.status();
  return assembly.ok() ? *std::move(assembly) : Assembly();
}

Words WordsOf(std::string_view text, const AssembleOptions& options = {}) {
  return Good(text, options).program.words;
}

std::uint32_t ImmediateOf(const std::string& expression) {
  const Words words = WordsOf(absl::StrCat("S_LUI_INT gp1, ", expression));
  return words.empty() ? 0xFFFFFFFF : words[0] >> 10;
}

TEST(AssemblerTest, ExpressionsFollowThePrecedenceOfTheManual) {
  const std::map<std::string, std::uint32_t> values = {
      {"2 + 3 * 4", 14},
      {"(2 + 3) * 4", 20},
      {"20 - 3 - 4", 13},
      {"100 / 7 / 2", 7},
      {"100 % 7", 2},
      {"1 << 2 + 3", 32},
      {"1 | 2 ^ 3 & 1", 3},
      {"6 & 3 << 1", 6},
      {"0xFF >> 4 & 3", 3},
      {"-5 + 8", 3},
      {"~0 & 0xF", 15},
      {"- - 5", 5},
      {"-7 / 2 + 10", 7},
      {"-7 % 2 + 10", 9},
      {"hi(643072)", 157},
      {"lo(674496)", 2752},
      {"hi(-1) + 2", 1},
      {"lo(-1)", 4095},
      {"hi(1 << 20) << 1", 512},
      {"0b1011", 11},
      {"0XfF", 255},
      {"007", 7},
      {"0x7FFFFFFFFFFFFFFF - 0x7FFFFFFFFFFFFFFE", 1},
      {"(1<<62)-1+(1<<62) >> 61", 3}};
  for (const auto& [expression, value] : values) {
    EXPECT_EQ(ImmediateOf(expression), value) << expression;
  }
}

TEST(AssemblerTest, BlanksCaseAndLineEndsDoNotMatter) {
  const std::uint32_t word = 0x00014062;
  EXPECT_EQ(WordsOf("\xEF\xBB\xBFS_ADDI_INT gp1, gp0, 5"), Words{word});
  EXPECT_EQ(WordsOf("\t s_addi_int\tGP1,gP0,5\t;x\r\n\r\n"), Words{word});
  EXPECT_EQ(WordsOf("S_ADDI_INT gp1 , gp0 , 5;"), Words{word});
  EXPECT_EQ(WordsOf("S_ADDI_INT gp1, gp0, 5//x"), Words{word});
  EXPECT_EQ(WordsOf("; only\nS_ADDI_INT gp1, gp0, 10/2\n"), Words{word});
  EXPECT_EQ(WordsOf("; \xE2\x86\x92 any bytes \xFF here\nS_ADDI_INT gp1, gp0, 5 ; \xE2\x86\x92"),
            Words{word});
}

TEST(AssemblerTest, PositionsCountLinesAndColumnsFromOne) {
  const Assembly assembly = Good("C_BREAK\n\n\t C_BREAK\n");
  EXPECT_EQ(assembly.program.PlaceOf(0), "a.asm:1:1");
  EXPECT_EQ(assembly.program.PlaceOf(1), "a.asm:3:3");
}

TEST(AssemblerTest, WordsAreRaw) {
  EXPECT_EQ(WordsOf(".word 0xFFFFFFFF\n.WORD 1 + 1 ; two\n"), (Words{0xFFFFFFFF, 2}));
}

TEST(AssemblerTest, SymbolsInOrderOfDefinition) {
  AssembleOptions options;
  options.definitions = {{"TOKENS", "4"}, {"ROWS", "TOKENS * 16"}, {"FLAG", "1"}};
  const Assembly assembly =
      Good(".equ LAST, ROWS - 1\n.equ gp, 7\nS_ADDI_INT gp1, gp0, LAST + gp\n", options);
  EXPECT_EQ(assembly.program.words, (Words{0x00000062 | 70u << 14}));
  ASSERT_EQ(assembly.symbols.size(), 5u);
  EXPECT_EQ(assembly.symbols[1].name, "ROWS");
  EXPECT_EQ(assembly.symbols[1].value, 64);
  EXPECT_EQ(assembly.symbols[1].defined.line, 0u);
  EXPECT_EQ(assembly.symbols[3].name, "LAST");
  EXPECT_EQ(assembly.symbols[3].value, 63);
  EXPECT_EQ(assembly.symbols[3].defined.line, 1u);
}

TEST(AssemblerTest, MacroArgumentsKeepParentheses) {
  const Assembly assembly = Good(
      ".macro STEP reg, amount\n"
      "  S_ADDI_INT gp\\reg, gp0, \\amount*2\n"
      ".endm\n"
      "STEP 1, 5\n"
      "STEP 2 , (3 + 4)  ; second\n");
  EXPECT_EQ(assembly.program.words, (Words{0x62 | 10u << 14, 0xA2 | 14u << 14}));
  EXPECT_EQ(assembly.program.PlaceOf(1), "a.asm:2:3");
  ASSERT_EQ(assembly.origins.size(), 3u);
  EXPECT_EQ(assembly.word_origins, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(assembly.origins[2].kind, Origin::Kind::kMacro);
  EXPECT_EQ(assembly.origins[2].at.line, 5u);
  EXPECT_EQ(assembly.macro_names, std::vector<std::string>{"STEP"});
}

TEST(AssemblerTest, MacrosUseMacrosAndRepetitions) {
  EXPECT_EQ(WordsOf(".macro INNER n\n.rept \\n\n.word \\n\n.endr\n.endm\n"
                    ".macro OUTER a, b\nINNER \\a\nINNER \\b\n.endm\n"
                    "OUTER 2, 3\n"),
            (Words{2, 2, 3, 3, 3}));
}

TEST(AssemblerTest, MacrosDefineMacros) {
  EXPECT_EQ(WordsOf(".macro MAKE value\n.macro MADE x\n.word \\value + \\x\n.endm\n.endm\n"
                    "MAKE 40\nMADE 2\n"),
            Words{42});
}

TEST(AssemblerTest, RepetitionsNest) {
  EXPECT_EQ(WordsOf(".rept 2\n.word 1\n.rept 3\n.word 2\n.endr\n.endr\n.rept 0\nnonsense\n.endr\n"),
            (Words{1, 2, 2, 2, 1, 2, 2, 2}));
}

TEST(AssemblerTest, MarkersInMacrosAndIncludes) {
  AssembleOptions options;
  options.read_file = [](const std::string& path) -> absl::StatusOr<std::string> {
    if (path == "marks.inc") return std::string("; @stage=expert_bias\nC_BREAK");
    return absl::NotFoundError("");
  };
  options.rules.Set("AS103", RuleLevel::kOff);
  options.rules.Set("AS102", RuleLevel::kOff);
  const isa::Program program = Good(
                                   ".macro MARK stage, n\n; @stage=\\stage pair=\\n\n.endm\n"
                                   "MARK gather, 7\nC_BREAK\n.include \"marks.inc\"\nC_BREAK\n",
                                   options)
                                   .program;
  ASSERT_EQ(program.ranges.size(), 2u);
  EXPECT_EQ(program.names[program.ranges[0].name].name, "gather");
  EXPECT_EQ(program.ranges[0].pair, 7u);
  EXPECT_EQ(program.ranges[0].line, 2u);
  EXPECT_EQ(program.ranges[1].begin_pc, 1u);
  EXPECT_EQ(program.ranges[1].end_pc, 3u);
  EXPECT_EQ(program.files, (std::vector<std::string>{"a.asm", "marks.inc"}));
  EXPECT_EQ(program.ranges[1].file, 1u);
}

TEST(AssemblerTest, IncludesAreSearchedInOrder) {
  std::vector<std::string> tried;
  AssembleOptions options;
  options.include_folders = {"first", "second"};
  options.read_file = [&tried](const std::string& path) -> absl::StatusOr<std::string> {
    tried.push_back(path);
    if (path == "second/x/a.inc") return std::string(".include \"b.inc\"\n.word 1\n");
    if (path == "second/x/b.inc") return std::string(".word 2\n");
    return absl::NotFoundError("");
  };
  const absl::StatusOr<Assembly> assembly =
      Assemble(".include \"x/a.inc\"\n.include \"./x/../x/a.inc\"\n", "dir/main.asm", options);
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  EXPECT_EQ(assembly->program.words, (Words{2, 1, 2, 1}));
  EXPECT_EQ(tried, (std::vector<std::string>{"dir/x/a.inc", "first/x/a.inc", "second/x/a.inc",
                                             "second/x/b.inc", "dir/x/a.inc", "first/x/a.inc"}));
}

TEST(AssemblerTest, InputsFollowEachOther) {
  const absl::StatusOr<Assembly> assembly =
      Assemble({{"one.asm", "; @stage=gather\n.equ N, 3\n.word 1\n"}, {"two.asm", ".word N\nFOO"}});
  ASSERT_FALSE(assembly.ok());
  EXPECT_EQ(std::string(assembly.status().message()),
            "two.asm:2:1: error: unknown mnemonic 'FOO' [AS001]\n    2 | FOO\n      | ^~~");
  const absl::StatusOr<Assembly> good =
      Assemble({{"one.asm", "; @stage=gather\n.equ N, 3\n.word 1"}, {"two.asm", ".word N\n"}});
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ(good->program.words, (Words{1, 3}));
  EXPECT_EQ(good->program.PlaceOf(1), "two.asm:1:1");
  EXPECT_EQ(good->program.ranges.size(), 1u);
}

std::string Nested(int depth) { return absl::StrCat(".include \"", depth, "\"\n"); }

TEST(AssemblerTest, IncludesNestSixtyFourDeepAndNoDeeper) {
  for (const int deepest : {64, 65}) {
    AssembleOptions options;
    options.read_file = [deepest](const std::string& path) -> absl::StatusOr<std::string> {
      const int depth = std::stoi(path);
      return depth == deepest ? "C_BREAK\n" : Nested(depth + 1);
    };
    const absl::StatusOr<Assembly> assembly = Assemble(Nested(1), "a.asm", options);
    EXPECT_EQ(assembly.ok(), deepest == 64) << assembly.status();
    if (!assembly.ok()) {
      EXPECT_EQ(DiagnosticsOf(assembly.status())[0].id, "AS014");
      EXPECT_EQ(DiagnosticsOf(assembly.status())[0].notes.size(), 64u);
    }
  }
}

TEST(AssemblerTest, TheLimitOfLinesIsExact) {
  for (const std::uint64_t lines : {5u, 6u}) {
    AssembleOptions options;
    options.limits.lines = lines;
    EXPECT_EQ(
        Assemble(".rept 5\n.word 1\n.endr\n.macro M\n.word 2\n.endm\nM\n", "a.asm", options).ok(),
        lines == 6);
  }
}

TEST(AssemblerTest, InputLinesAreNotLimited) {
  AssembleOptions options;
  options.limits.lines = 3;
  options.limits.bytes = 3;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += ".word 1\n";
  EXPECT_EQ(WordsOf(text, options).size(), 1000u);
}

TEST(AssemblerTest, DoublingTextIsStopped) {
  std::string text = ".macro M0 t\n; \\t\n.endm\n";
  for (int i = 1; i < 40; ++i) {
    absl::StrAppend(&text, ".macro M", i, " t\nM", i - 1, " \\t\\t\n.endm\n");
  }
  const absl::StatusOr<Assembly> assembly = Assemble(text + "M39 xxxxxxxx\nC_BREAK\n", "a.asm");
  ASSERT_FALSE(assembly.ok());
  EXPECT_EQ(DiagnosticsOf(assembly.status())[0].id, "AS018");
}

TEST(AssemblerTest, UsesThatDoubleAreStopped) {
  std::string text = ".macro M0\nS_LUI_INT gp1, 0x3FFFFF\n.endm\n";
  for (int i = 1; i < 40; ++i) {
    absl::StrAppend(&text, ".macro M", i, "\nM", i - 1, "\nM", i - 1, "\n.endm\n");
  }
  const absl::StatusOr<Assembly> assembly = Assemble(text + "M39\n", "a.asm");
  ASSERT_FALSE(assembly.ok());
  const std::vector<Diagnostic> said = DiagnosticsOf(assembly.status());
  EXPECT_LE(said.size(), 1002u);
  EXPECT_EQ(said[said.size() - 2].id, "AS018");
  EXPECT_TRUE(said.back().message.ends_with(" more warnings not shown")) << said.back().message;
}

TEST(AssemblerTest, LoadedInstructionSets) {
  std::vector<isa::Instruction> rows = isa::InstructionSet::Builtin().instructions();
  std::erase_if(rows, [](const isa::Instruction& row) { return row.since > isa::Version{1, 0}; });
  const isa::InstructionSet old(rows, {1, 0});
  AssembleOptions options;
  options.instruction_set = &old;
  EXPECT_EQ(WordsOf("S_ADDI_INT gp1, gp0, 5", options), Words{0x00014062});
  const absl::StatusOr<Assembly> newer = Assemble("C_SET_TOPK_REG gp1\n", "a.asm", options);
  EXPECT_EQ(std::string(newer.status().message()),
            "a.asm:1:1: error: unknown mnemonic 'C_SET_TOPK_REG' in ISA 1.0: C_SET_TOPK_REG exists "
            "since 1.1 [AS001]\n    1 | C_SET_TOPK_REG gp1\n      | ^~~~~~~~~~~~~~");
}

TEST(AssemblerTest, AnOlderSetRefusesAYoungerPolicyByName) {
  isa::Document document = isa::DocumentOf(isa::InstructionSet::Builtin());
  document.version = {1, 0};
  std::erase_if(document.instructions, [](const isa::DocumentInstruction& row) {
    return row.since > isa::Version{1, 0};
  });
  for (isa::DocumentInstruction& row : document.instructions) {
    for (isa::Operand& operand : row.operands) {
      if (operand.kind == isa::OperandKind::kPolicy) operand.values = 0b11;
    }
  }
  const auto old = isa::MakeInstructionSet(document, "isa-1.0.json");
  ASSERT_TRUE(old.ok()) << old.status();
  AssembleOptions options;
  options.instruction_set = old->get();
  EXPECT_EQ(WordsOf("V_TOPK gp1, gp2, gp3, 1", options), Words{0x0004C877});
  const absl::StatusOr<Assembly> newer = Assemble("V_TOPK gp1, gp2, gp3, 15\n", "a.asm", options);
  EXPECT_EQ(std::string(newer.status().message()),
            "a.asm:1:23: error: policy 15 is reserved; legal: 0, 1; V_TOPK policy 15 exists since "
            "1.1 [AS010]\n    1 | V_TOPK gp1, gp2, gp3, 15\n      |                       ^~");
}

TEST(AssemblerTest, AnInstructionOfALoadedSetNeedsNoCode) {
  std::vector<isa::Instruction> rows = isa::InstructionSet::Builtin().instructions();
  rows.push_back({.mnemonic = "V_PS_V",
                  .encoding = "------------------aaaadddd110001",
                  .operands = {isa::VectorDestination('d'), isa::VectorSource('a')},
                  .group = isa::Group::kVal,
                  .timing = isa::TimingClass::kVectorShift,
                  .summary = "Prefix sum."});
  const isa::InstructionSet extended(rows, {1, 2});
  AssembleOptions options;
  options.instruction_set = &extended;
  EXPECT_EQ(WordsOf("V_PS_V gp1, gp2", options), Words{0x31 | 1 << 6 | 2 << 10});
}

TEST(AssemblerTest, EmptyAndOddInputs) {
  EXPECT_FALSE(Assemble("", "a.asm").ok());
  EXPECT_FALSE(Assemble(std::vector<SourceText>()).ok());
  EXPECT_FALSE(Assemble("\n\n\n", "a.asm").ok());
  EXPECT_FALSE(Assemble(std::string_view("\0", 1), "a.asm").ok());
  EXPECT_EQ(WordsOf("C_BREAK").size(), 1u);
}

}  // namespace
}  // namespace moescope::assembler
