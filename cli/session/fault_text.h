#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "emulator/event.h"
#include "isa/program.h"

namespace moescope::session {

// How a run that did not complete is reported: the fault with its place in the source, operand
// values, open loops and hint, the limit that was reached (LM001 to LM004), or the deadlock (FT901)
// with its waits. Nothing when the run is complete.
std::optional<Diagnostic> EndDiagnostic(const emulator::RunEnd& end, const isa::Program& program);

// "gather pair 3", "unattributed": what the instruction at `pc` is for.
std::string AttributionText(const isa::Program& program, std::uint32_t pc);

}  // namespace moescope::session
