#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "profiler/pc_table.h"
#include "profiler/profile.h"

// `moescope report` (profile.md, 5.9 and 7).

namespace moescope::profiler {

inline constexpr std::array<std::string_view, 9> kReportFormats = {"text",
                                                                   "markdown",
                                                                   "csv",
                                                                   "collapsed",
                                                                   "speedscope",
                                                                   "annotated",
                                                                   "stage_profile_v1",
                                                                   "stage_profile_v2",
                                                                   "html"};

struct ReportOptions {
  std::string format = "text";
  std::string table = "stages";       // csv
  std::string weight = "cycles";      // collapsed, speedscope: cycles instructions bytes
  bool all_stages = false;            // stage_profile_*: fourteen stages and `other`
  std::size_t width = 100;            // text
  const PcTable* pc_table = nullptr;  // annotated; more detail for collapsed and stage_profile_*
  std::optional<std::string> source;  // html: text of the program's source file
  const Profile* compare = nullptr;   // html: a second run, drawn beside the first
};

// InvalidArgument for an unknown format, table or weight or a per-pc table of another run;
// FailedPrecondition when the profile lacks what the format needs.
absl::StatusOr<std::string> Report(const Profile& profile, const ReportOptions& options);

}  // namespace moescope::profiler
