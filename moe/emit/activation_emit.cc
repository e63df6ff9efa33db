#include "moe/emit/activation_emit.h"

#include "moe/emit/program_constants.h"

namespace moescope::moe {
namespace {

// The passes of one activation over the rows of gate, up and scratch.
class ActivationPasses {
 public:
  ActivationPasses(Emission& emission, Writer writer, const ActivationRequest& request)
      : emission_(emission),
        writer_(writer),
        gate_{request.gate, request.rows, request.gate.blocks},
        up_{request.up, request.rows, request.gate.blocks},
        scratch_{request.scratch, request.rows, request.gate.blocks} {}

  void Run() {
    Clamp();
    switch (emission_.layer.activation) {
      case Activation::kSwiglu:
        Sigmoid(-1.0f);
        break;
      case Activation::kGptOss:
        Sigmoid(kGptOssSlope);
        WithConstant(1.0f, up_, up_, isa::Op("V_ADD_VF"));
        break;
      default:
        GeluTanh();
        break;
    }
    Together(up_, gate_, isa::Op("V_MUL_VV"));
  }

 private:
  // to = op(from, constant), row by row.
  void WithConstant(float constant, const RowRange& to, const RowRange& from,
                    isa::InstructionIndex op) {
    const FpLoan value = emission_.TakeFp();
    {
      const GpLoan address = emission_.TakeGp();
      writer_.LoadConstant(address, emission_.map.Constant(constant));
      writer_.Emit<"S_LD_FP">(value, address, 0);
    }
    RowWalk walk(emission_, writer_, {to, from});
    walk.Run([&] { writer_.Emit(op, {walk.pointer(0), walk.pointer(1), value, 0u}); });
  }
  void Function(const RowRange& rows, isa::InstructionIndex op) {
    RowWalk walk(emission_, writer_, {rows});
    walk.Run([&] { writer_.Emit(op, {walk.pointer(0), walk.pointer(0), 0u}); });
  }
  // to = op(to, with).
  void Together(const RowRange& to, const RowRange& with, isa::InstructionIndex op) {
    RowWalk walk(emission_, writer_, {to, with});
    walk.Run([&] { writer_.Emit(op, {walk.pointer(0), walk.pointer(0), walk.pointer(1), 0u}); });
  }

  void Clamp() {
    if (!emission_.layer.clamp.has_value()) return;
    const float limit = *emission_.layer.clamp;
    WithConstant(limit, gate_, gate_, isa::Op("V_MIN_VF"));
    WithConstant(limit, up_, up_, isa::Op("V_MIN_VF"));
    WithConstant(-limit, up_, up_, isa::Op("V_MAX_VF"));
  }

  // gate *= 1 / (1 + exp(slope * gate)).
  void Sigmoid(float slope) {
    WithConstant(slope, scratch_, gate_, isa::Op("V_MUL_VF"));
    Function(scratch_, isa::Op("V_EXP_V"));
    WithConstant(1.0f, scratch_, scratch_, isa::Op("V_ADD_VF"));
    Function(scratch_, isa::Op("V_RECI_V"));
    Together(gate_, scratch_, isa::Op("V_MUL_VV"));
  }

  // gate = 0.5 gate (1 + tanh(z)), z = slope (gate + cubic gate^3), tanh(z) = 1 - 2/(exp(2z) + 1).
  void GeluTanh() {
    WithConstant(kGeluCubic, scratch_, gate_, isa::Op("V_MUL_VF"));
    Together(scratch_, gate_, isa::Op("V_MUL_VV"));
    Together(scratch_, gate_, isa::Op("V_MUL_VV"));
    Together(scratch_, gate_, isa::Op("V_ADD_VV"));
    WithConstant(kGeluSlope, scratch_, scratch_, isa::Op("V_MUL_VF"));
    WithConstant(2.0f, scratch_, scratch_, isa::Op("V_MUL_VF"));
    Function(scratch_, isa::Op("V_EXP_V"));
    WithConstant(1.0f, scratch_, scratch_, isa::Op("V_ADD_VF"));
    Function(scratch_, isa::Op("V_RECI_V"));
    WithConstant(-2.0f, scratch_, scratch_, isa::Op("V_MUL_VF"));
    WithConstant(1.0f, scratch_, scratch_, isa::Op("V_ADD_VF"));
    WithConstant(1.0f, scratch_, scratch_, isa::Op("V_ADD_VF"));
    WithConstant(0.5f, gate_, gate_, isa::Op("V_MUL_VF"));
    Together(gate_, scratch_, isa::Op("V_MUL_VV"));
  }

  Emission& emission_;
  Writer writer_;
  RowRange gate_, up_, scratch_;
};

}  // namespace

void EmitRowBias(Emission& emission, const RowBiasRequest& request, const stages::Attribution& at) {
  CheckStage(at, {stages::kExpertBias, stages::kSharedExpert});
  Writer writer = emission.builder.In(at);
  const std::uint32_t m = emission.m();
  const GpLoan id = emission.TakeGp();
  const GpLoan offset = emission.TakeGp();
  const GpLoan bias = emission.TakeGp();
  const GpLoan row_address = emission.TakeGp();
  writer.LoadConstant(id,
                      emission.map.ids + static_cast<std::uint32_t>(request.slot.pairs.front()));
  writer.Emit<"S_LD_INT">(id, id, 0);
  // The table is column-block-major: one row per expert in each block.
  writer.LoadConstant(offset, m);
  writer.Emit<"S_MUL_INT">(offset, id, offset);
  const auto experts = static_cast<std::uint32_t>(emission.layer.shape.experts);
  for (std::uint32_t block = 0; block < request.matrix.blocks; ++block) {
    writer.LoadConstant(bias, request.table + block * experts * m);
    writer.Emit<"S_ADD_INT">(bias, bias, offset);
    for (std::uint32_t row = 0; row < request.slot.rows; ++row) {
      writer.LoadConstant(row_address, request.matrix.Row(block, row));
      writer.Emit<"V_ADD_VV">(row_address, row_address, bias, 0);
    }
  }
}

void EmitActivation(Emission& emission, const ActivationRequest& request,
                    const stages::Attribution& at) {
  CheckStage(at, {stages::kExpertActivation, stages::kSharedExpert});
  ActivationPasses(emission, emission.builder.In(at), request).Run();
}

}  // namespace moescope::moe
