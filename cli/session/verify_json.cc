#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/json.h"
#include "base/status.h"
#include "cli/session/verify.h"

namespace moescope::session {

absl::StatusOr<VerifiedFile> VerifyProfileFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  absl::StatusOr<profiler::Verification> verification = profiler::VerifyProfile(text);
  if (!verification.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", verification.status().message()));
  }
  return VerifiedFile{path, std::move(verification->failures), std::move(verification->warnings)};
}

std::string VerificationText(const VerifiedFile& file) {
  std::string text;
  for (const profiler::Failure& failure : file.failures) {
    absl::StrAppend(&text, file.path, ": ", failure.id, ": ", failure.text, "\n");
  }
  for (const std::string& warning : file.warnings) {
    absl::StrAppend(&text, file.path, ": warning: ", warning, "\n");
  }
  return text;
}

std::string VerificationJson(std::span<const VerifiedFile> files) {
  Json list = Json::array();
  for (const VerifiedFile& file : files) {
    Json entry;
    entry["file"] = file.path;
    entry["failures"] = Json::array();
    for (const profiler::Failure& failure : file.failures) {
      entry["failures"].push_back({{"id", failure.id}, {"text", failure.text}});
    }
    entry["warnings"] = file.warnings;
    list.push_back(std::move(entry));
  }
  return JsonText(list);
}

}  // namespace moescope::session
