#pragma once

#include <string>

namespace moescope::stages {

// The stage reference, docs/stages.md: the built-in stages, instruction groups, markers, and the
// shipped vocabularies. Ends with a newline.
std::string StageReferenceMarkdown();

}  // namespace moescope::stages
