#include "profiler/report/report.h"

#include "absl/strings/str_cat.h"
#include "base/suggestion.h"
#include "profiler/report/formats.h"

namespace moescope::profiler {

absl::StatusOr<std::string> Report(const Profile& profile, const ReportOptions& options) {
  const std::string& format = options.format;
  if (format == "text") return TextReport(profile, options.width);
  if (format == "markdown") return MarkdownReport(profile);
  if (format == "csv") return CsvReport(profile, options.table);
  if (format == "collapsed") return CollapsedReport(profile, options.weight, options.pc_table);
  if (format == "speedscope") return SpeedscopeReport(profile, options.weight, options.pc_table);
  if (format == "stage_profile_v1") {
    return StageProfileV1(profile, options.all_stages, options.pc_table);
  }
  if (format == "stage_profile_v2") {
    return StageProfileV2(profile, options.all_stages, options.pc_table);
  }
  if (format == "html") return HtmlReport(profile, options.source, options.compare);
  if (format == "annotated") {
    if (options.pc_table != nullptr) return AnnotatedReport(profile, *options.pc_table);
    return absl::FailedPreconditionError(
        "the annotated listing needs the per-pc table that 'run --pc-table FILE' writes");
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown report format '", format, "'", DidYouMean(format, kReportFormats)));
}

}  // namespace moescope::profiler
