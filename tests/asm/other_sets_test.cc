// Assembling and disassembling under loaded instruction sets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "asm/assembler.h"
#include "asm/disassembler.h"
#include "asm/emit.h"
#include "asm/program_file.h"
#include "base/json.h"
#include "isa/isa_hash.h"
#include "tests/asm/manual_forms.h"
#include "tests/asm/random_source.h"
#include "tests/isa/scrambled_document.h"

namespace moescope::assembler {
namespace {

using ::testing::HasSubstr;

using Set = std::unique_ptr<const isa::InstructionSet>;

Set Load(const isa::Document& document) {
  absl::StatusOr<Set> set = isa::MakeInstructionSet(document, "test.json");
  EXPECT_TRUE(set.ok()) << set.status();
  return *std::move(set);
}

AssembleOptions Under(const isa::InstructionSet& set) {
  AssembleOptions options;
  options.instruction_set = &set;
  for (const std::string_view rule : AssemblerRules()) options.rules.Set(rule, RuleLevel::kOff);
  return options;
}

std::string ErrorUnder(const isa::InstructionSet& set, const std::string& text) {
  const absl::StatusOr<Assembly> assembly = Assemble(text, "a.asm", Under(set));
  if (assembly.ok()) return "";
  const Diagnostic finding = DiagnosticsOf(assembly.status()).front();
  return absl::StrCat(finding.message, " [", finding.id, "]");
}

// The same lines under other names and opcodes say the same with the same operands.
TEST(OtherSetsTest, TheSameOperandsUnderEverySet) {
  for (const std::uint32_t seed : {1u, 2u, 3u, 4u}) {
    const Set set = Load(isa::test::Scrambled(seed));
    test::Generator generate(seed);
    for (const test::Spec& spec : test::kSpecs) {
      std::vector<std::string> operands;
      for (const test::Piece& piece : test::PiecesOf(spec)) {
        operands.push_back(generate.Legal(piece.kind).text);
      }
      const std::string rest = absl::StrCat(spec.mnemonic, " ", absl::StrJoin(operands, ", "));
      const absl::StatusOr<Assembly> plain =
          Assemble(rest, "a.asm", Under(isa::InstructionSet::Builtin()));
      const absl::StatusOr<Assembly> other = Assemble("X_" + rest, "a.asm", Under(*set));
      ASSERT_TRUE(plain.ok()) << plain.status();
      ASSERT_TRUE(other.ok()) << other.status();
      const isa::Decoded a =
          isa::InstructionSet::Builtin().Decode(plain->program.words[0], /*strict=*/true);
      const isa::Decoded b = set->Decode(other->program.words[0], /*strict=*/true);
      ASSERT_EQ(b.problem, isa::DecodeProblem::kNone) << rest;
      EXPECT_EQ(a.operands, b.operands) << rest;
      EXPECT_EQ(isa::SemanticsOf(*b.instruction), spec.mnemonic);
      EXPECT_THAT(ErrorUnder(*set, rest), HasSubstr("unknown mnemonic")) << rest;
    }
  }
}

TEST(OtherSetsTest, RoundTripOfAnyWordUnderAnySet) {
  std::mt19937 random(9);
  std::vector<isa::Document> documents = {isa::test::Version10(), isa::test::MovedOpcode(),
                                          isa::test::NewField()};
  for (std::uint32_t seed = 0; seed < 5; ++seed) documents.push_back(isa::test::Scrambled(seed));
  for (const isa::Document& document : documents) {
    const Set set = Load(document);
    std::vector<std::uint32_t> words;
    for (int i = 0; i < 20'000; ++i) words.push_back(static_cast<std::uint32_t>(random()));
    for (const isa::Instruction& row : set->instructions()) {
      const isa::FixedBits bits = isa::FixedBitsOf(row.encoding);
      for (int i = 0; i < 50; ++i) {
        const auto any = static_cast<std::uint32_t>(random());
        words.push_back((any & ~bits.mask & ~bits.unused) | bits.match);
      }
    }
    const isa::Program program = isa::ProgramFromWords(words);
    DisassembleOptions options;
    options.instruction_set = set.get();
    const std::string text = Disassemble(program, options);
    const absl::StatusOr<Assembly> again = Assemble(text, "a.asm", Under(*set));
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(again->program.words, words);
    ASSERT_EQ(Disassemble(again->program, options), text);
  }
}

TEST(OtherSetsTest, WhatCameLaterIsNamedWithItsVersion) {
  const Set set = Load(isa::test::Version10());
  EXPECT_EQ(ErrorUnder(*set, "C_SET_TOPK_REG gp1"),
            "unknown mnemonic 'C_SET_TOPK_REG' in ISA 1.0: C_SET_TOPK_REG exists since 1.1 "
            "[AS001]");
  EXPECT_EQ(ErrorUnder(*set, "V_TOPK gp1, gp2, gp3, 15"),
            "policy 15 is reserved; legal: 0, 1; V_TOPK policy 15 exists since 1.1 [AS010]");
  EXPECT_EQ(ErrorUnder(*set, "V_TOPK gp1, gp2, gp3, 14"),
            "policy 14 is reserved; legal: 0, 1 [AS010]");
  EXPECT_EQ(ErrorUnder(*set, "V_TOPK gp1, gp2, gp3, 1"), "");
  EXPECT_EQ(ErrorUnder(*set, "V_PS_V gp1"),
            "'V_PS_V' is a known name but no instruction of ISA 1.0 [AS002]");
}

TEST(OtherSetsTest, ANewFieldIsReadAndWritten) {
  const Set set = Load(isa::test::NewField());
  const absl::StatusOr<Assembly> assembly =
      Assemble("V_SHFT_V gp1, gp2, gp3\nV_SHFT_V gp1, gp2, gp3, 1\n", "a.asm", Under(*set));
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  EXPECT_EQ(assembly->program.words, (std::vector<std::uint32_t>{0x0000C872, 0x0004C872}));
  DisassembleOptions options;
  options.instruction_set = set.get();
  EXPECT_EQ(Disassemble(assembly->program, options),
            "V_SHFT_V gp1, gp2, gp3, 0\nV_SHFT_V gp1, gp2, gp3, 1\n");
  EXPECT_EQ(Disassemble(assembly->program),
            "V_SHFT_V gp1, gp2, gp3\n"
            ".word 0x0004C872 ; V_SHFT_V gp1, gp2, gp3 (unused bits set)\n");
  EXPECT_EQ(ErrorUnder(isa::InstructionSet::Builtin(), "V_SHFT_V gp1, gp2, gp3, 1"),
            "V_SHFT_V takes 3 operands, not 4 [AS004]");
}

// Names of every output are those of the set, and the container carries its hash.
TEST(OtherSetsTest, OutputsNameTheSet) {
  const Set set = Load(isa::test::Scrambled(8));
  const test::RandomSource source(5);
  std::string text;
  for (const auto piece : absl::StrSplit(source.text, '\n')) {
    std::string line(piece);
    const std::size_t name = line.find_first_not_of(' ');
    const bool is_instruction = name != std::string::npos && line[name] != ';' && line[name] != '.';
    if (is_instruction) line.insert(name, "X_");
    absl::StrAppend(&text, line, "\n");
  }
  const absl::StatusOr<Assembly> assembly = Assemble(text, "a.asm", Under(*set));
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  const absl::StatusOr<Json> json =
      ParseJson(Emit(*assembly, OutputFormat::kJson, *set), "p.json", "PC010");
  EXPECT_EQ((*json)["isa_version"], "1.7");
  EXPECT_EQ((*json)["isa_hash"], isa::IsaHash(*set));
  EXPECT_NE((*json)["isa_hash"], isa::IsaHash(isa::InstructionSet::Builtin()));
  const std::string listing = Emit(*assembly, OutputFormat::kListing, *set);
  for (const Json& word : (*json)["words"]) {
    EXPECT_THAT(listing, HasSubstr("  " + word["text"].get<std::string>() + "\n"));
  }
  const std::string container = Emit(*assembly, OutputFormat::kContainer, *set);
  AssembleOptions builtin = Under(isa::InstructionSet::Builtin());
  const ProgramFormat format = DetectProgramFormat(container, "p.moe");
  EXPECT_EQ(format, ProgramFormat::kContainer);
  const absl::StatusOr<LoadedProgram> refused = LoadProgram(container, "p.moe", format, builtin);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(DiagnosticsOf(refused.status()).front().id, "PC005");
  EXPECT_TRUE(LoadProgram(container, "p.moe", format, builtin, /*force_isa=*/true).ok());
  const absl::StatusOr<LoadedProgram> read = LoadProgram(container, "p.moe", format, Under(*set));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->program, assembly->program);
}

// Names are suggested from the set in use.
TEST(OtherSetsTest, SuggestionsComeFromTheSet) {
  const Set set = Load(isa::test::Scrambled(8));
  const std::string error = ErrorUnder(*set, "X_V_ADD_VX gp1, gp2, gp3");
  EXPECT_THAT(error, HasSubstr("unknown mnemonic 'X_V_ADD_VX'; did you mean 'X_V_ADD_V"));
  EXPECT_THAT(error, HasSubstr("'X_V_ADD_VF'"));
  EXPECT_THAT(error, HasSubstr("'X_V_ADD_VV'"));
}

}  // namespace
}  // namespace moescope::assembler
