#include "base/rule.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "base/suggestion.h"

namespace moescope {

namespace {

constexpr std::string_view kLevelNames[] = {"off", "note", "warning", "error"};

}  // namespace

absl::Status RuleLevels::Set(std::string_view setting, std::span<const std::string_view> known) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", Absl(setting), "' is not ID=error|warning|note|off"));
  }
  const std::string_view id = setting.substr(0, equals);
  const std::string_view level = setting.substr(equals + 1);
  if (std::find(known.begin(), known.end(), id) == known.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown rule '", Absl(id), "'", DidYouMean(id, known)));
  }
  const auto* const found = std::find(std::begin(kLevelNames), std::end(kLevelNames), level);
  if (found == std::end(kLevelNames)) {
    return absl::InvalidArgumentError(absl::StrCat("unknown level '", Absl(level), "' of rule ",
                                                   Absl(id), "; known: error, warning, note, off"));
  }
  Set(id, static_cast<RuleLevel>(found - std::begin(kLevelNames)));
  return absl::OkStatus();
}

std::optional<Severity> RuleLevels::SeverityOf(std::string_view id, Severity standard) const {
  Severity severity = standard;
  if (const auto found = levels_.find(id); found != levels_.end()) {
    switch (found->second) {
      case RuleLevel::kOff:
        return std::nullopt;
      case RuleLevel::kNote:
        severity = Severity::kNote;
        break;
      case RuleLevel::kWarning:
        severity = Severity::kWarning;
        break;
      case RuleLevel::kError:
        severity = Severity::kError;
        break;
    }
  }
  if (severity == Severity::kWarning && warnings_are_errors_) return Severity::kError;
  return severity;
}

}  // namespace moescope
