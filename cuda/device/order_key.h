#pragma once

#include <cstdint>

// The total order of moe.md, 3.2, as integers: larger keys first, equal keys by the lower index.

namespace moescope::cuda::device {

// `bits` of a binary32 number that is not NaN, -0 already turned into +0. Never 0, which marks a
// taken expert: the smallest, of -infinity, is 0x007FFFFF.
constexpr std::uint32_t OrderedBits(std::uint32_t bits) {
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}
inline constexpr std::uint32_t kMinusInfinityKey = OrderedBits(0xFF800000u);

// Key and index as one number whose maximum is the winner.
constexpr std::uint64_t RankKey(std::uint32_t ordered, std::uint32_t index) {
  return static_cast<std::uint64_t>(ordered) << 32 | (0xFFFFFFFFu - index);
}
constexpr std::uint32_t IndexOf(std::uint64_t key) {
  return 0xFFFFFFFFu - static_cast<std::uint32_t>(key);
}

}  // namespace moescope::cuda::device
