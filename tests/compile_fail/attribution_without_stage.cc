// An attribution needs its stage; pair and expert may be left out.
// expect: no matching (function|constructor)|no default constructor|could not convert
#include "stages/stage.h"

#ifdef MUST_FAIL
moescope::stages::Attribution attribution{.pair = 3};
#else
moescope::stages::Attribution attribution{.stage = moescope::stages::kGather, .pair = 3};
#endif
