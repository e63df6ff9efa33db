#pragma once

#include <span>
#include <string_view>

#include "base/explanation.h"
#include "emulator/event.h"

namespace moescope::emulator {

// One entry per id that this folder reports, in order: CF0xx (machine files), FTxxx (faults of the
// emulated program and the deadlock), IM0xx (images and dumps), LM0xx (limits and interrupts). The
// example of an FT entry is a program that faults so, on a machine that its cause describes.
std::span<const Explanation> Explanations();

// The LM id of a run that a limit or an interrupt ended, FT901 of a deadlock; empty for other ends.
std::string_view EndReasonId(EndReason reason);

}  // namespace moescope::emulator
