// The builder itself cannot emit; only a writer, which knows its stage, can.
// expect: is private|no matching|expected primary-expression|does not name a template
#include "asm/builder.h"

void Use(moescope::assembler::Builder& builder) {
#ifdef MUST_FAIL
  builder.Emit<"C_BREAK">();
#else
  builder.Unattributed().Emit<"C_BREAK">();
#endif
}
