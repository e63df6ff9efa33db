#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "profiler/profile.h"

namespace moescope::profiler {

// The JSON text of a profile (profile.md, 5) with its profile_sha256 computed, whatever the profile
// holds.
std::string ProfileText(const Profile& profile);

// ProfileText, verified: Internal with every failed invariant when the profile is not one that may
// be written.
absl::StatusOr<std::string> WriteProfile(const Profile& profile);

// A profile text as data. Unknown keys are ignored, a higher schema_version is refused, sums are
// not checked (that is VerifyProfile). InvalidArgument names the JSON path of the first bad member.
absl::StatusOr<Profile> ReadProfile(std::string_view text);

// "sha256:..." of machine.effective and of program.vocabulary: of the object or array written
// without blanks.
std::string EffectiveHash(const std::vector<ConfigurationValue>& effective);
std::string VocabularyHash(const std::vector<VocabularyEntry>& vocabulary);

}  // namespace moescope::profiler
