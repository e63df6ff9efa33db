#include "isa/top_k.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/check.h"
#include "isa/functions.h"

namespace moescope::isa {

namespace {

float WithoutNan(float logit) {
  return std::isnan(logit) ? -std::numeric_limits<float>::infinity() : logit;
}

}  // namespace

std::uint32_t TopKKey(float logit) {
  const auto bits = std::bit_cast<std::uint32_t>(WithoutNan(logit) + 0.0F);  // -0 + 0 is +0
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000;
}

void SelectTopK(std::span<const float> logits, std::span<std::uint32_t> indices) {
  CHECK(!indices.empty() && indices.size() <= logits.size());
  // Insertion into the ranks found so far; a later index moves up only past smaller keys.
  std::size_t filled = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const std::uint32_t key = TopKKey(logits[i]);
    std::size_t rank = filled;
    while (rank > 0 && TopKKey(logits[indices[rank - 1]]) < key) --rank;
    if (rank == indices.size()) continue;
    if (filled < indices.size()) ++filled;
    for (std::size_t j = filled - 1; j > rank; --j) indices[j] = indices[j - 1];
    indices[rank] = static_cast<std::uint32_t>(i);
  }
}

void TopKWeights(std::span<const float> logits, std::span<const std::uint32_t> indices,
                 std::span<Bf16> weights) {
  CHECK(!indices.empty() && weights.size() == indices.size());
  const float largest = WithoutNan(logits[indices[0]]);
  const auto term = [&](std::uint32_t index) { return Exp(WithoutNan(logits[index]) - largest); };
  float sum = term(indices[0]);
  for (std::uint32_t index : indices.subspan(1)) sum += term(index);
  const bool usable = std::isfinite(sum) && sum > 0.0F;
  for (std::size_t j = 0; j < indices.size(); ++j) {
    weights[j] = usable ? FloatToBf16(term(indices[j]) / sum) : Bf16{0};
  }
}

}  // namespace moescope::isa
