// A stage has no default: an emitter cannot forget to say what it is for.
// expect: no matching (function|constructor)|no default constructor
#include "stages/stage.h"

#ifdef MUST_FAIL
moescope::stages::Stage stage;
#else
moescope::stages::Stage stage = moescope::stages::kGather;
#endif
