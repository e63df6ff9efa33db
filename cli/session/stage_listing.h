#pragma once

#include <string>

#include "isa/program.h"
#include "stages/vocabulary.h"

namespace moescope::session {

// The stages of a vocabulary in display order: number, name, scope, origin, summary. `width`
// columns.
std::string VocabularyText(const stages::Vocabulary& vocabulary, int width);
// The same as a JSON array of {name, scope, origin, parent?, summary, belongs_elsewhere?}.
std::string VocabularyJson(const stages::Vocabulary& vocabulary);

// The stage table of a program: one row per marker with its instructions, then the instructions per
// stage.
std::string StageTableText(const isa::Program& program);
// The ranges as CSV (RFC 4180) with a header row.
std::string StageTableCsv(const isa::Program& program);

}  // namespace moescope::session
