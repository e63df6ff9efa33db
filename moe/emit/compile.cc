#include "moe/emit/compile.h"

#include <cstddef>
#include <utility>

#include "base/status.h"
#include "moe/emit/activation_emit.h"
#include "moe/emit/combine_emit.h"
#include "moe/emit/emission.h"
#include "moe/emit/gather.h"
#include "moe/emit/projection.h"
#include "moe/emit/router_emit.h"
#include "moe/emit/rows.h"
#include "moe/emit/shared_emit.h"

namespace moescope::moe {
namespace {

// The formats of the weights, BF16 everywhere else, and one tile or one row group per transfer.
emulator::MachineDescription MachineFor(emulator::MachineDescription machine, const Layer& layer) {
  machine.formats.matrix_weight = FormatOf(layer.weights);
  machine.formats.matrix_kv = isa::Plain(isa::kBf16);
  machine.formats.vector_activation = isa::Plain(isa::kBf16);
  machine.formats.vector_kv = isa::Plain(isa::kBf16);
  machine.rows = {machine.shape.mlen, machine.shape.blen, machine.shape.blen};
  return machine;
}

// INPUT belongs to the model; between PRE and POST the lowering chooses.
Layer EffectiveLayer(Layer layer, const Lowering& lowering) {
  if (layer.weighting == Weighting::kInput) return layer;
  layer.weighting =
      lowering.weighting == ProgramWeighting::kPre ? Weighting::kPre : Weighting::kPost;
  return layer;
}

void EmitGather(Emission& emission, const Slot& slot) {
  if (emission.lowering.gather == GatherSource::kHbm) {
    EmitGatherHbm(emission, slot);
  } else {
    EmitGatherVram(emission, slot);
  }
  if (emission.layer.weighting != Weighting::kInput) return;
  for (std::size_t row = 0; row < slot.pairs.size(); ++row) {
    EmitScaleRows(emission,
                  {slot.gather, static_cast<std::uint32_t>(row),
                   emission.map.weights + static_cast<std::uint32_t>(slot.pairs[row])},
                  OfPair(stages::kGather, slot, row));
  }
}

// Gate, up, activation, down and route weight of one slot.
void EmitExpert(Emission& emission, const Slot& slot) {
  const ProgramMap& map = emission.map;
  const auto gate_base = emission.builder.ar().Take();
  const auto up_base = emission.builder.ar().Take();
  const auto down_base = emission.builder.ar().Take();
  EmitMatrix(emission, {map.gate, slot.gather, slot.gate, slot.temp, slot.rows, &slot, gate_base});
  EmitMatrix(emission, {map.up, slot.gather, slot.up, slot.temp, slot.rows, &slot, up_base});
  const stages::Attribution bias = OfSlot(stages::kExpertBias, slot);
  if (emission.layer.expert_bias) {
    EmitRowBias(emission, {slot, slot.gate, map.gate_bias}, bias);
    EmitRowBias(emission, {slot, slot.up, map.up_bias}, bias);
  }
  EmitActivation(emission, {slot.gate, slot.up, slot.scratch, slot.rows},
                 OfSlot(stages::kExpertActivation, slot));
  if (emission.layer.weighting == Weighting::kPre) EmitRouteWeights(emission, {slot, slot.up});
  EmitMatrix(emission, {map.down, slot.up, slot.out, slot.temp, slot.rows, &slot, down_base});
  if (emission.layer.expert_bias) EmitRowBias(emission, {slot, slot.out, map.down_bias}, bias);
  if (emission.layer.weighting == Weighting::kPost) EmitRouteWeights(emission, {slot, slot.out});
}

// Combine order is token-major, rank order, whatever the order of the slots: grouped slots are
// therefore added after all of them are done.
void EmitSlots(Emission& emission) {
  const bool grouped = emission.lowering.reuse == Reuse::kGroup;
  std::vector<std::pair<const Slot*, std::size_t>> rows(
      static_cast<std::size_t>(emission.map.tokens) *
          static_cast<std::size_t>(emission.layer.shape.top_k),
      {nullptr, 0});
  for (const Slot& slot : emission.map.slots) {
    EmitGather(emission, slot);
    EmitExpert(emission, slot);
    for (std::size_t row = 0; row < slot.pairs.size(); ++row) {
      if (!grouped) EmitScatterAdd(emission, slot, row);
      rows[static_cast<std::size_t>(slot.pairs[row])] = {&slot, row};
    }
  }
  if (!grouped) return;
  for (const auto& [slot, row] : rows) {
    if (slot != nullptr) EmitScatterAdd(emission, *slot, row);
  }
}

void EmitLayer(Emission& emission) {
  const ProgramMap& map = emission.map;
  if (map.tokens == 0) {
    emission.builder.Unattributed().Emit<"S_ADDI_INT">(kGp0, kGp0, 0);
    return;
  }
  if (map.loads_x) EmitLoadRows(emission, {map.x, map.hbm_x, map.token_rows});
  EmitResidualSetup(emission);
  if (map.router.has_value()) EmitRouter(emission);
  EmitAccumulatorInit(emission);
  EmitSlots(emission);
  if (map.shared.has_value()) {
    EmitSharedExpert(emission);
    if (emission.layer.shared->gate) EmitSharedGate(emission);
    EmitSharedCombine(emission);
  }
  EmitResidualAdd(emission);
  EmitStoreRows(emission, {map.accumulator, map.hbm_y, map.token_rows});
}

}  // namespace

absl::StatusOr<CompiledLayer> Compile(const Layer& layer, const CompileRouting& routing,
                                      const emulator::MachineDescription& machine,
                                      const Lowering& lowering, const std::string& header) {
  CompiledLayer compiled{.layer = EffectiveLayer(layer, lowering),
                         .lowering = lowering,
                         .machine = MachineFor(machine, layer)};
  if (routing.fixed != nullptr) compiled.fixed = *routing.fixed;
  ASSIGN_OR_RETURN(compiled.map, MapProgram({compiled.layer, compiled.lowering, compiled.machine,
                                             routing.tokens, routing.fixed}));
  const emulator::Shape& shape = machine.shape;
  assembler::Builder builder({.file = "layer.asm",
                              .header = header,
                              .stated_shape = {shape.mlen, shape.blen, shape.vlen, shape.hlen}});
  Emission emission{builder, compiled.map, compiled.layer, compiled.lowering};
  EmitLayer(emission);
  compiled.built = builder.Finish();
  return compiled;
}

}  // namespace moescope::moe
