#include "profiler/timeline.h"

#include <algorithm>

namespace moescope::profiler {

namespace {

constexpr std::size_t kMaximumBins = 512;
constexpr std::size_t kMinimumBins = 8;
constexpr std::size_t kMaximumCells = 65536;  // stages x bins, beyond the minimum

std::size_t BinsFor(std::size_t stages) {
  std::size_t bins = kMaximumBins;
  while (bins > kMinimumBins && bins * stages > kMaximumCells) bins /= 2;
  return bins;
}

}  // namespace

Timeline::Timeline(std::size_t stages)
    : stages_(stages),
      bins_(BinsFor(stages)),
      cycles_(stages * bins_),
      used_(stages, false),
      bytes_{std::vector<std::uint64_t>(bins_), std::vector<std::uint64_t>(bins_)} {}

void Timeline::AddCycles(std::uint32_t stage, emulator::Cycle begin, emulator::Cycle end) {
  if (begin >= end) return;
  MakeRoom(end - 1);
  used_[stage] = true;
  std::uint64_t* row = cycles_.data() + stage * bins_;
  while (begin < end) {
    const std::uint64_t bin = begin >> shift_;
    const emulator::Cycle bin_end = (bin + 1) << shift_;
    const emulator::Cycle piece_end = std::min(end, bin_end);
    row[bin] += piece_end - begin;
    begin = piece_end;
  }
}

void Timeline::AddBytes(bool is_write, emulator::Cycle cycle, std::uint64_t bytes) {
  MakeRoom(cycle);
  bytes_[is_write ? 1 : 0][cycle >> shift_] += bytes;
}

void Timeline::MakeRoom(emulator::Cycle last) {
  while (last >> shift_ >= bins_) {
    for (std::size_t stage = 0; stage < stages_; ++stage) {
      if (used_[stage]) Fold(cycles_.data() + stage * bins_, bins_);
    }
    Fold(bytes_[0].data(), bins_);
    Fold(bytes_[1].data(), bins_);
    ++shift_;
  }
}

void Timeline::Fold(std::uint64_t* bins, std::size_t count) {
  for (std::size_t i = 0; i < count / 2; ++i) bins[i] = bins[2 * i] + bins[2 * i + 1];
  std::fill(bins + count / 2, bins + count, 0);
}

std::vector<std::uint64_t> Timeline::Row(const std::uint64_t* bins, emulator::Cycle total) const {
  const emulator::Cycle last = total == 0 ? 0 : total - 1;
  const std::size_t count = std::min(bins_, static_cast<std::size_t>(last >> shift_) + 1);
  std::vector<std::uint64_t> row(bins, bins + count);
  for (std::size_t i = count; i < bins_; ++i) row.back() += bins[i];
  return row;
}

std::vector<std::uint64_t> Timeline::StageCycles(std::uint32_t stage, emulator::Cycle total) const {
  return Row(cycles_.data() + stage * bins_, total);
}

std::vector<std::uint64_t> Timeline::Bytes(bool is_write, emulator::Cycle total) const {
  return Row(bytes_[is_write ? 1 : 0].data(), total);
}

}  // namespace moescope::profiler
