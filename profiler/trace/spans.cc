#include "profiler/trace/spans.h"

#include <algorithm>

namespace moescope::profiler {

SpanStore::SpanStore(std::size_t lanes, std::uint64_t limit)
    : lanes_(lanes), limit_(std::max<std::uint64_t>(limit, 2 * lanes)) {}

void SpanStore::Add(std::size_t lane, const Span& span) {
  if (span.begin >= span.end) return;
  std::vector<Span>& spans = lanes_[lane];
  if (!spans.empty() && spans.back().end == span.begin && spans.back().stage == span.stage &&
      spans.back().pc == span.pc) {
    spans.back().end = span.end;
    return;
  }
  spans.push_back(span);
  if (++size_ > limit_) Compact();
}

void SpanStore::Compact() {
  const std::uint64_t target = size_ / 2;
  MergeRuns();
  if (size_ > target) Settle();  // what came since the last time, at the period of the rest
  while (size_ > target && size_ > 2 * lanes_.size()) {
    ChoosePeriod();
    Sample();
  }
}

void SpanStore::Settle() {
  if (period_ > 0) Sample();
}

// Twice the last period; at first, one of which there are about as many in the run as spans.
void SpanStore::ChoosePeriod() {
  if (period_ == 0) {
    emulator::Cycle last = 0;
    for (const std::vector<Span>& spans : lanes_) {
      if (!spans.empty()) last = std::max(last, spans.back().end);
    }
    period_ = 1;
    while (last / period_ > size_) period_ *= 2;
  }
  period_ *= 2;
}

void SpanStore::MergeRuns() {
  size_ = 0;
  for (std::vector<Span>& spans : lanes_) {
    std::size_t kept = 0;
    for (const Span& span : spans) {
      if (kept > 0 && spans[kept - 1].stage == span.stage) {
        spans[kept - 1].end = span.end;
        spans[kept - 1].pc = emulator::kNoPc;
        ++merged_;
      } else {
        spans[kept++] = span;
      }
    }
    spans.resize(kept);
    size_ += kept;
  }
}

void SpanStore::Sample() {
  size_ = 0;
  for (std::vector<Span>& spans : lanes_) {
    std::vector<Span> sampled;
    for (const Span& span : spans) {
      // The periods that begin inside the span.
      const emulator::Cycle begin = (span.begin + period_ - 1) / period_ * period_;
      const emulator::Cycle end = (span.end + period_ - 1) / period_ * period_;
      if (begin >= end) {
        ++merged_;
      } else if (!sampled.empty() && sampled.back().end == begin &&
                 sampled.back().stage == span.stage) {
        sampled.back().end = end;
        ++merged_;
      } else {
        sampled.push_back({begin, end, emulator::kNoPc, span.stage});
      }
    }
    spans = std::move(sampled);
    size_ += spans.size();
  }
}

}  // namespace moescope::profiler
