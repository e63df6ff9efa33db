#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/diagnostic.h"

namespace moescope {

// What --rule ID=... says about findings of one rule.
enum class RuleLevel : std::uint8_t { kOff, kNote, kWarning, kError };

// The levels a user gave to rules with `--rule ID=error|warning|note|off`, and --werror.
class RuleLevels {
 public:
  // `setting` is "ID=level"; `known` are the IDs that can be set. InvalidArgument names what is
  // allowed.
  absl::Status Set(std::string_view setting, std::span<const std::string_view> known);
  void Set(std::string_view id, RuleLevel level) { levels_[std::string(id)] = level; }

  // Turns what is a warning after all settings into an error.
  void SetWarningsAreErrors(bool on) { warnings_are_errors_ = on; }

  // The severity of a finding of rule `id`; empty when it is off.
  std::optional<Severity> SeverityOf(std::string_view id, Severity standard) const;

 private:
  std::map<std::string, RuleLevel, std::less<>> levels_;
  bool warnings_are_errors_ = false;
};

}  // namespace moescope
