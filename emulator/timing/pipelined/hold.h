#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/check.h"
#include "emulator/hbm/clock_ratio.h"
#include "emulator/timing/dma/dma_phases.h"
#include "emulator/timing/pipelined/row_uses.h"

namespace moescope::emulator {

// Something that keeps an instruction in the front end until a cycle.
struct Hold {
  Reason reason = Reason::kOther;  // kDmaSlot: cut along the transfer that `dma` names
  Release until;
  DmaWaitFor dma;  // transaction null: not a DMA wait

  // What is waited for, in the words of a report.
  std::string_view What() const {
    if (dma.transaction == nullptr) return Name(reason);
    return dma.slot ? "a transfer slot" : "rows in flight";
  }
};

// The holds of one instruction in order of priority (timing.md, 4.3). A wait is given to the first
// one that is not over.
class HoldList {
 public:
  void Clear() { size_ = 0; }
  void Add(Reason reason, const Release& until, Cycle from) {
    if (until.cycle > from) Append({reason, until, {}});
  }
  void Append(const Hold& hold) {
    CHECK(size_ < holds_.size());
    holds_[size_++] = hold;
    last_ = std::max(size_ == 1 ? 0 : last_, hold.until.cycle);
  }
  bool empty() const { return size_ == 0; }
  std::span<const Hold> holds() const { return {holds_.data(), size_}; }
  // When the last of them is over; only if there is one.
  Cycle last() const { return last_; }
  // The first one that never is; only if last() is kNever.
  const Hold& endless() const {
    return *std::find_if(holds_.begin(), holds_.end(),
                         [](const Hold& hold) { return hold.until.cycle == kNever; });
  }

 private:
  std::array<Hold, 12> holds_;
  std::size_t size_ = 0;
  Cycle last_ = 0;
};

}  // namespace moescope::emulator
