#include "moe/generated_layer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/status.h"
#include "isa/bfloat16.h"
#include "moe/reference/reference.h"

namespace moescope::moe {
namespace {

using Space = NamedOutput::Space;

// Row r of a matrix as a matrix of its own.
VramMatrix RowOf(VramMatrix matrix, std::size_t row) {
  matrix.base = matrix.Row(0, static_cast<std::uint32_t>(row));
  return matrix;
}

NamedOutput TokenRows(std::string name, const VramMatrix& place, const Bf16Matrix& expected) {
  NamedOutput output{.name = std::move(name), .expected = expected};
  for (std::int64_t t = 0; t < expected.rows; ++t) {
    output.rows.push_back(RowOf(place, static_cast<std::size_t>(t)));
  }
  return output;
}

NamedOutput FpWords(std::string name, std::uint32_t address, std::vector<std::uint16_t> values) {
  NamedOutput output{.name = std::move(name), .space = Space::kFp, .address = address};
  output.expected.rows = 1;
  output.expected.columns = static_cast<std::int64_t>(values.size());
  output.expected.values = std::move(values);
  return output;
}

void AddRouting(const CompiledLayer& compiled, const reference::StepwiseOutputs& twin,
                std::vector<NamedOutput>& outputs) {
  const ProgramMap& map = compiled.map;
  if (!map.router.has_value()) return;
  NamedOutput logits{.name = "logits", .expected = twin.logits};
  for (std::uint32_t t = 0; t < map.tokens; ++t) {
    const std::uint32_t base = map.router->logits + t * map.router->logit_blocks * map.m;
    logits.rows.push_back({base, 1, map.router->logit_blocks, map.m});
  }
  outputs.push_back(std::move(logits));
  NamedOutput ids{.name = "ids", .space = Space::kInt, .address = map.ids};
  ids.words.assign(twin.routing.topk_idx.begin(), twin.routing.topk_idx.end());
  outputs.push_back(std::move(ids));
  std::vector<std::uint16_t> weights;
  for (const float weight : twin.routing.topk_w) weights.push_back(isa::FloatToBf16(weight));
  outputs.push_back(FpWords("weights", map.weights, std::move(weights)));
}

// Rows of the live pairs, pairs ascending.
NamedOutput PairRows(std::string name, const CompiledLayer& compiled, VramMatrix Slot::*place,
                     const Bf16Matrix& expected) {
  std::vector<std::pair<std::int64_t, VramMatrix>> rows;
  for (const Slot& slot : compiled.map.slots) {
    for (std::size_t row = 0; row < slot.pairs.size(); ++row) {
      rows.emplace_back(slot.pairs[row], RowOf(slot.*place, row));
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  NamedOutput output{.name = std::move(name)};
  output.expected = Bf16Matrix(static_cast<std::int64_t>(rows.size()), expected.columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto source = expected.Row(rows[i].first);
    std::copy(source.begin(), source.end(),
              output.expected.Row(static_cast<std::int64_t>(i)).begin());
    output.rows.push_back(rows[i].second);
  }
  return output;
}

}  // namespace

absl::StatusOr<GeneratedLayer> GeneratedLayer::Make(const LayerRequest& request,
                                                    const emulator::MachineDescription& machine,
                                                    const std::string& header,
                                                    std::optional<Routing> routing) {
  GeneratedLayer layer;
  layer.request_ = request;
  if (request.fixed && !routing.has_value()) {
    const LayerShape& shape = request.layer.shape;
    ASSIGN_OR_RETURN(routing,
                     GenerateRouting(request.workload, {request.tokens, shape.top_k, shape.experts},
                                     request.seed));
    // Powers of two keep the saturated fixtures exact.
    for (std::size_t pair = 0; pair < routing->topk_w.size(); ++pair) {
      const bool live = routing->topk_idx[pair] >= 0;
      if (request.values == Values::kSaturated && live) routing->topk_w[pair] = 1.0f;
    }
  }
  ASSIGN_OR_RETURN(layer.compiled_,
                   Compile(request.layer, {request.tokens, request.fixed ? &*routing : nullptr},
                           machine, request.lowering, header));
  const CompiledLayer& compiled = *layer.compiled_;
  const emulator::Dialect& dialect = compiled.machine.dialect;
  layer.tensors_ = SeededTensors(compiled.layer, request.seed, request.values);
  layer.x_ = SeededHidden(compiled.layer, request.tokens, request.seed, request.values);
  layer.norm_weight_ =
      NormalMatrix(request.seed, Stream::kNormWeight, 0, 1, compiled.layer.shape.hidden, 1.0f)
          .values;
  layer.experts_ = std::make_unique<SeededExperts>(
      compiled.layer, request.seed, request.lowering.orientation,
      NumberRules{dialect.convention, dialect.scale_rule}, request.values);
  return layer;
}

bool GeneratedLayer::has_one_result() const {
  const Layer& layer = request_.layer;
  const bool swiglu = layer.activation == Activation::kSwiglu;
  if (!swiglu && layer.activation != Activation::kGptOss) return false;
  // The sigmoid is 1 from these gates on.
  const float saturated = swiglu ? 17.0f : 7.0f;
  if (layer.clamp.has_value() && *layer.clamp < saturated) return false;
  const bool gated = layer.shared.has_value() && layer.shared->gate;
  return request_.values == Values::kSaturated && request_.fixed && !gated &&
         request_.lowering.residual == Residual::kNone;
}

ImageInputs GeneratedLayer::images() const {
  const bool norm = request_.lowering.residual == Residual::kNorm;
  return {tensors_, *experts_, x_, norm ? &norm_weight_ : nullptr};
}

absl::StatusOr<reference::StepwiseOutputs> GeneratedLayer::Machine() const {
  return reference::Stepwise({compiled_->layer, compiled_->map.plan, tensors_, *experts_, x_,
                              compiled_->fixed.has_value() ? &*compiled_->fixed : nullptr,
                              &norm_weight_});
}

absl::StatusOr<Bf16Matrix> GeneratedLayer::FusedOutput(const Routing& routing, int tile) const {
  ASSIGN_OR_RETURN(
      reference::ForwardOutputs outputs,
      reference::Forward({compiled_->layer, tensors_, *experts_, x_, routing}, {.tile = tile}));
  return std::move(outputs.y);
}

std::vector<NamedOutput> NamedOutputs(const CompiledLayer& compiled,
                                      const reference::StepwiseOutputs& twin) {
  std::vector<NamedOutput> outputs;
  AddRouting(compiled, twin, outputs);
  outputs.push_back(PairRows("gate", compiled, &Slot::gate, twin.gate));
  outputs.push_back(PairRows("hidden", compiled, &Slot::up, twin.hidden));
  outputs.push_back(PairRows("slot", compiled, &Slot::out, twin.slot));
  if (compiled.map.shared.has_value()) {
    if (!twin.sigma.empty()) {
      outputs.push_back(FpWords("sigma", compiled.map.shared->sigma, twin.sigma));
    }
    outputs.push_back(TokenRows("shared", compiled.map.shared->out, twin.shared));
  }
  outputs.push_back(TokenRows("y", compiled.map.accumulator, twin.y));
  return outputs;
}

}  // namespace moescope::moe
