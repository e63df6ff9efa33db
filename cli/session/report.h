#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "profiler/report/report.h"

namespace moescope::session {

// What `moescope report` is asked to do.
struct ReportRequest {
  std::string profile;              // file
  std::string pc_table;             // file; empty = none
  profiler::ReportOptions options;  // its pc_table is set from the file
};

// The report as text. Errors name the file.
absl::StatusOr<std::string> ReportText(const ReportRequest& request);

}  // namespace moescope::session
