#include "cli/session/progress.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/session/fault_text.h"
#include "cli/session/interrupt.h"

namespace moescope::session {

namespace {

constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

std::string Thousands(std::uint64_t number) {
  std::string digits = absl::StrCat(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

ProgressLine::ProgressLine(const isa::Program& program, bool live,
                           std::optional<std::uint64_t> total,
                           std::function<void(std::string_view)> draw, Clock clock)
    : program_(program),
      live_(live),
      total_(total),
      draw_(std::move(draw)),
      clock_(std::move(clock)),
      started_(clock_()),
      drawn_(started_) {}

std::string ProgressLine::Text(const emulator::Progress& progress, double seconds) const {
  std::string text =
      absl::StrCat(Thousands(progress.instructions), " instructions, ", Thousands(progress.cycle),
                   " cycles, ", AttributionText(program_, progress.pc));
  if (seconds > 0) {
    absl::StrAppendFormat(&text, ", %.1f M instr/s",
                          static_cast<double>(progress.instructions) / seconds * 1e-6);
  }
  if (total_ && *total_ > 0) {
    const std::uint64_t percent =
        std::min<std::uint64_t>(100, progress.instructions * 100 / *total_);
    absl::StrAppend(&text, ", ", percent, "%");
  }
  return text;
}

void ProgressLine::Update(const emulator::Progress& progress) {
  const bool wished = SignalWatch::TakeProgressWish();
  if (!live_ && !wished) return;
  const auto now = clock_();
  if (!wished && now - drawn_ < kInterval) return;
  const std::chrono::duration<double> seconds = now - started_;
  if (wished) {
    draw_(absl::StrCat(visible_ ? "\r\033[K" : "", Text(progress, seconds.count()), "\n"));
    visible_ = false;
    return;
  }
  drawn_ = now;
  draw_(absl::StrCat("\r", Text(progress, seconds.count()), "\033[K"));
  visible_ = true;
}

void ProgressLine::Finish() {
  if (visible_) draw_("\r\033[K");
  visible_ = false;
}

}  // namespace moescope::session
