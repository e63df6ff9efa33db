#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "stages/annotate_rules.h"

namespace moescope::stages {

// Reads and checks a rule file; see AnnotateRules::Parse.
absl::StatusOr<AnnotateRules::Content> ParseAnnotateRules(std::string_view toml,
                                                          const std::string& path,
                                                          const Vocabulary& vocabulary);

}  // namespace moescope::stages
