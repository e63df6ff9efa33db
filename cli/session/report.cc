#include "cli/session/report.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "profiler/profile_json.h"

namespace moescope::session {

namespace {

absl::Status About(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

// A file read by `read`; errors name the path.
template <typename Read>
auto ReadAs(const std::string& path, Read read) -> decltype(read(std::string())) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  auto result = read(text);
  if (!result.ok()) return About(path, result.status());
  return result;
}

absl::StatusOr<profiler::Profile> ReadProfileFile(const std::string& path) {
  return ReadAs(path, [](const std::string& text) { return profiler::ReadProfile(text); });
}

}  // namespace

absl::StatusOr<std::string> ReportText(const ReportRequest& request) {
  ASSIGN_OR_RETURN(const profiler::Profile profile, ReadProfileFile(request.profile));
  profiler::ReportOptions options = request.options;
  std::optional<profiler::PcTable> table;
  if (!request.pc_table.empty()) {
    ASSIGN_OR_RETURN(table, ReadAs(request.pc_table, [](const std::string& text) {
                       return profiler::ReadPcTable(text);
                     }));
    options.pc_table = &*table;
  }
  std::optional<profiler::Profile> other;
  if (!request.compare.empty()) {
    ASSIGN_OR_RETURN(other, ReadProfileFile(request.compare));
    options.compare = &*other;
  }
  if (!request.source.empty()) {
    ASSIGN_OR_RETURN(options.source, ReadFile(request.source));
  }
  absl::StatusOr<std::string> report = profiler::Report(profile, options);
  if (!report.ok()) return About(request.profile, report.status());
  return report;
}

}  // namespace moescope::session
