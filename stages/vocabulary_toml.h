#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "stages/vocabulary.h"

namespace moescope::stages {

// Reads an extension vocabulary (profile.md, 1.3) against the stages that are `known` already. All
// errors of the file are reported together, with line and column (MS020 to MS025).
absl::StatusOr<std::vector<ExtensionStage>> ParseVocabulary(std::string_view toml,
                                                            const std::string& path,
                                                            const Vocabulary& known);

}  // namespace moescope::stages
