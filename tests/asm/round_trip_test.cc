#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "asm/assembler.h"
#include "asm/disassembler.h"

// asm(dis(w)) == w and dis(asm(dis(w))) == dis(w).

namespace moescope::assembler {
namespace {

constexpr std::size_t kChunk = 1 << 16;

AssembleOptions Quiet() {
  AssembleOptions options;
  for (const std::string_view rule : AssemblerRules()) options.rules.Set(rule, RuleLevel::kOff);
  return options;
}

void ExpectIdentity(std::vector<std::uint32_t> words) {
  static const AssembleOptions kQuiet = Quiet();
  const isa::Program program = isa::ProgramFromWords(std::move(words));
  const std::string text = Disassemble(program);
  const absl::StatusOr<Assembly> assembly = Assemble(text, "dis.asm", kQuiet);
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  ASSERT_EQ(assembly->program.words, program.words);
  ASSERT_EQ(Disassemble(assembly->program), text);
}

// Collects words and checks them by the chunk.
class Checker {
 public:
  ~Checker() { Flush(); }
  void Add(std::uint32_t word) {
    words_.push_back(word);
    if (words_.size() == kChunk) Flush();
  }
  std::uint64_t count() const { return count_ + words_.size(); }

 private:
  void Flush() {
    if (words_.empty()) return;
    count_ += words_.size();
    ExpectIdentity(std::move(words_));
    words_.clear();
  }
  std::vector<std::uint32_t> words_;
  std::uint64_t count_ = 0;
};

TEST(RoundTripTest, RandomWords) {
  std::mt19937 random(2);
  Checker checker;
  for (int i = 0; i < 1 << 20; ++i) checker.Add(static_cast<std::uint32_t>(random()));
}

// The field that `bits` consecutive bits from `shift` on make, over a random legal base.
void Sweep(Checker& checker, std::uint32_t base, int shift, int bits, std::uint32_t step) {
  const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << bits) - 1) << shift);
  for (std::uint64_t value = 0; value < std::uint64_t{1} << bits; value += step) {
    checker.Add((base & ~mask) | static_cast<std::uint32_t>(value << shift));
  }
  checker.Add(base | mask);
}

TEST(RoundTripTest, EveryFieldOfEveryOpcode) {
  std::mt19937 random(3);
  Checker checker;
  for (std::uint32_t opcode = 0; opcode < 64; ++opcode) {
    for (int round = 0; round < 8; ++round) {
      const auto base =
          round == 0 ? opcode : (static_cast<std::uint32_t>(random()) & ~63u) | opcode;
      for (const int shift : {6, 10, 14, 18, 22, 26}) Sweep(checker, base, shift, 4, 1);
      Sweep(checker, base, 30, 2, 1);
    }
  }
}

// Immediates: all of one 18-bit and one 22-bit field, every 251st of the others.
TEST(RoundTripTest, EveryImmediate) {
  Checker checker;
  for (std::uint32_t opcode = 0; opcode < 64; ++opcode) {
    const std::uint32_t base = opcode | 1 << 6 | 2 << 10;
    Sweep(checker, base, 14, 18, opcode == 0x22 ? 1 : 251);
    Sweep(checker, base, 10, 22, 1009);
  }
  Sweep(checker, 0x25 | 1 << 6, 10, 22, 5);
}

TEST(RoundTripTest, EverySingleBitAroundCanonicalWords) {
  std::mt19937 random(4);
  Checker checker;
  const isa::InstructionSet& set = isa::InstructionSet::Builtin();
  for (const isa::Instruction& row : set.instructions()) {
    for (int round = 0; round < 20; ++round) {
      std::uint32_t word = 0;
      do {
        const isa::FixedBits bits = isa::FixedBitsOf(row.encoding);
        word = (static_cast<std::uint32_t>(random()) & ~bits.mask & ~bits.unused) | bits.match;
      } while (!set.IsCanonical(word));
      checker.Add(word);
      for (int bit = 0; bit < 32; ++bit) checker.Add(word ^ 1u << bit);
    }
  }
}

// About half an hour; run it with --gtest_also_run_disabled_tests.
TEST(RoundTripTest, DISABLED_AllWords) {
  Checker checker;
  for (std::uint64_t word = 0; word < std::uint64_t{1} << 32; ++word) {
    checker.Add(static_cast<std::uint32_t>(word));
  }
}

TEST(RoundTripTest, LenientTextKeepsTheInstruction) {
  const isa::Program program = isa::ProgramFromWords({0x80000034, 0x00000000, 0x80014821});
  EXPECT_EQ(Disassemble(program, {.lenient = true}),
            "C_BREAK\n.word 0x00000000 ; undefined\nS_ADD_INT gp0, gp2, gp5\n");
  EXPECT_EQ(Disassemble(program),
            ".word 0x80000034 ; C_BREAK (unused bits set)\n.word 0x00000000 ; undefined\n"
            ".word 0x80014821 ; S_ADD_INT gp0, gp2, gp5 (unused bits set)\n");
}

}  // namespace
}  // namespace moescope::assembler
