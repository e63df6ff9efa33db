#pragma once

#include <string>

#include "profiler/log/log_diff.h"

namespace moescope::session {

// The comparison of two commit logs as a `moescope.log_diff` v1 document, and as Markdown. `a` and
// `b` are the files.
std::string LogDiffJson(const profiler::LogDiff& diff, const std::string& a, const std::string& b);
std::string LogDiffMarkdown(const profiler::LogDiff& diff, const std::string& a,
                            const std::string& b);

}  // namespace moescope::session
