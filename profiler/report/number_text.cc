#include "profiler/report/number_text.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/string_view.h"

namespace moescope::profiler {

std::string Thousands(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string Percent(std::uint64_t ppm) {
  return absl::StrFormat("%d.%d %%", ppm / 10'000, ppm / 1'000 % 10);
}

std::string Thousandths(std::uint64_t milli) {
  return absl::StrFormat("%s.%03d", Thousands(milli / 1000), milli % 1000);
}

std::string TimeText(std::uint64_t picoseconds) {
  constexpr std::array<const char*, 5> kUnits = {"ps", "ns", "us", "ms", "s"};
  std::uint64_t unit = 1;
  std::size_t i = 0;
  while (i + 1 < kUnits.size() && picoseconds / unit >= 1000) {
    unit *= 1000;
    ++i;
  }
  if (picoseconds % unit == 0) return absl::StrCat(Thousands(picoseconds / unit), " ", kUnits[i]);
  return absl::StrCat(Thousandths(picoseconds / (unit / 1000)), " ", kUnits[i]);
}

std::string FrequencyText(std::uint64_t period_ps) {
  if (period_ps == 0) return "? GHz";
  return absl::StrCat(Thousandths(1'000'000 / period_ps), " GHz");
}

std::string Plain(const std::optional<std::uint64_t>& value) {
  return value ? std::to_string(*value) : "";
}

std::string Wrap(std::string_view text, std::size_t width, std::string_view first,
                 std::string_view indent) {
  std::string result;
  std::string line(first);
  bool line_is_empty = true;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (word.empty()) continue;
    if (!line_is_empty && line.size() + 1 + word.size() > width) {
      absl::StrAppend(&result, line, "\n");
      line = std::string(indent);
      line_is_empty = true;
    }
    absl::StrAppend(&line, line_is_empty ? "" : " ", Absl(word));
    line_is_empty = false;
  }
  absl::StrAppend(&result, line, "\n");
  return result;
}

}  // namespace moescope::profiler
