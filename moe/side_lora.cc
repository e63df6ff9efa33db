#include "moe/side_lora.h"

#include <cmath>
#include <string_view>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"

namespace moescope::moe {
namespace {

absl::Status HasShape(std::string_view name, const Bf16Matrix& factor, std::int64_t rows,
                      std::int64_t columns) {
  if (factor.rows == rows && factor.columns == columns &&
      factor.values.size() == static_cast<std::size_t>(rows * columns)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("side-LoRA factor %s: expected bfloat16 [%d,%d], got [%d,%d] [RC042]",
                      Absl(name), rows, columns, factor.rows, factor.columns));
}

absl::Status HaveShape(std::string_view name, const std::vector<Bf16Matrix>& factors,
                       std::size_t experts, std::int64_t rows, std::int64_t columns) {
  if (factors.size() != experts) {
    return absl::InvalidArgumentError(
        absl::StrFormat("side-LoRA factor %s: expected %d experts, got %d [RC042]", Absl(name),
                        experts, factors.size()));
  }
  for (const Bf16Matrix& factor : factors) {
    RETURN_IF_ERROR(HasShape(name, factor, rows, columns));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Check(const SideLora& lora, const Layer& layer) {
  if (layer.weighting != Weighting::kPre) {
    return absl::InvalidArgumentError("side-LoRA needs weighting PRE [RC040]");
  }
  if (lora.rank < 1 || lora.rank > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrFormat("side-LoRA rank = %d: must be 1 to %d [RC041]", lora.rank, kMaxRank));
  }
  if (!std::isfinite(lora.scale)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("side-LoRA scale = %g: must be finite [RC041]", lora.scale));
  }
  const int h = layer.shape.hidden;
  const int i = layer.shape.intermediate;
  const auto experts = static_cast<std::size_t>(layer.shape.experts);
  RETURN_IF_ERROR(HasShape("A1", lora.a1, lora.rank, h));
  RETURN_IF_ERROR(HasShape("A3", lora.a3, lora.rank, h));
  RETURN_IF_ERROR(HasShape("B2", lora.b2, h, lora.rank));
  RETURN_IF_ERROR(HaveShape("B1", lora.b1, experts, i, lora.rank));
  RETURN_IF_ERROR(HaveShape("B3", lora.b3, experts, i, lora.rank));
  return HaveShape("A2", lora.a2, experts, lora.rank, i);
}

absl::Status Check(const Wave& wave, const Layer& layer, std::int64_t tokens) {
  if (wave.policy != kWavePolicy) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "wave policy '%s' is unknown; known: %s [RC043]", wave.policy, kWavePolicy));
  }
  std::int64_t next = 0;
  for (std::size_t root = 0; root < wave.roots.size(); ++root) {
    const WaveRoot& range = wave.roots[root];
    if (range.first_token != next) {
      return absl::InvalidArgumentError(absl::StrFormat("root %d starts at %d, expected %d [RC044]",
                                                        root, range.first_token, next));
    }
    if (range.tokens < 0 || range.tokens > tokens - next) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "root %d has %d tokens, %d are left [RC044]", root, range.tokens, tokens - next));
    }
    next += range.tokens;
    RETURN_IF_ERROR(Check(range.lora, layer));
  }
  if (next != tokens) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the roots cover %d of %d tokens [RC044]", next, tokens));
  }
  return absl::OkStatus();
}

}  // namespace moescope::moe
