#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "asm/assembler.h"
#include "emulator/event.h"
#include "emulator/machine.h"
#include "emulator/machine_check.h"
#include "emulator/run.h"
#include "emulator/state/machine_state.h"
#include "isa/bfloat16.h"
#include "isa/instruction_set.h"

namespace moescope::test {

// Mnemonics that any run of this test program executed.
inline std::set<std::string>& ExecutedMnemonics() {
  static std::set<std::string> mnemonics;
  return mnemonics;
}

class ExecutionRecorder : public emulator::Listener {
 public:
  void OnBegin(const emulator::RunDescription& d) override { program_ = d.program; }
  void OnAccepted(const emulator::Accepted& e) override {
    const isa::Decoded decoded = isa::InstructionSet::Builtin().Decode(program_->words[e.pc]);
    ExecutedMnemonics().insert(std::string(decoded.instruction->mnemonic));
    pcs.push_back(e.pc);
  }
  std::vector<std::uint32_t> pcs;  // in order of execution

 private:
  const isa::Program* program_ = nullptr;
};

// MLEN = VLEN = 4, BLEN 2, two heads of 2 lanes, B 2; small memories, blocks of 4 elements.
inline emulator::MachineDescription SmallMachine() {
  emulator::MachineDescription machine;
  machine.name = "small";
  machine.shape = {.mlen = 4, .blen = 2, .vlen = 4, .hlen = 2, .broadcast = 2};
  machine.memory = {
      .hbm_bytes = 65536, .matrix_rows = 16, .vector_rows = 64, .int_words = 64, .fp_words = 64};
  machine.rows = {.matrix_prefetch = 4, .vector_prefetch = 2, .vector_store = 2};
  machine.formats.matrix_weight = isa::Mx(isa::kE4M3, 4);
  machine.formats.matrix_kv = isa::Plain(isa::kBf16);
  machine.formats.vector_activation = isa::Mx(isa::kE4M3, 4);
  machine.formats.vector_kv = isa::Plain(isa::kBf16);
  return machine;
}

inline isa::Program AssembleText(std::string_view text) {
  absl::StatusOr<assembler::Assembly> assembly = assembler::Assemble(text, "test.asm");
  EXPECT_TRUE(assembly.ok()) << assembly.status().message();
  return assembly.ok() ? assembly->program : isa::Program{};
}

// A machine that programs run on one after the other.
class MachineFixture : public testing::Test {
 protected:
  explicit MachineFixture(emulator::MachineDescription description = SmallMachine())
      : machine(std::move(description)) {
    Reset();
  }

  // Call after a change of `machine`.
  void Reset() {
    ASSERT_EQ(emulator::CheckMachine(machine).message(), "");
    state = std::make_unique<emulator::MachineState>(machine);
  }

  // Runs to the end of the run, whatever it is, from pc 0 on the present state.
  emulator::RunEnd Run(std::string_view text) { return Run(AssembleText(text)); }
  emulator::RunEnd Run(const isa::Program& program) {
    state->pc = 0;
    recorder.pcs.clear();
    emulator::Listener* listeners[] = {&recorder};
    return emulator::Run(program, machine, *state, nullptr, listeners, options);
  }
  // The same for a program that must end.
  void Execute(std::string_view text) {
    const emulator::RunEnd end = Run(text);
    EXPECT_TRUE(end.complete()) << Name(end.reason) << " "
                                << (end.fault ? end.fault->id + " " + end.fault->text : "");
  }

  std::uint32_t Gp(int reg) const { return state->registers.gp[static_cast<std::size_t>(reg)]; }
  isa::Bf16 FpBits(int reg) const { return state->registers.fp[static_cast<std::size_t>(reg)]; }
  float Fp(int reg) const { return isa::Bf16ToFloat(FpBits(reg)); }
  void SetFp(int reg, float value) {
    state->registers.fp[static_cast<std::size_t>(reg)] = isa::FloatToBf16(value);
  }

  void SetRow(std::uint64_t row, const std::vector<float>& lanes) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      state->vram.Write(row)[i] = isa::FloatToBf16(lanes[i]);
    }
  }
  void SetRowBits(std::uint64_t row, const std::vector<isa::Bf16>& lanes) {
    std::copy(lanes.begin(), lanes.end(), state->vram.Write(row));
  }
  std::vector<float> Row(std::uint64_t row) const {
    std::vector<float> lanes;
    for (const isa::Bf16 lane : RowBits(row)) lanes.push_back(isa::Bf16ToFloat(lane));
    return lanes;
  }
  std::vector<isa::Bf16> RowBits(std::uint64_t row) const {
    const isa::Bf16* lanes = state->vram.Read(row);
    return {lanes, lanes + machine.shape.vlen};
  }
  void SetTile(std::uint64_t tile, const std::vector<float>& elements) {
    std::copy(elements.begin(), elements.end(), state->mram.Write(tile));
  }

  emulator::MachineDescription machine;
  emulator::RunOptions options;
  std::unique_ptr<emulator::MachineState> state;
  ExecutionRecorder recorder;
};

inline constexpr isa::Bf16 kNan = isa::kBf16Nan;
inline isa::Bf16 Bits(float value) { return isa::FloatToBf16(value); }

}  // namespace moescope::test
