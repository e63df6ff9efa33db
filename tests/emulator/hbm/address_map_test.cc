#include "emulator/hbm/address_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

#include "tests/emulator/hbm/tick_dram.h"

namespace moescope::emulator {
namespace {

TEST(AddressMapTest, EqualsTheFieldByFieldDefinition) {
  std::mt19937_64 random(1);
  for (std::uint32_t channels = 1; channels <= 64; channels *= 2) {
    const AddressMap map(channels);
    const TickDram reference(channels);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t address = random() >> (random() % 50);
      const BankAddress place = map.Locate(address);
      const TickRequest expected = reference.Place({.address = address});
      EXPECT_EQ(place.channel, expected.channel);
      EXPECT_EQ(place.bank, expected.pseudochannel * 16 + expected.group * 4 + expected.bank);
      EXPECT_EQ(place.row, expected.row);
    }
  }
}

TEST(AddressMapTest, ALineTouchesFourChannels) {
  const AddressMap map(8);
  for (std::uint64_t line = 0; line < 4096; ++line) {
    std::set<std::uint32_t> channels;
    for (std::uint64_t b = 0; b < 4; ++b) channels.insert(map.Locate(line * 64 + b * 16).channel);
    EXPECT_EQ(channels.size(), 4u);
  }
}

TEST(AddressMapTest, Distance131072SharesABankButNoRow) {
  const AddressMap map(8);
  for (std::uint64_t address = 0; address < 131072; address += 4112) {
    const BankAddress a = map.Locate(address);
    const BankAddress b = map.Locate(address + 131072);
    EXPECT_EQ(a.channel, b.channel);
    EXPECT_EQ(a.bank, b.bank);
    EXPECT_EQ(a.row + 1, b.row);
  }
}

// No two bursts of one aligned region share a place: the fold is a permutation.
TEST(AddressMapTest, EveryRowHolds32Bursts) {
  for (std::uint32_t channels = 1; channels <= 64; channels *= 2) {
    const AddressMap map(channels);
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, int> bursts;
    const std::uint64_t region = std::uint64_t{channels} * kBanks * 512;
    for (std::uint64_t address = 0; address < region; address += kBurstBytes) {
      const BankAddress place = map.Locate(address);
      ++bursts[{place.channel, place.bank, place.row}];
    }
    EXPECT_EQ(bursts.size(), channels * kBanks);
    for (const auto& [place, count] : bursts) EXPECT_EQ(count, 32);
  }
}

}  // namespace
}  // namespace moescope::emulator
