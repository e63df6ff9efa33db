#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/event.h"

namespace moescope::emulator {

// Hazards that the released RTL does not interlock (timing.md, 5.2): timed as there and counted.
enum class Interlock : std::uint8_t {
  kMatrixBeforePrefetch,  // M_* on a tile whose prefetch has not landed
  kMapNextSlot,           // R5: an access in the slot after S_MAP_V_FP
  kVectorBeforeSettle,    // R7: a V op too early behind M_* to be held
  kLoadNextSlot,          // S_LD_FP used in the next slot
  kReadAfterStore,        // a prefetch of bytes that an H_STORE_V in flight writes
  kMultiplyInteger,       // S_MUL_INT: the RTL writes the next instruction's register
};
inline constexpr std::size_t kInterlockCount =
    static_cast<std::size_t>(Interlock::kMultiplyInteger) + 1;
inline constexpr std::array<std::string_view, kInterlockCount> kInterlockNames = {
    "matrix_before_prefetch", "map_next_slot",    "vector_before_settle",
    "load_fp_next_slot",      "read_after_store", "multiply_int_destination"};

class MissingInterlocks {
 public:
  void Count(Interlock interlock) { ++counts_[static_cast<std::size_t>(interlock)]; }
  std::uint64_t Of(Interlock interlock) const {
    return counts_[static_cast<std::size_t>(interlock)];
  }
  // Those that were hit.
  std::vector<MissingInterlock> List() const {
    std::vector<MissingInterlock> list;
    for (std::size_t i = 0; i < kInterlockCount; ++i) {
      if (counts_[i] > 0) list.push_back({std::string(kInterlockNames[i]), counts_[i]});
    }
    return list;
  }

 private:
  std::array<std::uint64_t, kInterlockCount> counts_{};
};

}  // namespace moescope::emulator
