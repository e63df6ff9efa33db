#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/timing_model.h"

namespace moescope::emulator {

// A cycle that something waits for, and the instruction that ends it.
struct Release {
  Cycle cycle = 0;
  std::uint64_t sequence = 0;
  std::uint32_t pc = kNoPc;

  // Keeps the later of both; ties: the older instruction.
  void Raise(const Release& other) {
    if (other.cycle > cycle || (other.cycle == cycle && other.sequence < sequence)) *this = other;
  }
};

// Whether two row sets share a row. Strided sets are exact, not bounding boxes.
bool ShareARow(const Rows& a, const Rows& b);

// SRAM rows in use by operations in flight. Holds only what is not over yet.
class RowUses {
 public:
  void Add(const Rows& rows, const Release& over) { uses_.push_back({rows, over}); }

  // The last use of any of `rows` that ends after `cycle`; cycle 0 if there is none.
  Release LastOf(const Rows& rows, Cycle cycle) const {
    Release last;
    if (rows.count == 0) return last;
    for (const Use& use : uses_) {
      if (use.over.cycle > std::max(cycle, last.cycle) && ShareARow(use.rows, rows)) {
        last = use.over;
      }
    }
    return last;
  }

  // Drops what is over at `cycle`.
  void Forget(Cycle cycle) {
    std::erase_if(uses_, [cycle](const Use& use) { return use.over.cycle <= cycle; });
  }

 private:
  struct Use {
    Rows rows;
    Release over;
  };
  std::vector<Use> uses_;  // in program order
};

}  // namespace moescope::emulator
