#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace moescope::profiler {

// A broken invariant of profile.md 5.7.
struct Failure {
  std::string id;    // "PV02"
  std::string text;  // "cycles: stages sum != totals (195 != 196)"

  friend bool operator==(const Failure&, const Failure&) = default;
};

struct Verification {
  std::vector<Failure> failures;      // in the order of their ids
  std::vector<std::string> warnings;  // what looks wrong without breaking an invariant
};

// Checks PV01 to PV18 on the text of a profile. When its structure is broken (PV01), only what can
// still be read is checked further. InvalidArgument when the text is not JSON, not a profile, or of
// a newer schema_version.
absl::StatusOr<Verification> VerifyProfile(std::string_view text);

}  // namespace moescope::profiler
