#include "cli/session/memory_reader.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "isa/bfloat16.h"

namespace moescope::session {

namespace {

bool IsBf16(Memory memory) { return memory == Memory::kVram || memory == Memory::kFpSram; }

// Position of a float in the order of its type: consecutive numbers differ by one, and +0 and -0 by
// nothing.
std::int64_t Order(std::uint32_t bits, std::uint32_t sign) {
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::uint64_t MemoryReader::size() const {
  switch (memory_) {
    case Memory::kVram:
      return state_.vram.rows() * state_.vram.width();
    case Memory::kMram:
      return state_.mram.rows() * state_.mram.width();
    case Memory::kFpSram:
      return state_.fp_mem.size();
    case Memory::kIntSram:
      return state_.int_mem.size();
    case Memory::kHbm:
      return state_.hbm.size();
    case Memory::kRegisters:
      break;
  }
  return 0;
}

std::uint32_t MemoryReader::Bits(std::uint64_t address) const {
  switch (memory_) {
    case Memory::kVram:
      return state_.vram.Read(address / state_.vram.width())[address % state_.vram.width()];
    case Memory::kMram:
      return std::bit_cast<std::uint32_t>(
          state_.mram.Read(address / state_.mram.width())[address % state_.mram.width()]);
    case Memory::kFpSram:
      return state_.fp_mem.Read(address);
    case Memory::kIntSram:
      return state_.int_mem.Read(address);
    case Memory::kHbm: {
      std::array<std::uint8_t, 1> byte{};
      state_.hbm.Read(address, byte);
      return byte[0];
    }
    case Memory::kRegisters:
      break;
  }
  return 0;
}

double MemoryReader::Value(std::uint64_t address) const { return ValueOf(Bits(address)); }

double MemoryReader::ValueOf(std::uint32_t bits) const {
  if (IsBf16(memory_)) return isa::Bf16ToFloat(static_cast<isa::Bf16>(bits));
  if (memory_ == Memory::kMram) return std::bit_cast<float>(bits);
  return bits;
}

std::uint32_t MemoryReader::BitsOf(double value) const {
  if (IsBf16(memory_)) return isa::FloatToBf16(static_cast<float>(value));
  if (memory_ == Memory::kMram) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (!(value > 0)) return 0;
  return value >= 4294967296.0 ? UINT32_MAX : static_cast<std::uint32_t>(value);
}

std::uint64_t MemoryReader::Distance(std::uint32_t a, std::uint32_t b) const {
  const bool is_float = IsBf16(memory_) || memory_ == Memory::kMram;
  if (!is_float) return a > b ? a - b : b - a;
  const bool a_is_nan = std::isnan(ValueOf(a));
  const bool b_is_nan = std::isnan(ValueOf(b));
  if (a_is_nan || b_is_nan) return a_is_nan && b_is_nan ? 0 : UINT64_MAX;
  const std::uint32_t sign = IsBf16(memory_) ? 0x8000u : 0x80000000u;
  const std::int64_t difference = Order(a, sign) - Order(b, sign);
  return static_cast<std::uint64_t>(difference < 0 ? -difference : difference);
}

std::string MemoryReader::Shown(std::uint32_t bits) const {
  if (IsBf16(memory_)) return absl::StrFormat("0x%04x (%g)", bits, ValueOf(bits));
  if (memory_ == Memory::kMram) return absl::StrFormat("0x%08x (%g)", bits, ValueOf(bits));
  return absl::StrCat(bits);
}

}  // namespace moescope::session
