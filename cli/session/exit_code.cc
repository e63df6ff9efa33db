#include "cli/session/exit_code.h"

#include <algorithm>
#include <array>

#include "absl/strings/cord.h"
#include "base/string_view.h"

namespace moescope::session {

namespace {

constexpr char kUsagePayload[] = "moescope/usage";

constexpr std::array kWorstFirst = {
    ExitCode::kInternal,    ExitCode::kUsage,       ExitCode::kInput,
    ExitCode::kFault,       ExitCode::kLimit,       ExitCode::kTerminated,
    ExitCode::kInterrupted, ExitCode::kCheckFailed, ExitCode::kSuccess};

}  // namespace

absl::Status UsageError(std::string_view text) {
  absl::Status status = absl::InvalidArgumentError(Absl(text));
  status.SetPayload(kUsagePayload, absl::Cord());
  return status;
}

bool IsUsageError(const absl::Status& status) {
  return status.GetPayload(kUsagePayload).has_value();
}

ExitCode ExitCodeOf(const absl::Status& status) {
  if (status.ok()) return ExitCode::kSuccess;
  if (IsUsageError(status)) return ExitCode::kUsage;
  return absl::IsInternal(status) ? ExitCode::kInternal : ExitCode::kInput;
}

ExitCode Worse(ExitCode a, ExitCode b) {
  return *std::find_if(kWorstFirst.begin(), kWorstFirst.end(),
                       [&](ExitCode code) { return code == a || code == b; });
}

}  // namespace moescope::session
