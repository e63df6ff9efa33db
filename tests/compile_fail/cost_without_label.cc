// Provenance has no default: a cost of a latency profile cannot forget its label.
// expect: could not convert|no default constructor|no matching constructor
#include "emulator/timing/latency_profile.h"

#ifdef MUST_FAIL
constexpr moescope::emulator::ProfileEntry entry{.result = "B+4", .interval = "", .source = "x"};
#else
constexpr moescope::emulator::ProfileEntry entry{.result = "B+4",
                                                 .interval = "",
                                                 .label = moescope::emulator::CostClass::kDerived,
                                                 .source = "x"};
#endif
