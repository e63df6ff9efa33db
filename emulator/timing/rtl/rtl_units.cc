#include "emulator/timing/rtl/rtl_units.h"

#include <algorithm>
#include <bit>

namespace moescope::emulator {

using isa::TimingClass;

Cycle RtlDepths::ElementWrite(TimingClass timing) const {
  switch (timing) {
    case TimingClass::kVectorAddVector:
    case TimingClass::kVectorAddScalar:
      return 9 + 6;
    case TimingClass::kVectorMultiplyVector:
    case TimingClass::kVectorMultiplyScalar:
      return 9 + 4;
    case TimingClass::kVectorExp:
      return 9 + 16;
    case TimingClass::kVectorReciprocal:
      return 9 + 5;
    default:
      return 9 + 1;
  }
}

Cycle RtlDepths::ReductionWrite() const {
  return 5 + 7 * static_cast<Cycle>(std::bit_width(shape_.vlen));  // L(V) = ceil(log2(V + 1))
}

Cycle RtlDepths::ScalarWrite(TimingClass timing) const {
  switch (timing) {
    case TimingClass::kScalarMultiply:
      return 6;
    case TimingClass::kScalarMax:
      return 2;
    case TimingClass::kScalarExp:
      return 19;
    case TimingClass::kScalarSquareRoot:
      return 4;
    default:
      return 8;
  }
}

Cycle RtlDepths::Accumulate(TimingClass timing) const {
  return IsArray(timing) ? 3 * Cycle{shape_.blen} + 9 : Cycle{shape_.mlen} + 4;
}

Cycle RtlDepths::FirstOfTile(TimingClass timing) const {
  return IsArray(timing) ? 2 * Cycle{shape_.mlen} - 1 : 0;
}

Cycle RtlDepths::DrainedRows(TimingClass timing) const {
  switch (timing) {
    case TimingClass::kMatrixWriteOut:
      return shape_.blen;
    case TimingClass::kBroadcastWriteOut:
      return shape_.mlen;
    case TimingClass::kBroadcastVectorWriteOut:
      return shape_.broadcast;
    default:
      return 1;
  }
}

Release SettleWindows::Free(Cycle cycle) const {
  Release free{cycle, 0, kNoPc};
  bool moved = true;
  while (moved) {
    moved = false;
    for (const Window& window : windows_) {
      if (window.begin > free.cycle || window.last.cycle < free.cycle) continue;
      free = {window.last.cycle + 1, window.last.sequence, window.last.pc};
      moved = true;
    }
  }
  return free;
}

bool SettleWindows::IsEarly(Cycle cycle) const {
  return std::any_of(windows_.begin(), windows_.end(), [cycle](const Window& window) {
    return cycle > window.issued && cycle < window.begin;
  });
}

}  // namespace moescope::emulator
