#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "asm/assembler.h"
#include "tests/asm/manual_forms.h"

// Every operand form of isa.md 3.2 against an encoder that was written from that page, without the
// instruction table: each accepted form gives its word, each rejected neighbour its error.

namespace moescope::assembler {
namespace {

using test::Generator;
using test::kSpecs;
using test::Piece;
using test::PiecesOf;
using test::ShiftOf;
using test::Spec;
using test::Written;

std::string Line(const Spec& spec, const std::vector<std::string>& operands) {
  return absl::StrCat(spec.mnemonic, " ", absl::StrJoin(operands, ", "));
}

std::string FirstId(const std::string& line) {
  const absl::StatusOr<Assembly> assembly = Assemble(line, "a.asm");
  return assembly.ok() ? "none" : DiagnosticsOf(assembly.status())[0].id;
}

TEST(FormsTest, EveryInstructionIsListed) {
  EXPECT_EQ(std::size(kSpecs), isa::InstructionSet::Builtin().instructions().size());
  for (const Spec& spec : kSpecs) {
    EXPECT_NE(isa::InstructionSet::Builtin().Find(spec.mnemonic), nullptr) << spec.mnemonic;
  }
}

// A random line of the form with `optionals` of the operands that may be left out.
std::string AcceptedLine(const Spec& spec, std::size_t optionals, Generator& generate,
                         std::uint32_t& word) {
  std::vector<std::string> operands;
  word = spec.opcode;
  for (const Piece& piece : PiecesOf(spec)) {
    if (piece.optional && optionals == 0) continue;
    if (piece.optional) --optionals;
    const Written written = generate.Legal(piece.kind);
    operands.push_back(written.text);
    if (piece.field != 0) word |= written.value << ShiftOf(piece.field);
  }
  return Line(spec, operands);
}

std::size_t OptionalsOf(const Spec& spec) {
  std::size_t count = 0;
  for (const Piece& piece : PiecesOf(spec)) count += piece.optional;
  return count;
}

TEST(FormsTest, EachAcceptedFormGivesTheWordOfAnIndependentEncoder) {
  Generator generate;
  std::string text;
  std::vector<std::uint32_t> expected;
  std::vector<std::string> lines;
  for (const Spec& spec : kSpecs) {
    for (std::size_t optionals = 0; optionals <= OptionalsOf(spec); ++optionals) {
      for (int round = 0; round < 200; ++round) {
        lines.push_back(AcceptedLine(spec, optionals, generate, expected.emplace_back()));
        absl::StrAppend(&text, lines.back(), "\n");
      }
    }
  }
  const absl::StatusOr<Assembly> assembly = Assemble(text, "a.asm");
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  ASSERT_EQ(assembly->program.words.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(assembly->program.words[i], expected[i]) << lines[i];
  }
}

TEST(FormsTest, OneOperandFewerOrMoreIsRejected) {
  Generator generate;
  for (const Spec& spec : kSpecs) {
    std::vector<std::string> fewest;
    std::vector<std::string> most;
    for (const Piece& piece : PiecesOf(spec)) {
      const std::string text = generate.Legal(piece.kind).text;
      most.push_back(text);
      if (!piece.optional) fewest.push_back(text);
    }
    EXPECT_EQ(FirstId(Line(spec, fewest)), "none") << Line(spec, fewest);
    EXPECT_EQ(FirstId(Line(spec, most)), "none") << Line(spec, most);
    most.emplace_back("0");
    EXPECT_EQ(FirstId(Line(spec, most)), "AS004") << Line(spec, most);
    if (fewest.empty()) continue;
    fewest.pop_back();
    EXPECT_EQ(FirstId(Line(spec, fewest)), "AS004") << Line(spec, fewest);
  }
}

struct Neighbour {
  const char* text;
  const char* id;
};

std::vector<Neighbour> WrongFor(const std::string& kind) {
  if (kind == "gp") {
    return {{"f1", "AS005"},   {"a1", "AS005"},           {"0", "AS005"},   {"7", "AS005"},
            {"gp16", "AS007"}, {"gp4294967297", "AS007"}, {"abc", "AS011"}, {"gp1+1", "AS005"}};
  }
  if (kind == "loop") return {{"gp0", "AS010"}, {"f1", "AS005"}, {"gp16", "AS007"}};
  if (kind == "gpor0") return {{"f0", "AS005"}, {"1", "AS005"}, {"gp16", "AS007"}};
  if (kind == "f") return {{"gp1", "AS005"}, {"a1", "AS005"}, {"0", "AS005"}, {"f8", "AS007"}};
  if (kind == "a") return {{"gp1", "AS005"}, {"f1", "AS005"}, {"0", "AS005"}, {"a8", "AS007"}};
  if (kind == "zero") return {{"1", "AS006"}, {"gp1", "AS006"}, {"f0", "AS006"}, {"-1", "AS006"}};
  if (kind == "pad") return {{"1", "AS006"}, {"gp0", "AS006"}, {"a0", "AS006"}};
  if (kind == "mask") return {{"16", "AS008"}, {"-1", "AS008"}, {"gp1", "AS005"}};
  if (kind == "bit") return {{"2", "AS010"}, {"-1", "AS010"}, {"gp1", "AS005"}};
  if (kind == "policy") {
    return {{"2", "AS010"}, {"14", "AS010"}, {"16", "AS010"}, {"gp1", "AS005"}};
  }
  if (kind == "imm18") return {{"262144", "AS008"}, {"-1", "AS009"}, {"gp1", "AS005"}};
  if (kind == "imm22") return {{"4194304", "AS008"}, {"-1", "AS009"}, {"f1", "AS005"}};
  return {{"4194304", "AS008"}, {"-1", "AS009"}, {"0", "AS010"}, {"gp1", "AS005"}};
}

TEST(FormsTest, OperandsOfAnotherClassOrOutOfRangeAreRejected) {
  Generator generate;
  int neighbours = 0;
  for (const Spec& spec : kSpecs) {
    const std::vector<Piece> pieces = PiecesOf(spec);
    for (std::size_t wrong = 0; wrong < pieces.size(); ++wrong) {
      for (const Neighbour& neighbour : WrongFor(pieces[wrong].kind)) {
        std::vector<std::string> operands;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
          operands.push_back(i == wrong ? neighbour.text : generate.Legal(pieces[i].kind).text);
        }
        EXPECT_EQ(FirstId(Line(spec, operands)), neighbour.id) << Line(spec, operands);
        ++neighbours;
      }
    }
  }
  EXPECT_GT(neighbours, 700);
}

}  // namespace
}  // namespace moescope::assembler
