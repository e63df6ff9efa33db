#pragma once

#include <cstdint>
#include <span>

#include "isa/bfloat16.h"

// The selection and the weights of V_TOPK (isa.md, 5.3). Nothing is allocated.

namespace moescope::isa {

// Orders logits as unsigned integers: NaN counts as -infinity, -0 equals +0, a larger value has a
// larger key.
std::uint32_t TopKKey(float logit);

// The indices of the indices.size() largest of `logits`, largest first, ties to the lower index.
// 1 <= indices.size() <= logits.size().
void SelectTopK(std::span<const float> logits, std::span<std::uint32_t> indices);

// w_j = bf(e_j / d) with e_j = exp(logit_j - largest logit) and d their f32 sum from the first to
// the last selected; all +0.0 unless d is finite and > 0. NaN logits count as -infinity.
void TopKWeights(std::span<const float> logits, std::span<const std::uint32_t> indices,
                 std::span<Bf16> weights);

}  // namespace moescope::isa
