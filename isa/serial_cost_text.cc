#include "isa/serial_cost_text.h"

namespace moescope::isa {

std::string_view SerialCostText(TimingClass timing) {
  switch (timing) {
    case TimingClass::kMatrixMultiply:
    case TimingClass::kBroadcastMultiply:
      return "SYSTOLIC_PROCESSING_OVERHEAD + MLEN";
    case TimingClass::kMatrixVector:
      return "MLEN";
    case TimingClass::kBroadcastVector:
      return "SYSTOLIC_PROCESSING_OVERHEAD + 1";
    case TimingClass::kMatrixWriteOut:
    case TimingClass::kBroadcastWriteOut:
    case TimingClass::kVectorWriteOut:
    case TimingClass::kBroadcastVectorWriteOut:
      return "wo_cycles";
    case TimingClass::kVectorAddVector:
    case TimingClass::kVectorAddScalar:
      return "VECTOR_ADD";
    case TimingClass::kVectorMultiplyVector:
    case TimingClass::kVectorMultiplyScalar:
    case TimingClass::kVectorShift:
      return "VECTOR_MUL";
    case TimingClass::kVectorExp:
      return "VECTOR_EXP";
    case TimingClass::kVectorReciprocal:
      return "VECTOR_RECI";
    case TimingClass::kVectorMax:
      return "VECTOR_MAX";
    case TimingClass::kReduceMax:
      return "VECTOR_MAX, 0 for f0";
    case TimingClass::kReduceSum:
      return "VECTOR_SUM, 0 for f0";
    case TimingClass::kTopK:
      return "VECTOR_MAX * experts";
    case TimingClass::kScalarAdd:
    case TimingClass::kScalarMultiply:
    case TimingClass::kScalarMax:
      return "SCALAR_FP_BASIC, 0 for f0";
    case TimingClass::kScalarExp:
      return "SCALAR_FP_EXP, 0 for f0";
    case TimingClass::kScalarReciprocal:
      return "SCALAR_FP_RECI, 0 for f0";
    case TimingClass::kScalarSquareRoot:
      return "SCALAR_FP_SQRT, 0 for f0";
    case TimingClass::kScalarMemory:
    case TimingClass::kControl:
    case TimingClass::kLoopStart:
    case TimingClass::kLoopEnd:
      return "1";
    case TimingClass::kMap:
      return "2 VLEN";
    case TimingClass::kInteger:
      return "SCALAR_INT_BASIC";
    case TimingClass::kPrefetchMatrix:
    case TimingClass::kPrefetchVector:
    case TimingClass::kStoreVector:
      return "dma_issue_cycles, then until its last byte arrived";
  }
  return "";
}

}  // namespace moescope::isa
