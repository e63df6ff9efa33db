// An emitter that serves several stages cannot be called without one.
// expect: too few arguments|no matching function
#include "asm/builder.h"

using moescope::assembler::Builder;
using moescope::stages::Attribution;

void EmitBreak(Builder& builder, const Attribution& attribution) {
  builder.In(attribution).Emit<"C_BREAK">();
}

void Use(Builder& builder) {
#ifdef MUST_FAIL
  EmitBreak(builder);
#else
  EmitBreak(builder, {.stage = moescope::stages::kGather});
#endif
}
