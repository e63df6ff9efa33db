#include <gtest/gtest.h>

#include <random>

#include "asm/assembler.h"
#include "asm/builder.h"
#include "isa/container.h"
#include "isa/instruction_set.h"

// Random programs through the Builder: the text assembles to the program, and the program is what
// was asked for.

namespace moescope::assembler {
namespace {

class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : random_(seed), builder_({.file = "random.asm"}) {}

  BuiltProgram Build() {
    for (std::size_t left = Below(20) + 1; left > 0; --left) {
      Builder::Writer writer = AnyWriter();
      if (Below(4) == 0) writer.Comment("Section " + std::to_string(left) + ".\n\xE2\x86\x92 more");
      Emit(writer, 3);
    }
    // At least one instruction.
    builder_.Unattributed().Emit<"S_ADDI_INT">(Gp(1), kGp0, 1);
    Expect(0x00004062);
    return builder_.Finish();
  }

  const std::vector<std::uint32_t>& expected() const { return expected_; }

 private:
  std::size_t Below(std::size_t limit) { return random_() % limit; }

  Builder::Writer AnyWriter() {
    constexpr stages::Stage kStages[] = {stages::kGather, stages::kExpertProjection,
                                         stages::kRouterTopk, stages::kSharedExpert};
    if (Below(5) == 0) return builder_.Unattributed();
    stages::Attribution attribution{kStages[Below(std::size(kStages))]};
    if (Below(2) == 0) attribution.pair = static_cast<std::uint32_t>(Below(8));
    if (Below(3) == 0) attribution.expert = static_cast<std::uint32_t>(Below(128));
    return builder_.In(attribution);
  }

  void Expect(std::uint32_t word) { expected_.push_back(word); }

  void Emit(Builder::Writer& writer, int depth) {
    for (std::size_t left = Below(5) + 1; left > 0; --left) {
      const std::size_t choice = Below(10);
      if (choice == 0 && depth > 0 && free_counter_ < 16) {
        const unsigned counter = free_counter_++;
        const auto count = static_cast<std::uint32_t>(Below(100) + 1);
        Expect(0x2F | counter << 6 | count << 10);
        writer.Repeat(Gp(counter), count, [&] { Emit(writer, depth - 1); });
        Expect(0x30 | counter << 6);
        --free_counter_;
      } else if (choice == 1 && !in_region_) {
        in_region_ = true;
        const Builder::Region region = writer.Nested(stages::kExpertBias);
        Emit(writer, depth - 1);
        in_region_ = false;
      } else {
        AnyInstruction(writer);
      }
    }
  }

  // A random legal word of a random row that leaves the loop counters alone.
  void AnyInstruction(Builder::Writer& writer) {
    const auto op = static_cast<isa::InstructionIndex>(Below(isa::kInstructionCount));
    const isa::Instruction& row = isa::kInstructions[op];
    if (row.group == isa::Group::kInt || row.mnemonic == "C_BREAK") return;
    isa::Operands values;
    std::vector<AnyOperand> given;
    for (const isa::Operand& operand : row.operands) {
      if (operand.field == '\0') continue;
      const isa::OperandTraits traits = isa::TraitsOf(operand.kind);
      std::uint32_t value = 0;
      do {
        const std::uint32_t end = traits.file == isa::RegisterFile::kNone ? traits.largest + 1 : 8;
        value = static_cast<std::uint32_t>(Below(end));
      } while (!isa::IsLegalValue(operand.kind, value));
      isa::SetOperandValue(values, operand.field, value);
      AnyOperand any(value);
      any.file = traits.file;
      given.push_back(any);
    }
    Expect(isa::Encode(row, values));
    EmitAll(writer, op, given);
  }

  static void EmitAll(Builder::Writer& writer, isa::InstructionIndex op,
                      const std::vector<AnyOperand>& g) {
    switch (g.size()) {
      case 1:
        return writer.Emit(op, {g[0]});
      case 2:
        return writer.Emit(op, {g[0], g[1]});
      case 3:
        return writer.Emit(op, {g[0], g[1], g[2]});
      case 4:
        return writer.Emit(op, {g[0], g[1], g[2], g[3]});
      default:
        return writer.Emit(op, {g[0], g[1], g[2], g[3], g[4]});
    }
  }

  std::mt19937 random_;
  Builder builder_;
  std::vector<std::uint32_t> expected_;
  unsigned free_counter_ = 8;
  bool in_region_ = false;
};

TEST(BuilderPropertyTest, TextAndContainerGiveTheProgramBack) {
  std::size_t words = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    RandomProgram random(seed);
    const BuiltProgram built = random.Build();
    ASSERT_EQ(built.program.words, random.expected());
    const absl::StatusOr<Assembly> assembly = Assemble(built.text, "random.asm");
    ASSERT_TRUE(assembly.ok()) << assembly.status() << built.text;
    ASSERT_EQ(assembly->program, built.program) << built.text;
    const auto read = isa::ReadContainer(isa::WriteContainer(built.program), "random.moe");
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(*read, built.program);
    words += built.program.words.size();
  }
  EXPECT_GT(words, 10'000u);
}

}  // namespace
}  // namespace moescope::assembler
