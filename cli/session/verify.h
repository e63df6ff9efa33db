#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "profiler/verify.h"

namespace moescope::session {

// What `moescope profile verify` found in one file.
struct VerifiedFile {
  std::string path;
  std::vector<profiler::Failure> failures;
  std::vector<std::string> warnings;
};

absl::StatusOr<VerifiedFile> VerifyProfileFile(const std::string& path);

// "FILE: PVnn: text", one line per failure, and "FILE: warning: text"; empty when there is none.
std::string VerificationText(const VerifiedFile& file);
// [{"file", "failures": [{"id", "text"}], "warnings": []}].
std::string VerificationJson(std::span<const VerifiedFile> files);

}  // namespace moescope::session
