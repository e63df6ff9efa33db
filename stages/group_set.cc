#include "stages/group_set.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"

namespace moescope::stages {

std::optional<isa::Group> FindGroup(std::string_view name) {
  for (std::size_t i = 0; i < isa::kGroupCount; ++i) {
    const auto group = static_cast<isa::Group>(i);
    if (isa::GroupName(group) == name) return group;
  }
  return std::nullopt;
}

std::string ToString(GroupSet groups, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < isa::kGroupCount; ++i) {
    const auto group = static_cast<isa::Group>(i);
    if (!groups.Contains(group)) continue;
    absl::StrAppend(&text, text.empty() ? "" : Absl(separator), Absl(isa::GroupName(group)));
  }
  return text;
}

}  // namespace moescope::stages
