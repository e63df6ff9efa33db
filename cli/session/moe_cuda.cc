#include "cli/session/moe_cuda.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/session/cuda_check.h"
#include "moe/layer_names.h"

namespace moescope::session {
namespace {

constexpr moe::NumberRules kCudaRules{};

// `matrix` as CUDA stores it.
absl::StatusOr<moe::EncodedMatrix> Stored(const moe::Bf16Matrix& matrix, moe::WeightFormat format,
                                          const char* name, int expert) {
  moe::EncodedMatrix encoded =
      moe::Encode(matrix, format, moe::Orientation::kOutputMajor, kCudaRules);
  const absl::StatusOr<moe::Bf16Matrix> decoded = moe::Decode(encoded, kCudaRules);
  if (decoded.ok() && *decoded == matrix) return encoded;
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s of expert %d changes when its %s blocks run along the contraction, as CUDA stores them: "
      "the sides would compute with other weights (--set orientation=nk, --weights=bf16) [RC095]",
      name, expert, Absl(moe::Name(format))));
}

absl::StatusOr<moe::Weights> CudaWeights(const moe::GeneratedLayer& layer) {
  const moe::Layer& description = layer.compiled().layer;
  moe::Weights weights{layer.tensors(), {moe::GateUpLayout::kHalves, {}, {}}};
  for (int e = 0; e < description.shape.experts; ++e) {
    ASSIGN_OR_RETURN(const moe::ExpertMatrices expert, layer.experts().Load(e));
    const moe::Bf16Matrix gate_up = moe::JoinGateUp(expert.gate, expert.up, weights.experts.layout);
    ASSIGN_OR_RETURN(moe::EncodedMatrix first, Stored(gate_up, description.weights, "W13", e));
    ASSIGN_OR_RETURN(moe::EncodedMatrix second, Stored(expert.down, description.weights, "W2", e));
    weights.experts.gate_up.push_back(std::move(first));
    weights.experts.down.push_back(std::move(second));
  }
  return weights;
}

}  // namespace

absl::StatusOr<std::vector<moe::ComparisonRecord>> CheckGeneratedOnCuda(
    const moe::GeneratedLayer& layer, const moe::Routing& routing) {
  ASSIGN_OR_RETURN(const moe::Weights weights, CudaWeights(layer));
  return CheckOnCuda({layer.compiled().layer, weights, layer.x(), routing, layer.has_one_result()});
}

std::string WhyNotOnCuda(const std::vector<moe::ComparisonRecord>& records) {
  std::string why;
  for (const moe::ComparisonRecord& record : records) {
    if (!absl::StartsWith(record.actual, "cuda")) continue;
    if (record.metrics.has_value()) return "";
    why = record.skipped;
  }
  return why;
}

}  // namespace moescope::session
