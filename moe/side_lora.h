#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "moe/layer.h"
#include "moe/matrix.h"

namespace moescope::moe {

// Whether z2 and the gradients of the shared factors are per routed row, or summed per token first
// (moe.md, 9.2). kToken has other bits and is named in results.
enum class SideRows : std::uint8_t { kRow, kToken };

// Side-LoRA factors of one adapter (moe.md, 9.1), BF16. a1, a3, b2 are shared by all experts.
struct SideLora {
  int rank = 0;
  float scale = 0.0f;  // 0 = disabled: output bits equal those of the base layer
  SideRows side_rows = SideRows::kRow;
  Bf16Matrix a1, a3;           // [r, H]
  Bf16Matrix b2;               // [H, r]
  std::vector<Bf16Matrix> b1;  // [E] of [I, r]
  std::vector<Bf16Matrix> b3;  // [E] of [I, r]
  std::vector<Bf16Matrix> a2;  // [E] of [r, I]
};

inline constexpr int kMaxRank = 256;

// Rank 1..256, finite scale, shapes that fit the layer, weighting PRE. InvalidArgument otherwise.
absl::Status Check(const SideLora& lora, const Layer& layer);

// One adapter root of a wave (moe.md, 10): a contiguous token range with its own factors.
struct WaveRoot {
  std::int64_t first_token = 0;
  std::int64_t tokens = 0;
  SideLora lora;
};

inline constexpr char kWavePolicy[] = "moescope-wave-v1";

struct Wave {
  std::string policy = kWavePolicy;
  std::vector<WaveRoot> roots;
};

// Roots ascending, contiguous from 0 and covering all tokens; every root valid; the policy known.
absl::Status Check(const Wave& wave, const Layer& layer, std::int64_t tokens);

}  // namespace moescope::moe
