#include "profiler/report/float_text.h"

#include <array>
#include <charconv>
#include <string_view>

#include "base/check.h"

namespace moescope::profiler {

std::string ShortestFloat(double value) {
  // "d.ddde-07": digits and exponent of the shortest form.
  std::array<char, 40> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                          std::chars_format::scientific);
  CHECK(error == std::errc());
  std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  std::string sign;
  if (text.starts_with('-')) {
    sign = "-";
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  CHECK_BECAUSE(e != std::string_view::npos, "a number that is not finite");
  std::string digits(text.substr(0, 1));
  if (e > 2) digits += text.substr(2, e - 2);
  std::string_view exponent_text = text.substr(e + 1);
  if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
  int exponent = 0;
  std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
  if (value == 0) return sign + "0.0";

  const int point = exponent + 1;  // digits before the decimal point
  const int count = static_cast<int>(digits.size());
  if (point >= count && point <= 16) {
    return sign + digits + std::string(static_cast<std::size_t>(point - count), '0') + ".0";
  }
  if (point > 0 && point <= 16) return sign + digits.insert(static_cast<std::size_t>(point), ".");
  if (point > -5 && point <= 0) {
    return sign + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  }
  if (count > 1) digits.insert(1, ".");
  return sign + digits + "e" + std::to_string(exponent);
}

}  // namespace moescope::profiler
