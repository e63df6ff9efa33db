#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/check.h"
#include "emulator/event.h"

namespace moescope::emulator {

// Front-end slots that stay empty (timing.md 5.2, R8 to R10), and why.
class SlotMarks {
 public:
  struct Mark {
    Cycle slot = 0;
    Reason reason = Reason::kRecovery;
    std::uint32_t pc = kNoPc;  // whose cycle it is
  };

  // Marks ascend; those of an instruction replace marks of the one before that lie later.
  void Add(const Mark& mark) {
    CHECK(size_ < marks_.size());
    marks_[size_++] = mark;
  }
  const Mark* At(Cycle slot) const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (marks_[i].slot == slot) return &marks_[i];
    }
    return nullptr;
  }
  void ForgetBefore(Cycle slot) {
    const auto end = marks_.begin() + static_cast<std::ptrdiff_t>(size_);
    const auto kept =
        std::remove_if(marks_.begin(), end, [slot](const Mark& m) { return m.slot < slot; });
    size_ = static_cast<std::size_t>(kept - marks_.begin());
  }

 private:
  std::array<Mark, 16> marks_;
  std::size_t size_ = 0;
};

}  // namespace moescope::emulator
