#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/check.h"
#include "emulator/hbm/burst.h"
#include "emulator/hbm/dram_timing.h"

namespace moescope::emulator {

// A request inside one channel.
struct ChannelRequest {
  Burst burst;
  DramClock offered = 0;
  DramClock admitted = 0;
  DramClock row_begin = kNever;
  std::uint32_t queued = 0;  // as in BurstLife
  bool commanded = false;    // its first command was issued
};

// Numbers of requests in a fixed order, oldest first.
class RequestQueue {
 public:
  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == kQueuePlaces; }
  std::uint8_t operator[](std::uint32_t position) const { return slots_[position]; }
  std::span<const std::uint8_t> slots() const { return {slots_.data(), size_}; }

  void Append(std::uint8_t slot) {
    DCHECK(!full());
    slots_[size_++] = slot;
  }
  void Remove(std::uint32_t position) {
    --size_;
    std::memmove(&slots_[position], &slots_[position + 1], size_ - position);
  }

 private:
  std::array<std::uint8_t, kQueuePlaces + 1> slots_{};
  std::uint32_t size_ = 0;
};

}  // namespace moescope::emulator
