#pragma once

#include <string>

#include "stages/annotate.h"

namespace moescope::stages {

// A report as a `moescope.annotate_report` v1 document, ending with a newline:
// {schema, schema_version, words, decided_words, coverage_ppm, markers, removed_markers,
// rules[{id, comments, words}], stages[{name, words}], undecided[{line, rule, comment}],
// unmatched[{shape, count, first_line}]}.
std::string AnnotateReportJson(const AnnotateReport& report);

// The same for people: coverage, words per stage, and the comments that no rule decides.
std::string AnnotateReportText(const AnnotateReport& report);

}  // namespace moescope::stages
