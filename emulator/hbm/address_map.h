#pragma once

#include <bit>
#include <cstdint>

namespace moescope::emulator {

inline constexpr std::uint32_t kBurstBytes = 16;
inline constexpr std::uint32_t kLineBytes = 64;
inline constexpr std::uint32_t kBurstsPerLine = kLineBytes / kBurstBytes;

// Organisation of one channel (timing.md, 6.1). A bank number is pseudochannel, group, bank from
// the high end, so that its upper bits name the scopes it lies in.
inline constexpr std::uint32_t kPseudochannels = 2;
inline constexpr std::uint32_t kBankGroups = 8;  // of both pseudochannels
inline constexpr std::uint32_t kBanks = 32;      // of both pseudochannels

constexpr std::uint32_t GroupOf(std::uint32_t bank) { return bank >> 2; }
constexpr std::uint32_t PseudochannelOf(std::uint32_t bank) { return bank >> 4; }

struct BankAddress {
  std::uint32_t channel = 0;
  std::uint32_t bank = 0;  // 0..31 within the channel
  std::uint64_t row = 0;

  friend bool operator==(const BankAddress&, const BankAddress&) = default;
};

// Byte address to channel, bank and row (timing.md, 6.1): fields from the low end of the burst
// number, then the column folded in so that neighbouring bursts spread over channels and banks.
class AddressMap {
 public:
  // `channels` is a power of two, 1..64.
  explicit constexpr AddressMap(std::uint32_t channels)
      : channel_bits_(static_cast<std::uint32_t>(std::countr_zero(channels))) {}

  constexpr BankAddress Locate(std::uint64_t byte_address) const {
    std::uint64_t rest = byte_address / kBurstBytes;
    const auto take = [&rest](std::uint32_t bits) {
      const std::uint32_t field = static_cast<std::uint32_t>(rest) & ((1u << bits) - 1);
      rest >>= bits;
      return field;
    };
    std::uint32_t column = take(2);
    const std::uint32_t channel = take(channel_bits_);
    const std::uint32_t pseudochannel = take(1);
    const std::uint32_t group = take(2);
    const std::uint32_t bank = take(2);
    column |= take(3) << 2;
    const std::uint32_t fold = column >> channel_bits_;
    return {
        channel ^ (column & ((1u << channel_bits_) - 1)),
        (pseudochannel ^ (fold & 1)) << 4 | (group ^ (fold >> 1 & 3)) << 2 | (bank ^ (fold >> 3)),
        rest};
  }

 private:
  std::uint32_t channel_bits_;
};

}  // namespace moescope::emulator
