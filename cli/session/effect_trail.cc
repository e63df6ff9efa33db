#include "cli/session/effect_trail.h"

#include <algorithm>

#include "base/check.h"

namespace moescope::session {

namespace {

// 64-bit FNV-1a.
constexpr std::uint64_t kOffsetBasis = 0xCBF29CE484222325u;
constexpr std::uint64_t kPrime = 0x100000001B3u;

}  // namespace

EffectTrail::EffectTrail(InstructionRange range, std::size_t most) : range_(range), most_(most) {
  CHECK(most >= 2 && most % 2 == 0);
  current_.digest = kOffsetBasis;
}

void EffectTrail::OnAccepted(const emulator::Accepted& event) {
  Close();
  const std::uint64_t instruction = executed_++;
  open_ = instruction >= range_.begin && instruction - range_.begin < range_.count;
  if (!open_) return;
  current_.pc = event.pc;
  Add(event.pc);
}

void EffectTrail::OnEffect(const emulator::Effect& event) {
  if (!open_) return;
  Add(static_cast<std::uint64_t>(event.kind));
  Add(event.first);
  Add(event.last);
  Add(event.value);
  Add(event.bytes.size());
  for (const char byte : event.bytes) {
    current_.digest = (current_.digest ^ static_cast<unsigned char>(byte)) * kPrime;
  }
}

void EffectTrail::OnEnd(const emulator::RunEnd&) { Close(); }

void EffectTrail::Add(std::uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) {
    current_.digest = (current_.digest ^ (value >> (8 * byte) & 0xFF)) * kPrime;
  }
}

void EffectTrail::Close() {
  if (!open_) return;
  open_ = false;
  if (CountInRange() % stride_ != 0) return;
  if (checkpoints_.size() == most_) DropEveryOther();
  if (CountInRange() % stride_ == 0) checkpoints_.push_back(current_);
}

void EffectTrail::DropEveryOther() {
  for (std::size_t i = 0; i < most_ / 2; ++i) checkpoints_[i] = checkpoints_[2 * i + 1];
  checkpoints_.resize(most_ / 2);
  stride_ *= 2;
}

std::uint64_t EffectTrail::CountInRange() const {
  return executed_ <= range_.begin ? 0 : std::min(executed_ - range_.begin, range_.count);
}

std::uint32_t EffectTrail::PcOf(std::uint64_t instruction) const {
  CHECK(stride_ == 1 && instruction >= range_.begin);
  return checkpoints_.at(instruction - range_.begin).pc;
}

std::optional<InstructionRange> EffectTrail::FirstDifference(const EffectTrail& a,
                                                             const EffectTrail& b) {
  CHECK(a.range_ == b.range_);
  const std::uint64_t common = std::min(a.CountInRange(), b.CountInRange());
  // A stride is a power of two: every checkpoint of the wider one is one of the other's too.
  const std::uint64_t stride = std::max(a.stride_, b.stride_);
  std::uint64_t agreed = 0;
  for (; agreed + stride <= common; agreed += stride) {
    const std::uint64_t end = agreed + stride;
    const Checkpoint& left = a.checkpoints_[end / a.stride_ - 1];
    const Checkpoint& right = b.checkpoints_[end / b.stride_ - 1];
    if (left.digest != right.digest) return InstructionRange{a.range_.begin + agreed, stride};
  }
  if (agreed == common) return std::nullopt;
  const bool same_end =
      a.CountInRange() == b.CountInRange() && a.current_.digest == b.current_.digest;
  if (same_end) return std::nullopt;
  return InstructionRange{a.range_.begin + agreed, common - agreed};
}

}  // namespace moescope::session
