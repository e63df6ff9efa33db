// A typo in a built-in name is found while compiling.
// expect: not a built-in stage|not a constant expression
#include "stages/stage.h"

#ifdef MUST_FAIL
constexpr auto kStage = moescope::stages::BuiltinStage("gahter");
#else
constexpr auto kStage = moescope::stages::BuiltinStage("gather");
#endif
