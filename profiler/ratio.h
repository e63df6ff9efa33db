#pragma once

#include <cstdint>
#include <optional>

// Integer ratios of profile.md 5.1: rounded down, exact, without overflow. Shares of nothing are 0;
// ratios over nothing are absent.

namespace moescope::profiler {

__extension__ using Wide = unsigned __int128;

// floor(part * scale / whole); 0 when `whole` is 0. Saturates at 2^64 - 1.
constexpr std::uint64_t Scaled(Wide part, std::uint64_t scale, Wide whole) {
  if (whole == 0) return 0;
  const Wide value = part * scale / whole;
  return value > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(value);
}

// Parts per million.
constexpr std::uint64_t Ppm(std::uint64_t part, std::uint64_t whole) {
  return Scaled(part, 1'000'000, whole);
}

// Thousandths of part / whole; absent when `whole` is 0.
constexpr std::optional<std::uint64_t> Milli(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return Scaled(part, 1'000, whole);
}

}  // namespace moescope::profiler
