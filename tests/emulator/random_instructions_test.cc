// Random instructions on random contents: the executor against the manual written out plainly, on
// several shapes and dialects; and random words, which must end in a result or a fault.

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "emulator/execute/executor.h"
#include "emulator/run.h"
#include "isa/table.h"
#include "tests/emulator/machine_fixture.h"
#include "tests/emulator/naive_machine.h"

namespace moescope::test {
namespace {

using emulator::MachineDescription;

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(engine_()) % limit; }
  std::uint32_t Word() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

// A register value that is often a good address.
std::uint32_t AnyValue(Random& random, const MachineDescription& m) {
  const std::uint32_t mlen = m.shape.mlen;
  const std::uint32_t row = random.Below(m.memory.vector_rows + 1) * mlen;
  const std::uint32_t tile = random.Below(m.memory.matrix_rows / mlen + 1) * mlen * mlen;
  switch (random.Below(12)) {
    case 0:
      return random.Word();
    case 1:
      return tile + random.Below(mlen) * m.shape.blen;
    case 2:
      return tile + random.Below(mlen / m.shape.blen) * m.shape.blen * mlen;
    case 3:
      return random.Below(mlen / m.shape.hlen) * m.shape.hlen;
    case 4:
      return tile;
    case 5:
      return row + random.Below(mlen);
    case 6:
      return random.Below(8);
    case 7:
      return random.Below(40) << 8 | random.Below(6);
    default:
      return row;
  }
}

isa::Bf16 AnyLane(Random& random) {
  switch (random.Below(8)) {
    case 0:
      return static_cast<isa::Bf16>(random.Word());
    case 1:
      return static_cast<isa::Bf16>(random.Below(2) << 15);
    default:
      return Bits(static_cast<float>(static_cast<int>(random.Below(2001)) - 1000) / 64.0f);
  }
}

isa::Operands AnyOperands(Random& random, const isa::Instruction& row) {
  isa::Operands operands;
  for (const isa::Operand& operand : row.operands) {
    if (operand.field == '\0') continue;
    std::uint32_t value = 0;
    do {
      value = random.Below(isa::TraitsOf(operand.kind).largest + 1);
      if (operand.kind == isa::OperandKind::kImmediate18) value = random.Below(3) ? 0 : value & 15;
      if (operand.kind == isa::OperandKind::kMask && random.Below(2) == 0) value = 0;
    } while (!isa::IsLegalValue(operand.kind, value));
    isa::SetOperandValue(operands, operand.field, value);
  }
  return operands;
}

struct Variant {
  const char* name;
  void (*change)(MachineDescription&);
};

constexpr Variant kVariants[] = {
    {"small", [](MachineDescription&) {}},
    {"odd_shape",
     [](MachineDescription& m) {
       m.shape = {.mlen = 12, .blen = 3, .vlen = 12, .hlen = 4, .broadcast = 3};
       m.memory.matrix_rows = 40;
       m.memory.vector_rows = 50;
     }},
    {"wide_outputs",
     [](MachineDescription& m) {
       m.shape = {.mlen = 40, .blen = 20, .vlen = 40, .hlen = 8, .broadcast = 5};
       m.memory.matrix_rows = 120;
       m.formats.matrix_weight = isa::Mx(isa::kE2M1, 8);
       m.formats.vector_activation = isa::Mx(isa::kE3M2, 20);
       m.formats.vector_kv = isa::Plain(isa::kE5M2);
     }},
    {"no_broadcast", [](MachineDescription& m) { m.shape.broadcast = 1; }},
    {"many_heads",
     [](MachineDescription& m) {
       m.shape = {.mlen = 64, .blen = 4, .vlen = 64, .hlen = 1, .broadcast = 64};
       m.memory.matrix_rows = 64;
     }},
    {"reference",
     [](MachineDescription& m) {
       m.dialect.convention = isa::Convention::kReference;
       m.dialect.masked_reduction = emulator::MaskedReduction::kReference;
       m.dialect.scale_read = emulator::ScaleRead::kSingleBlock;
     }},
    {"uneven_transfers",
     [](MachineDescription& m) {
       m.rows = {.matrix_prefetch = 5, .vector_prefetch = 3, .vector_store = 1};
       m.dialect.scale_rule = isa::ScaleRule::kRceil;
       m.dialect.bmm_scale = 0.3f;
     }},
};

class RandomInstructions : public testing::TestWithParam<Variant> {};

TEST_P(RandomInstructions, AgreeWithTheManual) {
  MachineDescription machine = SmallMachine();
  GetParam().change(machine);
  ASSERT_EQ(emulator::CheckMachine(machine).message(), "");
  Random random(4711);
  emulator::MachineState state(machine);
  NaiveMachine naive(machine);
  for (std::size_t i = 0; i < naive.vram.size(); ++i) {
    naive.vram[i] = AnyLane(random);
    state.vram.Write(i / machine.shape.vlen)[i % machine.shape.vlen] = naive.vram[i];
  }
  for (std::uint64_t i = 0; i < 3000; ++i) {
    naive.hbm[i] = static_cast<std::uint8_t>(random.Word());
    state.hbm.Write(i, {&naive.hbm[i], 1});
  }
  emulator::Executor executor(machine, state, {});
  std::map<std::string, int> ended;
  int faults = 0;
  constexpr int kSteps = 20000;
  for (int step = 0; step < kSteps; ++step) {
    const std::uint32_t reg = 1 + random.Below(15);
    naive.r.gp[reg] = state.registers.gp[reg] = AnyValue(random, machine);
    const std::uint32_t a = random.Below(8);
    naive.r.address[a] = state.registers.address[a] = random.Below(3000);
    const isa::Instruction& row = isa::kInstructions[random.Below(isa::kInstructionCount)];
    if (row.mnemonic.starts_with("C_LOOP") || row.mnemonic == "C_BREAK") continue;
    const isa::Operands operands = AnyOperands(random, row);
    const auto expected = naive.Execute(row, operands);
    const isa::Step got = row.execute(executor, operands);
    SCOPED_TRACE(std::to_string(step) + ": " + isa::FormatInstruction(row, operands));
    ASSERT_EQ(got == isa::Step::kFault, expected.has_value())
        << (expected ? "" : executor.fault().text);
    if (expected) {
      ++faults;
      ASSERT_EQ(emulator::Name(executor.fault().kind.category), emulator::Name(*expected));
    } else {
      ++ended[std::string(row.mnemonic)];
    }
    if (step % 50 == 0 || step + 1 == kSteps) {
      ASSERT_TRUE(naive.Agrees(state));
    }
  }
  EXPECT_GT(faults, kSteps / 50);
  EXPECT_GT(ended["V_ADD_VV"] + ended["V_TOPK"], 5);
  EXPECT_GT(ended["M_MM"] + ended["M_MM_WO"], 5);
  EXPECT_GT(ended["H_PREFETCH_V"] + ended["H_STORE_V"] + ended["H_PREFETCH_M"], 5);
}

std::string VariantName(const testing::TestParamInfo<Variant>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(All, RandomInstructions, testing::ValuesIn(kVariants), VariantName);

// Any words at all: the run ends, attribution is exact, and what it ends with is complete.
TEST(RandomWords, EndInAResultOrAFault) {
  Random random(31337);
  std::map<std::string, int> reasons;
  const MachineDescription machine = SmallMachine();
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint32_t> words(1 + random.Below(200));
    for (std::uint32_t& word : words) {
      word = random.Word();
      if (random.Below(4) != 0) {  // most words decode
        const isa::Instruction& row = isa::kInstructions[random.Below(isa::kInstructionCount)];
        word = isa::Encode(row, AnyOperands(random, row));
      }
    }
    emulator::MachineState state(machine);
    for (std::uint32_t reg = 1; reg < 16; ++reg) {
      state.registers.gp[reg] = AnyValue(random, machine);
    }
    emulator::RunOptions options;
    options.limits.max_instructions = 20000;
    options.sanitize = random.Below(4) == 0;
    const emulator::RunEnd end =
        emulator::Run(isa::ProgramFromWords(words), machine, state, {}, options);
    ++reasons[std::string(emulator::Name(end.reason))];
    EXPECT_EQ(end.fault.has_value(), end.reason == emulator::EndReason::kFault);
    if (end.fault) {
      EXPECT_LT(end.fault->pc, words.size());
      EXPECT_FALSE(end.fault->id.empty());
      EXPECT_FALSE(end.fault->text.empty());
    }
  }
  EXPECT_GT(reasons["fault"], 100);
  EXPECT_GT(reasons["break"], 10);
}

}  // namespace
}  // namespace moescope::test
