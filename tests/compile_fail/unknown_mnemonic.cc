// An instruction that does not exist cannot be named.
// expect: not a mnemonic|not a constant expression|unknown mnemonic
#include "isa/table.h"

#ifdef MUST_FAIL
constexpr auto kIndex = moescope::isa::Op("V_NOPE");
#else
constexpr auto kIndex = moescope::isa::Op("V_TOPK");
#endif
