#include "emulator/timing/serial_costs.h"

#include <initializer_list>

namespace moescope::emulator {

using isa::TimingClass;

SerialCosts::SerialCosts(const MachineDescription& machine) {
  const auto set = [this](std::initializer_list<TimingClass> classes, Cycle cycles) {
    for (const TimingClass c : classes) cycles_[static_cast<std::size_t>(c)] = cycles;
  };
  const auto key = [&machine](LatencyKey k) -> Cycle { return machine.Latency(k); };
  const SerialOptions& options = machine.serial;
  const Cycle overhead = key(LatencyKey::kSystolicProcessingOverhead);
  const Cycle mlen = machine.shape.mlen;
  const Cycle vlen = machine.shape.vlen;

  set({TimingClass::kMatrixMultiply, TimingClass::kBroadcastMultiply}, overhead + mlen);
  set({TimingClass::kMatrixVector}, mlen);
  set({TimingClass::kBroadcastVector}, overhead + 1);
  set({TimingClass::kMatrixWriteOut, TimingClass::kBroadcastWriteOut, TimingClass::kVectorWriteOut,
       TimingClass::kBroadcastVectorWriteOut},
      options.wo_cycles);
  set({TimingClass::kVectorAddVector, TimingClass::kVectorAddScalar}, key(LatencyKey::kVectorAdd));
  set({TimingClass::kVectorMultiplyVector, TimingClass::kVectorMultiplyScalar},
      key(LatencyKey::kVectorMul));
  set({TimingClass::kVectorShift},
      key(options.shift_as_mul ? LatencyKey::kVectorMul : LatencyKey::kVectorShift));
  set({TimingClass::kVectorExp}, key(LatencyKey::kVectorExp));
  set({TimingClass::kVectorReciprocal}, key(LatencyKey::kVectorReci));
  set({TimingClass::kVectorMax, TimingClass::kReduceMax}, key(LatencyKey::kVectorMax));
  set({TimingClass::kReduceSum}, key(LatencyKey::kVectorSum));
  per_expert_ = key(LatencyKey::kVectorMax);
  set({TimingClass::kScalarAdd, TimingClass::kScalarMultiply, TimingClass::kScalarMax},
      key(LatencyKey::kScalarFpBasic));
  set({TimingClass::kScalarExp}, key(LatencyKey::kScalarFpExp));
  set({TimingClass::kScalarReciprocal}, key(LatencyKey::kScalarFpReci));
  set({TimingClass::kScalarSquareRoot}, key(LatencyKey::kScalarFpSqrt));
  set({TimingClass::kScalarMemory}, 1);
  set({TimingClass::kMap}, options.map_v_double ? 2 * vlen : vlen);
  set({TimingClass::kInteger}, key(LatencyKey::kScalarIntBasic));
  set({TimingClass::kControl, TimingClass::kLoopStart, TimingClass::kLoopEnd}, 1);
  set({TimingClass::kPrefetchMatrix, TimingClass::kPrefetchVector, TimingClass::kStoreVector},
      options.dma_issue_cycles);

  for (const TimingClass c :
       {TimingClass::kReduceSum, TimingClass::kReduceMax, TimingClass::kScalarAdd,
        TimingClass::kScalarMultiply, TimingClass::kScalarMax, TimingClass::kScalarExp,
        TimingClass::kScalarReciprocal, TimingClass::kScalarSquareRoot}) {
    zero_on_f0_[static_cast<std::size_t>(c)] = options.fp0_zero_cost;
  }
}

}  // namespace moescope::emulator
