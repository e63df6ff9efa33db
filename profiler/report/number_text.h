#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Numbers as people read them. All of them round down, like the integers of a profile.

namespace moescope::profiler {

// "12,345,678".
std::string Thousands(std::uint64_t value);
// "12.3 %" of parts per million.
std::string Percent(std::uint64_t ppm);
// "0.126" of thousandths.
std::string Thousandths(std::uint64_t milli);
// "196 ns", "29.845 ms": the largest unit in which the value is at least 1.
std::string TimeText(std::uint64_t picoseconds);
// "1.000 GHz" of a clock period.
std::string FrequencyText(std::uint64_t period_ps);
// The value, or empty.
std::string Plain(const std::optional<std::uint64_t>& value);

// Breaks a text at blanks so that no line is longer than `width` (a longer word keeps its own
// line). Every line ends with a newline and begins with `indent`, the first one with `first`.
std::string Wrap(std::string_view text, std::size_t width, std::string_view first = "",
                 std::string_view indent = "");

}  // namespace moescope::profiler
