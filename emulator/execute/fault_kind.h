#pragma once

#include <string_view>

#include "emulator/event.h"

// The faults of isa.md, 6 with their stable ids (tools.md, 4). explanations.cc holds their texts.

namespace moescope::emulator {

struct FaultKind {
  std::string_view id;
  FaultCategory category;
};

namespace fault {

inline constexpr FaultKind kUndefinedWord{"FT101", FaultCategory::kIllegalInstruction};
inline constexpr FaultKind kFixedFieldNotZero{"FT102", FaultCategory::kIllegalInstruction};
inline constexpr FaultKind kUnusedBitsSet{"FT103", FaultCategory::kIllegalInstruction};

inline constexpr FaultKind kRegisterIndex{"FT201", FaultCategory::kIllegalOperand};
inline constexpr FaultKind kReservedValue{"FT202", FaultCategory::kIllegalOperand};
inline constexpr FaultKind kLoopCountZero{"FT203", FaultCategory::kIllegalOperand};
inline constexpr FaultKind kLoopOnZeroRegister{"FT204", FaultCategory::kIllegalOperand};
inline constexpr FaultKind kTopKShape{"FT205", FaultCategory::kIllegalOperand};
inline constexpr FaultKind kTopKUnset{"FT206", FaultCategory::kIllegalOperand};
inline constexpr FaultKind kWriteOutStrideZero{"FT207", FaultCategory::kIllegalOperand};

inline constexpr FaultKind kVramAlignment{"FT301", FaultCategory::kAlignment};
inline constexpr FaultKind kMramTileAlignment{"FT302", FaultCategory::kAlignment};
inline constexpr FaultKind kMatrixSliceAlignment{"FT303", FaultCategory::kAlignment};
inline constexpr FaultKind kHeadAlignment{"FT304", FaultCategory::kAlignment};
inline constexpr FaultKind kWriteOutAlignment{"FT305", FaultCategory::kAlignment};
inline constexpr FaultKind kMxOffsetAlignment{"FT306", FaultCategory::kAlignment};
inline constexpr FaultKind kMxStrideAlignment{"FT307", FaultCategory::kAlignment};

inline constexpr FaultKind kVramRange{"FT401", FaultCategory::kOutOfRange};
inline constexpr FaultKind kMramRange{"FT402", FaultCategory::kOutOfRange};
inline constexpr FaultKind kIntMemRange{"FT403", FaultCategory::kOutOfRange};
inline constexpr FaultKind kFpMemRange{"FT404", FaultCategory::kOutOfRange};
inline constexpr FaultKind kHbmRange{"FT501", FaultCategory::kOutOfRange};

inline constexpr FaultKind kLoopEndWithoutLoop{"FT601", FaultCategory::kControl};
inline constexpr FaultKind kLoopEndNotInnermost{"FT602", FaultCategory::kControl};
inline constexpr FaultKind kLoopRegisterInUse{"FT603", FaultCategory::kControl};
inline constexpr FaultKind kLoopDepth{"FT604", FaultCategory::kControl};
inline constexpr FaultKind kEndInsideLoop{"FT605", FaultCategory::kControl};
inline constexpr FaultKind kLoopInstructions{"FT606", FaultCategory::kControl};

inline constexpr FaultKind kBroadcastShape{"FT701", FaultCategory::kUnsupported};
inline constexpr FaultKind kTooManyHeads{"FT702", FaultCategory::kUnsupported};
inline constexpr FaultKind kNoSemantics{"FT703", FaultCategory::kUnsupported};

inline constexpr FaultKind kVramUninitialised{"FT911", FaultCategory::kUninitialised};
inline constexpr FaultKind kMramUninitialised{"FT912", FaultCategory::kUninitialised};
inline constexpr FaultKind kIntMemUninitialised{"FT913", FaultCategory::kUninitialised};
inline constexpr FaultKind kFpMemUninitialised{"FT914", FaultCategory::kUninitialised};

}  // namespace fault

}  // namespace moescope::emulator
