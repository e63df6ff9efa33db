#include "emulator/execute/executor.h"

#include <cmath>

namespace moescope::emulator {

namespace {

isa::RowCodec Codec(const MachineDescription& machine, const isa::TensorFormat& format) {
  return {format, machine.dialect.convention, machine.dialect.scale_rule};
}

}  // namespace

Executor::Executor(const MachineDescription& machine, MachineState& state,
                   const ExecutorOptions& options)
    : machine_(machine),
      state_(state),
      vlen_(machine.shape.vlen),
      tile_elements_(std::uint64_t{machine.shape.mlen} * machine.shape.mlen),
      mlen_(machine.shape.mlen),
      blen_(machine.shape.blen),
      hlen_(machine.shape.hlen),
      heads_(machine.shape.vlen / machine.shape.hlen),
      broadcast_(machine.shape.broadcast),
      bmm_scale_(BmmScale(machine)),
      kernel_(SelectMatrixKernel(options.fused_multiply)),
      matrix_codecs_{Codec(machine, machine.formats.matrix_weight),
                     Codec(machine, machine.formats.matrix_kv)},
      vector_codecs_{Codec(machine, machine.formats.vector_activation),
                     Codec(machine, machine.formats.vector_kv)},
      effects_(options.record_effects),
      shadow_(options.sanitize, machine, state),
      result_(machine.shape.vlen),
      lanes_(machine.shape.vlen) {}

isa::Step Executor::Fail(const FaultKind& kind, std::string text, std::string hint) {
  fault_ = FaultText{kind, std::move(text), std::move(hint)};
  return isa::Step::kFault;
}

void Executor::SetGp(std::uint8_t reg, std::uint32_t value) {
  if (reg == 0) return;
  state_.registers.gp[reg] = value;
  effects_.Note(Effect::Kind::kIntegerRegister, reg, value);
}

void Executor::SetFp(std::uint8_t reg, isa::Bf16 value) {
  if (reg == 0) return;
  state_.registers.fp[reg] = value;
  effects_.Note(Effect::Kind::kFpRegister, reg, value);
}

void Executor::RecordRead(int operand, const RowRequest& request) {
  Touch().vram_read[operand] = {static_cast<std::uint32_t>(request.row),
                                static_cast<std::uint32_t>(request.count), 1};
}

void Executor::RecordWrite(std::uint64_t row, std::uint64_t count, std::uint64_t stride) {
  Touch().vram_write = {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(count),
                        static_cast<std::uint32_t>(stride)};
  if (!effects_.enabled()) [[likely]]
    return;
  if (stride == 1) {
    effects_.NoteRange(Effect::Kind::kVectorRows, row, row + count - 1);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    effects_.NoteRange(Effect::Kind::kVectorRows, row + i * stride, row + i * stride);
  }
}

void Executor::MarkRowsWritten(std::uint64_t row, std::uint64_t count) {
  if (!shadow_.enabled()) [[likely]]
    return;
  for (std::uint64_t i = 0; i < count; ++i) shadow_.WriteVram(row + i, 0, vlen_.size());
}

}  // namespace moescope::emulator
