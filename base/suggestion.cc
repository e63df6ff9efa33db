#include "base/suggestion.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/string_view.h"

namespace moescope {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last = std::exchange(last, row);
  }
  return last[b.size()];
}

std::vector<std::string> Suggestions(std::string_view name,
                                     std::span<const std::string_view> candidates,
                                     std::size_t limit) {
  const std::size_t allowed = std::max<std::size_t>(2, name.size() / 4);
  const std::string lower = absl::AsciiStrToLower(Absl(name));
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string_view candidate : candidates) {
    const std::size_t longer = std::max(candidate.size(), name.size());
    if (longer - std::min(candidate.size(), name.size()) > allowed) continue;
    const std::string other = absl::AsciiStrToLower(Absl(candidate));
    const std::size_t distance = EditDistance(lower, other);
    if (distance <= allowed && distance < longer) near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (const auto& [distance, candidate] : near) {
    if (names.size() == limit) break;
    names.emplace_back(candidate);
  }
  return names;
}

std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates,
                       std::size_t limit) {
  const std::vector<std::string> names = Suggestions(name, candidates, limit);
  if (names.empty()) return "";
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char* separator = i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    absl::StrAppend(&text, separator, "'", names[i], "'");
  }
  return text + "?";
}

}  // namespace moescope
