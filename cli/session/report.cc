#include "cli/session/report.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "profiler/profile_json.h"

namespace moescope::session {

namespace {

absl::Status About(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

}  // namespace

absl::StatusOr<std::string> ReportText(const ReportRequest& request) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(request.profile));
  const absl::StatusOr<profiler::Profile> profile = profiler::ReadProfile(text);
  if (!profile.ok()) return About(request.profile, profile.status());
  profiler::ReportOptions options = request.options;
  std::optional<profiler::PcTable> table;
  if (!request.pc_table.empty()) {
    ASSIGN_OR_RETURN(const std::string csv, ReadFile(request.pc_table));
    absl::StatusOr<profiler::PcTable> read = profiler::ReadPcTable(csv);
    if (!read.ok()) return About(request.pc_table, read.status());
    table = *std::move(read);
    options.pc_table = &*table;
  }
  const absl::StatusOr<std::string> report = profiler::Report(*profile, options);
  if (!report.ok()) return About(request.profile, report.status());
  return *report;
}

}  // namespace moescope::session
