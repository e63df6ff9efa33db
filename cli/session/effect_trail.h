#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/event.h"

namespace moescope::session {

// Executed instructions, by their place in program order.
struct InstructionRange {
  std::uint64_t begin = 0;
  std::uint64_t count = UINT64_MAX;
  bool operator==(const InstructionRange&) const = default;
};

// What the executed instructions of a range did: digests of all effects since the begin of the
// range, one every `stride()` instructions. The stride doubles whenever `most` digests are kept, so
// that memory does not grow with the length of a run; two runs over ever narrower ranges find the
// first instruction that differs.
class EffectTrail : public emulator::Listener {
 public:
  static constexpr std::size_t kMost = 4096;

  // `most` is even and at least 2.
  explicit EffectTrail(InstructionRange range, std::size_t most = kMost);

  bool WantsEffects() const override { return true; }
  void OnAccepted(const emulator::Accepted& event) override;
  void OnEffect(const emulator::Effect& event) override;
  void OnEnd(const emulator::RunEnd& end) override;

  // Of the whole run.
  std::uint64_t executed() const { return executed_; }
  std::uint64_t stride() const { return stride_; }
  // The pc of an instruction of the range; the stride is 1.
  std::uint32_t PcOf(std::uint64_t instruction) const;

  // The instructions among which two runs over the same range differ first; nothing when all that
  // both executed in it agree. The range is one instruction when both strides are 1.
  static std::optional<InstructionRange> FirstDifference(const EffectTrail& a,
                                                         const EffectTrail& b);

 private:
  struct Checkpoint {
    std::uint64_t digest = 0;
    std::uint32_t pc = 0;  // of the last instruction before it
  };

  void Add(std::uint64_t value);
  void Close();
  void DropEveryOther();
  // Instructions of the range that were executed.
  std::uint64_t CountInRange() const;

  InstructionRange range_;
  std::size_t most_;
  std::uint64_t stride_ = 1;
  std::uint64_t executed_ = 0;
  bool open_ = false;  // the latest instruction is in the range and may still add effects
  Checkpoint current_;
  std::vector<Checkpoint> checkpoints_;
};

}  // namespace moescope::session
