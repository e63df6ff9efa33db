// Provenance has no default: a parameter of a machine cannot forget its label.
// expect: could not convert|no default constructor|no matching constructor
#include "emulator/machine_keys.h"

#ifdef MUST_FAIL
moescope::emulator::MachineKey key{.path = "MOESCOPE.hbm.channels", .source = "timing.md 6"};
#else
moescope::emulator::MachineKey key{.path = "MOESCOPE.hbm.channels",
                                   .label = moescope::emulator::CostClass::kDerived,
                                   .source = "timing.md 6"};
#endif
