#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/event.h"
#include "emulator/execute/effect_log.h"
#include "emulator/execute/fault_kind.h"
#include "emulator/execute/granule.h"
#include "emulator/execute/matrix_kernel.h"
#include "emulator/execute/shadow.h"
#include "emulator/execute/usage.h"
#include "emulator/machine.h"
#include "emulator/state/machine_state.h"
#include "emulator/timing_model.h"
#include "isa/functions.h"
#include "isa/machine.h"
#include "isa/row_codec.h"

namespace moescope::emulator {

// A fault as the verb that found it states it; where it happened is added by the run.
struct FaultText {
  FaultKind kind;
  std::string text;
  std::string hint;
};

struct ExecutorOptions {
  FusedMultiply fused_multiply = FusedMultiply::kFastest;
  bool sanitize = false;        // reads of values that nothing wrote fault (FT91x)
  bool record_effects = false;  // fill effects()
};

// The meaning of every instruction (isa.md, 4 and 5): implements the verbs of the instruction table
// on a MachineState. Checks come in the order unsupported, operand values, alignment, bounds, and
// all of them before the first write. Nothing is allocated per instruction once buffers have grown.
class Executor final : public isa::Machine {
 public:
  // The machine passed CheckMachine, and `state` was made for it.
  Executor(const MachineDescription& machine, MachineState& state, const ExecutorOptions& options);

  const MachineState& state() const { return state_; }

  // What the last instruction touched; ResetAccess makes it empty again.
  const Access& access() const { return access_; }
  void ResetAccess() {
    if (!access_used_) return;
    access_ = Access{};
    access_used_ = false;
  }
  // Experts that the last V_TOPK chose, in rank order, until forgotten.
  std::span<const std::uint32_t> chosen_experts() const { return chosen_; }
  void ForgetChosenExperts() { chosen_.clear(); }
  // The target after a verb returned kJump, the fault after kFault.
  std::uint32_t jump_target() const { return jump_target_; }
  const FaultText& fault() const { return fault_; }
  Usage& usage() { return usage_; }
  EffectLog& effects() { return effects_; }

  // States a fault that is found outside a verb.
  isa::Step Fail(const FaultKind& kind, std::string text, std::string hint = {});

  isa::Step IntegerBinary(isa::BinaryOp op, const isa::Operands& o) override;
  isa::Step IntegerAddImmediate(const isa::Operands& o) override;
  isa::Step IntegerLoadUpper(const isa::Operands& o) override;
  isa::Step IntegerLoad(const isa::Operands& o) override;
  isa::Step IntegerStore(const isa::Operands& o) override;

  isa::Step ScalarBinary(isa::BinaryOp op, const isa::Operands& o) override;
  isa::Step ScalarUnary(isa::Function function, const isa::Operands& o) override;
  isa::Step ScalarLoad(const isa::Operands& o) override;
  isa::Step ScalarStore(const isa::Operands& o) override;
  isa::Step MapScalarsToVector(const isa::Operands& o) override;

  isa::Step VectorVector(isa::BinaryOp op, const isa::Operands& o) override;
  isa::Step VectorScalar(isa::BinaryOp op, const isa::Operands& o) override;
  isa::Step VectorUnary(isa::Function function, const isa::Operands& o) override;
  isa::Step VectorShift(const isa::Operands& o) override;
  isa::Step VectorReduce(isa::Reduction reduction, const isa::Operands& o) override;
  isa::Step VectorTopK(const isa::Operands& o) override;

  isa::Step MatrixMultiply(isa::MatrixForm form, const isa::Operands& o) override;
  isa::Step MatrixVector(isa::MatrixForm form, const isa::Operands& o) override;
  isa::Step WriteOut(isa::Accumulator accumulator, const isa::Operands& o) override;

  isa::Step PrefetchMatrix(const isa::Operands& o) override;
  isa::Step PrefetchVector(const isa::Operands& o) override;
  isa::Step StoreVector(const isa::Operands& o) override;

  isa::Step SetAddressRegister(const isa::Operands& o) override;
  isa::Step SetControlRegister(isa::ControlRegister target, const isa::Operands& o) override;
  isa::Step SetTopKShape(const isa::Operands& o) override;
  isa::Step LoopStart(const isa::Operands& o) override;
  isa::Step LoopEnd(const isa::Operands& o) override;
  isa::Step Halt(const isa::Operands& o) override;

 private:
  // `count` VRAM rows from the element address gp[reg] + immediate on.
  struct RowRequest {
    std::uint8_t reg = 0;
    std::uint32_t immediate = 0;
    std::uint32_t address = 0;
    std::uint64_t count = 1;
    std::uint64_t row = 0;  // result: the first row
  };
  // `count` MRAM tiles from the one that an element address lies in.
  struct TileRequest {
    std::uint32_t address = 0;
    std::uint64_t count = 1;
    std::uint64_t tile = 0;    // result: the first tile
    std::uint64_t offset = 0;  // result: element within that tile
  };
  // Where in a tile the operand of a matrix operation may begin: at every BLEN-th row or element of
  // row 0, or at a head.
  enum class SliceRule : std::uint8_t { kRows, kElements, kHead };
  struct MatrixAddress {
    SliceRule slice = SliceRule::kRows;
    TileRequest tile;
  };
  static constexpr std::uint64_t kRowsAtOnce = 4;  // of a broadcast operation

  // Registers. Writes to gp0 and f0 are ignored.
  std::uint32_t Gp(std::uint8_t reg) const { return state_.registers.gp[reg]; }
  isa::Bf16 Fp(std::uint8_t reg) const { return state_.registers.fp[reg]; }
  void SetGp(std::uint8_t reg, std::uint32_t value);
  void SetFp(std::uint8_t reg, isa::Bf16 value);
  void WriteInt(std::uint64_t word, std::uint32_t value);
  void WriteFp(std::uint64_t word, isa::Bf16 value);

  // Checks; on false the fault is stated.
  RowRequest RowAt(std::uint8_t reg, std::uint64_t count = 1) const {
    return {.reg = reg, .address = Gp(reg), .count = count};
  }
  bool Align(RowRequest& request);
  bool Align(MatrixAddress& matrix);
  bool InBounds(const RowRequest& request);
  bool InBounds(const TileRequest& request);
  bool InBounds(const MatrixAddress& matrix) { return InBounds(matrix.tile); }
  bool InBounds(const HbmTransfer& transfer);
  // All alignments, then all bounds, each in the order given.
  template <typename... Requests>
  bool Locate(Requests&... requests) {
    return (Align(requests) && ...) && (InBounds(requests) && ...);
  }
  bool CheckMask(std::uint8_t mask);
  bool CheckBroadcastShape();
  bool CheckIntWindow(std::uint64_t first, std::uint64_t count);
  bool CheckFpWindow(std::uint64_t first, std::uint64_t count);
  bool HbmRangeExists(std::uint64_t address, std::uint64_t count);
  // Only under --sanitize: every value that will be read was written before.
  bool Initialised(const RowRequest& request) {
    return LanesInitialised(request, request.count * vlen_.size());
  }
  bool LanesInitialised(const RowRequest& request, std::uint64_t lanes);
  bool Initialised(const TileRequest& request);
  bool IntInitialised(std::uint64_t first, std::uint64_t count);
  bool FpInitialised(std::uint64_t first, std::uint64_t count);

  // VRAM rows.
  const isa::Bf16* Row(std::uint64_t row) const { return state_.vram.Read(row); }
  void RecordRead(int operand, const RowRequest& request);
  void RecordWrite(std::uint64_t row, std::uint64_t count, std::uint64_t stride = 1);
  void MarkRowsWritten(std::uint64_t row, std::uint64_t count);
  bool HeadEnabled(std::uint64_t head) const {
    return (state_.registers.vector_mask >> head & 1) != 0;
  }
  // Writes result_ to a row; under a mask, lanes of disabled heads take the bits of `source`.
  void CommitLanes(std::uint64_t row, const isa::Bf16* source, std::uint8_t mask);
  float TreeSumOf(const isa::Bf16* row, std::uint8_t mask);
  isa::Bf16 MaximumOf(isa::Bf16 start, const isa::Bf16* row, std::uint8_t mask) const;

  // Matrix operations.
  bool LocateMatrix(isa::MatrixForm form, std::uint64_t rows, const isa::Operands& o,
                    MatrixAddress& matrix, RowRequest& vectors);
  void LoadLeft(std::uint64_t row, std::uint64_t count);
  void PackTransposed(const float* tile, std::uint64_t first_row, std::uint64_t rows,
                      std::uint64_t first_column, std::uint64_t columns);
  void AccumulateSlice(isa::MatrixForm form, const MatrixAddress& m, std::uint64_t row,
                       std::uint64_t rows, float* accumulator);
  void AccumulateHeads(isa::MatrixForm form, const MatrixAddress& m, std::uint64_t row,
                       std::uint64_t rows, float* accumulator);
  isa::Step WriteOutLanes(const isa::Operands& o, std::uint64_t rows, std::vector<float>& from);
  isa::Step WriteOutRows(const isa::Operands& o, std::uint64_t rows, std::vector<float>& from);

  // HBM transfers.
  bool LocateTransfer(const isa::Operands& o, const isa::RowCodec& codec, std::uint32_t rows,
                      bool is_store, HbmTransfer& transfer);
  std::uint64_t MovedScaleBytes(const HbmTransfer& transfer, std::uint64_t address) const;
  void ReadRow(const HbmTransfer& transfer, std::uint64_t i, const isa::RowCodec& codec,
               std::span<float> values);
  void WriteRow(const HbmTransfer& transfer, std::uint64_t i, const isa::RowCodec& codec,
                const isa::Bf16* row);
  void WriteHbm(std::uint64_t address, std::span<const std::uint8_t> bytes);
  void RecordTransfer(const HbmTransfer& transfer);

  Access& Touch() {
    access_used_ = true;
    return access_;
  }

  const MachineDescription& machine_;
  MachineState& state_;
  const Granule vlen_;
  const Granule tile_elements_;  // MLEN x MLEN
  const std::uint64_t mlen_;
  const std::uint64_t blen_;
  const std::uint64_t hlen_;
  const std::uint64_t heads_;      // VLEN / HLEN
  const std::uint64_t broadcast_;  // B
  const float bmm_scale_;
  const MatrixKernel kernel_;
  const std::array<isa::RowCodec, 2> matrix_codecs_;  // by precision bit
  const std::array<isa::RowCodec, 2> vector_codecs_;

  Access access_;
  bool access_used_ = false;
  std::uint32_t jump_target_ = 0;
  FaultText fault_{fault::kUndefinedWord, {}, {}};
  Usage usage_;
  EffectLog effects_;
  Shadow shadow_;

  std::vector<isa::Bf16> result_;      // VLEN lanes
  std::vector<float> lanes_;           // VLEN lanes as f32
  std::vector<float> head_lanes_;      // HLEN lanes as f32
  std::vector<float> left_;            // rows of a matrix operation as f32
  std::vector<float> right_;           // a packed part of a tile
  std::vector<float> product_;         // outputs of a matrix kernel
  std::vector<float> logits_;          // V_TOPK
  std::vector<std::uint32_t> chosen_;  // V_TOPK
  std::vector<isa::Bf16> weights_;     // V_TOPK
  std::vector<std::uint8_t> element_bytes_;
  std::vector<std::uint8_t> scale_bytes_;
};

// "gp3" or "gp3 + 16".
std::string AddressText(std::uint8_t reg, std::uint32_t immediate);

}  // namespace moescope::emulator
