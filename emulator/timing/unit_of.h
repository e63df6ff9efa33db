#pragma once

#include "emulator/event.h"
#include "isa/instruction.h"

namespace moescope::emulator {

// The unit of timing.md 4.2 in which an instruction works; instructions of the front end and H_*
// have none here.
constexpr bool HasUnit(isa::TimingClass timing) { return timing < isa::TimingClass::kInteger; }

constexpr Unit UnitOf(isa::TimingClass timing) {
  using isa::TimingClass;
  if (timing <= TimingClass::kBroadcastVector) return Unit::kMxCompute;
  if (timing <= TimingClass::kBroadcastVectorWriteOut) return Unit::kMxWriteout;
  if (timing <= TimingClass::kVectorShift) return Unit::kVxElem;
  if (timing <= TimingClass::kTopK) return Unit::kVxRed;
  if (timing <= TimingClass::kScalarMax) return Unit::kSxAlu;
  if (timing <= TimingClass::kScalarSquareRoot) return Unit::kSxSfu;
  return Unit::kSxSram;
}

// What the front end calls a busy unit, and what it calls waiting for it at the end.
constexpr Reason BusyReason(Unit unit) {
  switch (unit) {
    case Unit::kMxCompute:
      return Reason::kMxBusy;
    case Unit::kMxWriteout:
      return Reason::kWoBusy;
    case Unit::kVxElem:
    case Unit::kVxRed:
      return Reason::kVxBusy;
    case Unit::kSxAlu:
    case Unit::kSxSfu:
    case Unit::kSxSram:
      return Reason::kSxBusy;
    default:
      return Reason::kDmaSlot;
  }
}

constexpr Reason DrainReason(Unit unit) {
  switch (unit) {
    case Unit::kMxCompute:
      return Reason::kDrainMx;
    case Unit::kMxWriteout:
      return Reason::kDrainWo;
    case Unit::kVxElem:
    case Unit::kVxRed:
      return Reason::kDrainVx;
    case Unit::kSxAlu:
    case Unit::kSxSfu:
    case Unit::kSxSram:
      return Reason::kDrainSx;
    default:
      return Reason::kDrainDma;
  }
}

}  // namespace moescope::emulator
