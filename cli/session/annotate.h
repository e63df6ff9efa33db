#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "stages/annotate.h"

namespace moescope::session {

// What `moescope annotate` is asked to do.
struct AnnotateRequest {
  std::string input;
  std::string output;  // empty: write no program
  std::string rules;   // file; empty = the shipped rules
  std::vector<std::string> stage_vocabulary;
  stages::AnnotateOptions options;
  std::string min_coverage;  // "99%" or "99"; empty = any
};

struct AnnotateOutcome {
  std::string text_report;
  std::string json_report;
  std::string failure;  // one line: coverage too low; else empty
};

// Annotates a file. A coverage below the demand is no error: the program is written all the same.
absl::StatusOr<AnnotateOutcome> AnnotateFile(const AnnotateRequest& request);

}  // namespace moescope::session
