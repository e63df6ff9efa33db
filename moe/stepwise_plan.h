#pragma once

#include <cstdint>
#include <vector>

// What of a compiled program decides its bits (moe.md, 2 and 5.3): the CPU twin takes it from the
// compiled layer, so that both are comparable bit for bit.

namespace moescope::moe {

// How the program computes router logits (moe.md, 3.1).
enum class RouterPath : std::uint8_t {
  kDot,     // products rounded to BF16, rows summed by the tree, a BF16 running sum
  kMatrix,  // tile(M), one BF16 rounding
};

// What the program does around the layer.
enum class Residual : std::uint8_t {
  kNone,  // y = layer(x)
  kAdd,   // y = x + layer(x)
  kNorm,  // y = x + layer(RMSNorm(x) * norm weight)
};

struct StepwisePlan {
  int tile = 64;  // M
  // Tiles of the contraction between two roundings: p = bf(chunk 0), then p = bf(p + bf(chunk c)).
  std::vector<int> hidden_chunks;               // gate and up: sum = H / M
  std::vector<int> intermediate_chunks;         // down: sum = I / M
  std::vector<int> shared_intermediate_chunks;  // shared down: sum = Is / M
  RouterPath router = RouterPath::kMatrix;
  bool gather_adds = false;  // rows arrive as 0 + x, which turns -0 into +0
  Residual residual = Residual::kNone;

  friend bool operator==(const StepwisePlan&, const StepwisePlan&) = default;
};

}  // namespace moescope::moe
