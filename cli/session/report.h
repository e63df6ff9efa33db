#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "profiler/report/report.h"

namespace moescope::session {

// What `moescope report` is asked to do.
struct ReportRequest {
  std::string profile;              // file
  std::string pc_table;             // file; empty = none
  std::string source;               // file of the program's source; empty = none
  std::string compare;              // file of a second profile; empty = none
  profiler::ReportOptions options;  // what the files hold is filled in
};

// The report as text. Errors name the file.
absl::StatusOr<std::string> ReportText(const ReportRequest& request);

}  // namespace moescope::session
