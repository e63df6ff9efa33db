#include "profiler/flops.h"

namespace moescope::profiler {

Flops FlopsOf(isa::TimingClass timing, const emulator::RunDescription& run) {
  using enum isa::TimingClass;
  const std::uint64_t mlen = run.mlen;
  const std::uint64_t blen = run.blen;
  const std::uint64_t heads = std::uint64_t{run.broadcast} * run.hlen;
  switch (timing) {
    case kMatrixMultiply:
      return {.matrix = 2 * mlen * blen * blen};
    case kMatrixVector:
      return {.matrix = 2 * mlen * blen};
    case kBroadcastMultiply:
      return {.matrix = 2 * mlen * mlen * heads};
    case kBroadcastVector:
      return {.matrix = 2 * mlen * heads};
    case kVectorAddVector:
    case kVectorAddScalar:
    case kVectorMultiplyVector:
    case kVectorMultiplyScalar:
    case kVectorExp:
    case kVectorReciprocal:
    case kVectorMax:
    case kReduceSum:
    case kReduceMax:
      return {.vector = run.vlen};
    case kScalarAdd:
    case kScalarMultiply:
    case kScalarMax:
    case kScalarExp:
    case kScalarReciprocal:
    case kScalarSquareRoot:
      return {.scalar = 1};
    default:
      return {};
  }
}

}  // namespace moescope::profiler
