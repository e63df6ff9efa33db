#pragma once

namespace moescope::moe::reference {

// Order of the sums of a contraction (moe.md, 2).
struct Accumulation {
  int tile = 0;  // M of tile(M): one FMA chain per tile, one add per tile. 0 = ideal

  friend bool operator==(const Accumulation&, const Accumulation&) = default;
};
inline constexpr Accumulation kIdeal{0};

}  // namespace moescope::moe::reference
