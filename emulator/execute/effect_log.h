#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/event.h"

namespace moescope::emulator {

// The state changes of the instruction being executed, noted only when someone asked for them. The
// bytes of rows, tiles and HBM are not copied: they are read from the state afterwards.
class EffectLog {
 public:
  struct Entry {
    Effect::Kind kind = Effect::Kind::kIntegerRegister;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t value = 0;
  };

  explicit EffectLog(bool enabled) : enabled_(enabled) {}
  bool enabled() const { return enabled_; }
  std::span<const Entry> entries() const { return entries_; }
  void Clear() { entries_.clear(); }

  void Note(Effect::Kind kind, std::uint64_t index, std::uint64_t value) {
    if (enabled_) [[unlikely]]
      entries_.push_back({kind, index, index, value});
  }
  void NoteRange(Effect::Kind kind, std::uint64_t first, std::uint64_t last) {
    if (enabled_) [[unlikely]]
      entries_.push_back({kind, first, last, 0});
  }

 private:
  bool enabled_;
  std::vector<Entry> entries_;
};

}  // namespace moescope::emulator
