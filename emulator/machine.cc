#include "emulator/machine.h"

#include <cmath>

namespace moescope::emulator {

namespace {

constexpr std::string_view kLatencyKeyNames[kLatencyKeyCount] = {"SYSTOLIC_PROCESSING_OVERHEAD",
                                                                 "VECTOR_ADD_CYCLES",
                                                                 "VECTOR_MUL_CYCLES",
                                                                 "VECTOR_EXP_CYCLES",
                                                                 "VECTOR_RECI_CYCLES",
                                                                 "VECTOR_MAX_CYCLES",
                                                                 "VECTOR_SUM_CYCLES",
                                                                 "VECTOR_SHIFT_CYCLES",
                                                                 "SCALAR_FP_BASIC_CYCLES",
                                                                 "SCALAR_FP_EXP_CYCLES",
                                                                 "SCALAR_FP_SQRT_CYCLES",
                                                                 "SCALAR_FP_RECI_CYCLES",
                                                                 "SCALAR_INT_BASIC_CYCLES"};

}  // namespace

std::string_view LatencyKeyName(LatencyKey key) {
  return kLatencyKeyNames[static_cast<std::size_t>(key)];
}

float BmmScale(const MachineDescription& machine) {
  if (machine.dialect.bmm_scale) return *machine.dialect.bmm_scale;
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(machine.shape.hlen)));
}

}  // namespace moescope::emulator
