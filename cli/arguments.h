#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/option.h"

namespace moescope::cli {

// The options and arguments of one call of a command, checked against its table. Asking for an
// option that the table does not have is a defect (CHECK).
class Arguments {
 public:
  // `defaults` come from a configuration file and stand before `words`. Usage errors name the
  // option and the nearest known one.
  static absl::StatusOr<Arguments> Parse(const Command& command,
                                         const std::vector<std::string>& defaults,
                                         const std::vector<std::string>& words);

  bool Has(std::string_view option) const { return Count(option) > 0; }
  std::size_t Count(std::string_view option) const { return All(option).size(); }
  // The last value given.
  std::optional<std::string> Text(std::string_view option) const;
  std::string TextOr(std::string_view option, std::string_view otherwise) const;
  // All values, in the order given; a flag has one empty value per use, an option of two values
  // both of each use.
  const std::vector<std::string>& All(std::string_view option) const;
  // All values of a list option, split at commas.
  std::vector<std::string> List(std::string_view option) const;
  // Values of the form KEY=VALUE.
  absl::StatusOr<std::vector<std::pair<std::string, std::string>>> Pairs(
      std::string_view option) const;
  // The last value as a number (base/number.h). Usage errors name the option.
  absl::StatusOr<std::optional<std::uint64_t>> Number(std::string_view option) const;

  // Whether the command line itself has the option, rather than the configuration file.
  bool IsOnCommandLine(std::string_view option) const;
  // A usage error when `option` is on the command line, which has no meaning without `other`.
  absl::Status Needs(std::string_view option, std::string_view other) const;

  const std::vector<std::string>& positionals() const { return positionals_; }
  const Command& command() const { return *command_; }

 private:
  explicit Arguments(const Command& command) : command_(&command) {}
  absl::Status Add(const std::string& name, const std::vector<std::string>& values);

  const Command* command_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::set<std::string, std::less<>> on_command_line_;
  std::vector<std::string> positionals_;
};

}  // namespace moescope::cli
