// The decoder, the encoder and the text of words against the table of the manual, which is read
// character by character.

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "isa/instruction_set.h"
#include "tests/isa/manual_table.h"

namespace moescope::isa {
namespace {

using test::ManualReading;
using test::ManualRow;
using test::ManualRows;
using test::ReadByManual;

const InstructionSet& Set() { return InstructionSet::Builtin(); }

void ExpectAgreement(std::uint32_t word) {
  const ManualReading manual = ReadByManual(word);
  const Decoded lenient = Set().Decode(word);
  const Decoded strict = Set().Decode(word, /*strict=*/true);
  if (manual.row == nullptr) {
    ASSERT_EQ(lenient.problem, DecodeProblem::kUndefined) << std::hex << word;
    ASSERT_EQ(strict.problem, DecodeProblem::kUndefined);
    ASSERT_EQ(lenient.instruction, nullptr);
    return;
  }
  ASSERT_NE(lenient.instruction, nullptr) << std::hex << word;
  ASSERT_EQ(lenient.instruction->mnemonic, manual.row->mnemonic);
  ASSERT_EQ(lenient.problem,
            manual.is_reserved ? DecodeProblem::kReservedOperand : DecodeProblem::kNone)
      << std::hex << word;
  const bool strict_ok = !manual.is_reserved && !manual.has_unused_bits;
  ASSERT_EQ(strict.problem == DecodeProblem::kNone, strict_ok) << std::hex << word;
  if (manual.has_unused_bits) {
    ASSERT_EQ(strict.problem, DecodeProblem::kUnusedBits);
  }
  ASSERT_EQ(Set().IsCanonical(word), strict_ok);
  for (const char letter : {'d', 'a', 'b', 'c', 'f', 'i'}) {
    const auto found = manual.fields.find(letter);
    const std::uint32_t expected = found == manual.fields.end() ? 0 : found->second;
    ASSERT_EQ(OperandValue(lenient.operands, letter), expected)
        << letter << " of " << std::hex << word;
  }
  if (!strict_ok) {
    char start[24];
    std::snprintf(start, sizeof start, ".word 0x%08X ; ", word);
    ASSERT_TRUE(Set().Text(word).starts_with(start)) << Set().Text(word);
    return;
  }
  ASSERT_EQ(Set().Text(word), manual.text);
  ASSERT_EQ(Set().LenientText(word), manual.text);
  ASSERT_EQ(Encode(*strict.instruction, strict.operands), word);
}

TEST(ManualDecoderTest, TheTableIsTheWholeSet) {
  ASSERT_EQ(ManualRows().size(), Set().instructions().size());
  std::set<std::uint32_t> opcodes;
  for (const ManualRow& row : ManualRows()) {
    ASSERT_EQ(row.encoding.size(), 32u) << row.mnemonic;
    EXPECT_TRUE(opcodes.insert(row.opcode).second) << row.mnemonic;
    EXPECT_EQ(std::stoul(row.encoding.substr(26), nullptr, 2), row.opcode) << row.mnemonic;
    const Instruction* known = Set().Find(row.mnemonic);
    ASSERT_NE(known, nullptr) << row.mnemonic;
    std::string encoding(known->encoding);
    for (char& c : encoding) c = c == '-' ? '.' : c;
    EXPECT_EQ(encoding, row.encoding) << row.mnemonic;
  }
}

TEST(ManualDecoderTest, RandomWords) {
  std::mt19937 random(1);
  for (int i = 0; i < 400'000; ++i) {
    ExpectAgreement(static_cast<std::uint32_t>(random()));
    if (HasFatalFailure()) return;
  }
}

// Words of each instruction with and without unused bits, legal and reserved values.
TEST(ManualDecoderTest, RandomWordsOfEachInstruction) {
  std::mt19937 random(2);
  for (const ManualRow& row : ManualRows()) {
    for (int i = 0; i < 3'000; ++i) {
      auto word = static_cast<std::uint32_t>(random());
      for (std::size_t bit = 0; bit < 32; ++bit) {
        const std::uint32_t mask = 1u << (31 - bit);
        const char c = row.encoding[bit];
        if (c == '0' || (c == '.' && i % 2 == 0)) word &= ~mask;
        if (c == '1') word |= mask;
      }
      ASSERT_EQ(ReadByManual(word).row, &row);
      ExpectAgreement(word);
      if (HasFatalFailure()) return;
    }
  }
}

// All values of every field of at most four bits, and the edges of the wide ones, each over a base
// of zeros, of ones and of legal values.
TEST(ManualDecoderTest, EveryFieldValue) {
  for (const ManualRow& row : ManualRows()) {
    for (const std::string& operand : row.operands) {
      if (operand == "zero") continue;
      const char letter = operand.back();
      const std::size_t last = row.encoding.rfind(letter);
      const std::size_t width = last - row.encoding.find(letter) + 1;
      const auto shift = static_cast<std::uint32_t>(31 - last);
      const std::uint32_t mask = ((1u << width) - 1) << shift;
      std::vector<std::uint32_t> values;
      for (std::uint32_t v = 0; v < 16; ++v) {
        values.push_back(v);
        if (width > 4) values.push_back((1u << width) - 1 - v);
        if (width > 4) values.push_back((1u << (width - 1)) - 8 + v);
      }
      for (const std::uint32_t filler : {0u, ~0u, 0x01041041u}) {
        std::uint32_t base = filler;
        for (std::size_t bit = 0; bit < 32; ++bit) {
          const std::uint32_t one = 1u << (31 - bit);
          if (row.encoding[bit] == '0') base &= ~one;
          if (row.encoding[bit] == '1') base |= one;
        }
        for (const std::uint32_t value : values) {
          ExpectAgreement((base & ~mask) | value << shift);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(ManualDecoderTest, EveryOpcodeAlone) {
  for (std::uint32_t opcode = 0; opcode < 64; ++opcode) {
    for (const std::uint32_t above :
         {0u, 1u << 6, 1u << 10, 1u << 14, 1u << 18, 1u << 22, 1u << 26, 1u << 31, 0xFFFFFFC0u}) {
      ExpectAgreement(opcode | above);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(ManualDecoderTest, MnemonicsAreFoundInAnyCase) {
  for (const ManualRow& row : ManualRows()) {
    std::string lower = row.mnemonic;
    std::string mixed = row.mnemonic;
    for (std::size_t i = 0; i < lower.size(); ++i) {
      lower[i] = static_cast<char>(std::tolower(lower[i]));
      if (i % 2 == 0) mixed[i] = lower[i];
    }
    const Instruction* found = Set().Find(row.mnemonic);
    EXPECT_EQ(Set().Find(lower), found);
    EXPECT_EQ(Set().Find(mixed), found);
    EXPECT_EQ(Set().IndexOf(found), static_cast<std::size_t>(&row - ManualRows().data()));
    EXPECT_EQ(Set().Find(row.mnemonic + " "), nullptr);
    EXPECT_EQ(Set().Find(row.mnemonic.substr(1)), nullptr);
  }
}

}  // namespace
}  // namespace moescope::isa
