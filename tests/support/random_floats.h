#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

namespace moescope::test {

// Float inputs from a fixed seed, the same with every compiler: one draw per statement, because the
// order in which arguments are evaluated is the compiler's choice.
class RandomFloats {
 public:
  explicit RandomFloats(std::uint32_t seed) : engine_(seed) {}

  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(engine_()) % limit; }
  int Between(int low, int high) {  // both included
    return low + static_cast<int>(Below(static_cast<std::uint32_t>(high - low + 1)));
  }
  // Any bit pattern, NaN included.
  float AnyBits() { return std::bit_cast<float>(static_cast<std::uint32_t>(engine_())); }
  // +-1.xxx * 2^e, low <= e <= high, with all 24 significant bits random.
  float Near(int low, int high) {
    const std::uint32_t bits = Below(std::uint32_t{1} << 24);
    const float fraction = 1.0F + static_cast<float>(bits >> 1) * 0x1p-23F;
    const int exponent = Between(low, high);
    return std::ldexp(bits % 2 == 0 ? fraction : -fraction, exponent);
  }

 private:
  std::mt19937 engine_;
};

}  // namespace moescope::test
