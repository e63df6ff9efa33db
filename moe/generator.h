#pragma once

#include <cstdint>

// The seeded generator of moe.md, 13. Every value is a pure function of (seed, stream, index), so
// it does not depend on the order of generation, and uses integers and IEEE products only, so it
// does not depend on the host.

namespace moescope::moe {

constexpr std::uint64_t Mix(std::uint64_t z) {
  z ^= z >> 30;
  z *= 0xBF58476D1CE4E5B9u;
  z ^= z >> 27;
  z *= 0x94D049BB133111EBu;
  z ^= z >> 31;
  return z;
}

constexpr std::uint64_t U64(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return Mix(seed + Mix(stream) + 0x9E3779B97F4A7C15u * (index + 1));
}

// Approximately standard normal: an integer of at most 19 bits over 65536, exact in FP32.
constexpr float Normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  std::int32_t sum = -393210;
  for (std::uint64_t word = 3 * index; word < 3 * index + 3; ++word) {
    const std::uint64_t bits = U64(seed, stream, word);
    for (int shift = 0; shift < 64; shift += 16) {
      sum += static_cast<std::int32_t>(bits >> shift & 0xFFFFu);
    }
  }
  return static_cast<float>(sum) / 65536.0f;
}

// Uniform integer in [0, bound): the high half of the 128-bit product with the draw.
constexpr std::uint64_t Below(std::uint64_t bound, std::uint64_t draw) {
  const std::uint64_t low = (draw & 0xFFFFFFFFu) * (bound & 0xFFFFFFFFu);
  const std::uint64_t mid1 = (draw >> 32) * (bound & 0xFFFFFFFFu) + (low >> 32);
  const std::uint64_t mid2 = (draw & 0xFFFFFFFFu) * (bound >> 32) + (mid1 & 0xFFFFFFFFu);
  return (draw >> 32) * (bound >> 32) + (mid1 >> 32) + (mid2 >> 32);
}

// True with the given probability (0 to 1): compares the top 53 bits of the draw.
constexpr bool Chance(double probability, std::uint64_t draw) {
  return static_cast<double>(draw >> 11) < probability * 9007199254740992.0;
}

// One stream per tensor and per decision. The numbers are part of the format: a change regenerates
// every fixture.
enum class Stream : std::uint64_t {
  kHidden = 1,
  kRouterWeight = 2,
  kRouterBias = 3,
  kCorrectionBias = 4,
  kGate = 5,
  kUp = 6,
  kDown = 7,
  kGateBias = 8,
  kUpBias = 9,
  kDownBias = 10,
  kSharedGate = 11,
  kSharedUp = 12,
  kSharedDown = 13,
  kSharedGateVector = 14,
  kNormWeight = 15,
  kPermutation = 32,
  kChoice = 33,
  kHot = 34,
  kMask = 35,
  kRouteWeight = 36,
  kLoraA1 = 64,
  kLoraA3 = 65,
  kLoraB2 = 66,
  kLoraB1 = 67,
  kLoraB3 = 68,
  kLoraA2 = 69,
  kOutputGradient = 70,
};

constexpr std::uint64_t U64(std::uint64_t seed, Stream stream, std::uint64_t index) {
  return U64(seed, static_cast<std::uint64_t>(stream), index);
}
constexpr float Normal(std::uint64_t seed, Stream stream, std::uint64_t index) {
  return Normal(seed, static_cast<std::uint64_t>(stream), index);
}

}  // namespace moescope::moe
