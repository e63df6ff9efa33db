// A writer is asked for with a stage, or for code that has none.
// expect: no matching (member )?function|too few arguments
#include "asm/builder.h"

void Use(moescope::assembler::Builder& builder) {
#ifdef MUST_FAIL
  builder.In().Emit<"C_BREAK">();
#else
  builder.In({.stage = moescope::stages::kGather}).Emit<"C_BREAK">();
#endif
}
