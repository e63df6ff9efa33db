#pragma once

#include "emulator/event.h"

namespace moescope::emulator {

// The provenance of a parameter (timing.md, 1.5). It has no default: a parameter without a label
// does not compile.
class Label {
 public:
  constexpr Label(CostClass value) : value_(value) {}
  constexpr operator CostClass() const { return value_; }

 private:
  CostClass value_;
};

}  // namespace moescope::emulator
