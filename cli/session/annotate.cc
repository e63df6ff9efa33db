#include "cli/session/annotate.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/session/exit_code.h"
#include "cli/session/number.h"
#include "cli/session/program.h"
#include "stages/annotate_json.h"
#include "stages/annotate_rules.h"

namespace moescope::session {

namespace {

absl::StatusOr<std::uint32_t> MinimumPpm(const std::string& text) {
  if (text.empty()) return 0;
  const absl::StatusOr<std::uint32_t> ppm =
      ParsePercentPpm(text.back() == '%' ? text : absl::StrCat(text, "%"));
  if (!ppm.ok()) return UsageError(absl::StrCat("--min-coverage: ", ppm.status().message()));
  return *ppm;
}

std::string Percent(std::uint64_t ppm) {
  return absl::StrFormat("%d.%04d%%", ppm / 10000, ppm % 10000);
}

absl::StatusOr<stages::Annotated> AnnotateText(const AnnotateRequest& request,
                                               const std::string& text) {
  if (request.rules.empty() && request.stage_vocabulary.empty()) {
    return stages::Annotate(text, request.input, stages::AnnotateRules::Shipped(), request.options);
  }
  if (request.rules.empty()) return UsageError("--stage-vocabulary needs --rules");
  ASSIGN_OR_RETURN(const stages::Vocabulary vocabulary, LoadVocabulary(request.stage_vocabulary));
  ASSIGN_OR_RETURN(const std::string toml, ReadFile(request.rules));
  ASSIGN_OR_RETURN(const stages::AnnotateRules rules,
                   stages::AnnotateRules::Parse(toml, request.rules, vocabulary));
  return stages::Annotate(text, request.input, rules, request.options);
}

}  // namespace

absl::StatusOr<AnnotateOutcome> AnnotateFile(const AnnotateRequest& request) {
  ASSIGN_OR_RETURN(const std::uint32_t minimum_ppm, MinimumPpm(request.min_coverage));
  ASSIGN_OR_RETURN(const std::string text, ReadFile(request.input));
  ASSIGN_OR_RETURN(const stages::Annotated annotated, AnnotateText(request, text));
  if (!request.output.empty()) RETURN_IF_ERROR(WriteFile(request.output, annotated.text));
  AnnotateOutcome outcome;
  outcome.text_report = stages::AnnotateReportText(annotated.report);
  outcome.json_report = stages::AnnotateReportJson(annotated.report);
  const std::uint64_t coverage = annotated.report.CoveragePpm();
  if (coverage < minimum_ppm) {
    outcome.failure =
        absl::StrCat(request.input, ": ", Percent(coverage),
                     " of the instructions are decided by a rule, --min-coverage asks for ",
                     Percent(minimum_ppm), "\n");
  }
  return outcome;
}

}  // namespace moescope::session
