#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace moescope::emulator {

// Structures of profile.md, 5.5 whose high-water mark follows from function alone.
enum class Resource : std::uint8_t {
  kHbmAddress,
  kMramTiles,
  kVramRows,
  kFpMemWords,
  kIntMemWords,
  kLoopDepth,
};
inline constexpr std::size_t kResourceCount = static_cast<std::size_t>(Resource::kLoopDepth) + 1;

// How far a program reached into each resource: one more than the highest index touched, or the
// largest number of loops open at once.
class Usage {
 public:
  void Reach(Resource resource, std::uint64_t end) {
    std::uint64_t& mark = marks_[static_cast<std::size_t>(resource)];
    if (end <= mark) [[likely]]
      return;
    mark = end;
    changed_ = true;
  }
  std::uint64_t mark(Resource resource) const { return marks_[static_cast<std::size_t>(resource)]; }
  // Whether a mark rose since the last call of this function.
  bool TakeChanged() {
    const bool changed = changed_;
    changed_ = false;
    return changed;
  }

 private:
  std::array<std::uint64_t, kResourceCount> marks_{};
  bool changed_ = false;
};

}  // namespace moescope::emulator
