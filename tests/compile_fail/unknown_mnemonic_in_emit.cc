// A writer emits only instructions that exist.
// expect: not a mnemonic|not a constant expression|unknown mnemonic
#include "asm/builder.h"

void Use(moescope::assembler::Builder::Writer& writer) {
#ifdef MUST_FAIL
  writer.Emit<"C_BRAKE">();
#else
  writer.Emit<"C_BREAK">();
#endif
}
