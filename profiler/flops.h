#pragma once

#include "emulator/event.h"
#include "isa/instruction.h"
#include "profiler/counters.h"

namespace moescope::profiler {

// Floating-point operations that one execution of an instruction issues on the machine of the run:
// a multiply-add is two, one per enabled or disabled lane; moves, shifts, comparisons of V_TOPK and
// write-outs are none. M_MM: 2 x MLEN x BLEN^2 (profile.md, 5.3); the other matrix forms follow
// from the result shapes of isa.md 5.4.
Flops FlopsOf(isa::TimingClass timing, const emulator::RunDescription& run);

}  // namespace moescope::profiler
