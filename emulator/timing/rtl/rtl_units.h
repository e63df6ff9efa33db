#pragma once

#include <cstdint>
#include <vector>

#include "emulator/machine.h"
#include "emulator/timing/op_info.h"
#include "emulator/timing/pipelined/row_uses.h"

namespace moescope::emulator {

// Depths and distances of the released RTL's datapath (timing.md, 5.1 and 5.2); cycles from the
// execute stage x of an instruction on.
class RtlDepths {
 public:
  explicit RtlDepths(const Shape& shape) : shape_(shape) {}

  // R2: the VRAM write of an element operation.
  Cycle ElementWrite(isa::TimingClass timing) const;
  // R3: the register write of a reduction; of V_TOPK, the last memory write (A07).
  Cycle ReductionWrite() const;
  Cycle TopKWrite(std::uint32_t experts) const { return 4 * Cycle{experts}; }
  // R4: the register write of scalar arithmetic.
  Cycle ScalarWrite(isa::TimingClass timing) const;
  // R5: when the FP memory is free again.
  Cycle MapEnd() const { return shape_.vlen + Cycle{4}; }
  // R6: accumulation, without the extra of a tile's first.
  Cycle Accumulate(isa::TimingClass timing) const;
  Cycle FirstOfTile(isa::TimingClass timing) const;
  // R6: M_*_WO behind the multiply, and rows that it drains.
  Cycle WriteOutAfter() const { return shape_.blen + Cycle{7}; }
  Cycle DrainedRows(isa::TimingClass timing) const;

  static bool IsArray(isa::TimingClass timing) {
    return timing == isa::TimingClass::kMatrixMultiply ||
           timing == isa::TimingClass::kBroadcastMultiply;
  }
  static bool IsArrayWriteOut(isa::TimingClass timing) {
    return timing == isa::TimingClass::kMatrixWriteOut ||
           timing == isa::TimingClass::kBroadcastWriteOut;
  }
  static std::uint32_t Slots(const OpInfo& info) {
    return info.is_three_address || info.timing == isa::TimingClass::kVectorShift ? 2 : 1;
  }

 private:
  Shape shape_;
};

// R7: the cycles in which the matrix array keeps V ops out.
class SettleWindows {
 public:
  // A matrix op issued at `issued` holds V ops in [begin, last.cycle]; those before `begin` slip
  // through.
  void Open(Cycle issued, Cycle begin, const Release& last) {
    windows_.push_back({issued, begin, last});
  }
  // A write-out keeps the array active longer.
  void Extend(const Release& last) {
    if (!windows_.empty()) windows_.back().last.Raise(last);
  }

  // From when on a V op that could be at `cycle` is not held, and the last matrix op that held it.
  Release Free(Cycle cycle) const;
  // Whether a V op at `cycle` slips through.
  bool IsEarly(Cycle cycle) const;

  // No V op will be before `cycle`.
  void ForgetBefore(Cycle cycle) {
    std::erase_if(windows_, [cycle](const Window& w) { return w.last.cycle < cycle; });
  }

 private:
  struct Window {
    Cycle issued = 0;
    Cycle begin = 0;
    Release last;
  };
  std::vector<Window> windows_;
};

}  // namespace moescope::emulator
