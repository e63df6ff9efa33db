// Every constraint of timing.md 6.2, one clock early and on time (T9).

#include "emulator/hbm/bank_state.h"

#include <gtest/gtest.h>

#include <ostream>

namespace moescope::emulator {
namespace {

constexpr auto kAct = DramCommand::kActivate;
constexpr auto kPre = DramCommand::kPrecharge;
constexpr auto kRd = DramCommand::kRead;
constexpr auto kWr = DramCommand::kWrite;

// Banks that share ever less with bank 0.
constexpr std::uint32_t kSameBank = 0;
constexpr std::uint32_t kSameGroup = 1;
constexpr std::uint32_t kSamePseudochannel = 4;
constexpr std::uint32_t kSameChannel = 16;

struct Constraint {
  const char* name;
  DramCommand from;
  DramCommand to;
  std::uint32_t bank;  // of `to`; `from` goes to bank 0
  std::uint32_t clocks;
};
void PrintTo(const Constraint& c, std::ostream* out) { *out << c.name; }

constexpr Constraint kConstraints[] = {
    {"channel ACT ACT", kAct, kAct, kSameChannel, 2},
    {"channel ACT PRE", kAct, kPre, kSameChannel, 2},
    {"pseudochannel ACT ACT", kAct, kAct, kSamePseudochannel, 2},
    {"pseudochannel ACT PRE", kAct, kPre, kSamePseudochannel, 2},
    {"pseudochannel RD RD", kRd, kRd, kSamePseudochannel, 2},
    {"pseudochannel WR WR", kWr, kWr, kSamePseudochannel, 2},
    {"pseudochannel RD WR", kRd, kWr, kSamePseudochannel, 11},
    {"pseudochannel WR RD", kWr, kRd, kSamePseudochannel, 9},
    {"group ACT ACT", kAct, kAct, kSameGroup, 3},
    {"group RD RD", kRd, kRd, kSameGroup, 2},
    {"group WR WR", kWr, kWr, kSameGroup, 2},
    {"group WR RD", kWr, kRd, kSameGroup, 10},
    {"bank ACT RD", kAct, kRd, kSameBank, 7},
    {"bank ACT WR", kAct, kWr, kSameBank, 7},
    {"bank ACT PRE", kAct, kPre, kSameBank, 17},
    {"bank ACT ACT", kAct, kAct, kSameBank, 19},
    {"bank RD PRE", kRd, kPre, kSameBank, 3},
    {"bank WR PRE", kWr, kPre, kSameBank, 14},
    {"bank PRE ACT", kPre, kAct, kSameBank, 7},
};

class ConstraintTest : public testing::TestWithParam<Constraint> {};

TEST_P(ConstraintTest, OneClockEarlyAndOnTime) {
  const Constraint& c = GetParam();
  BankState banks(kHbm2Timing);
  // Long before: rows open wherever a column command or PRE needs one, so that only the probed
  // constraint is left.
  if (c.from != kAct) banks.Issue(kAct, 0, 5, 100);
  if (c.to != kAct && c.bank != 0) banks.Issue(kAct, c.bank, 5, 200);
  const DramClock issued = 1000;
  ASSERT_LE(banks.Earliest(c.from, 0), issued);
  banks.Issue(c.from, 0, 5, issued);
  const DramClock earliest = banks.Earliest(c.to, c.bank);
  EXPECT_GT(earliest, issued + c.clocks - 1) << "one clock early";
  EXPECT_LE(earliest, issued + c.clocks) << "on time";
}

INSTANTIATE_TEST_SUITE_P(All, ConstraintTest, testing::ValuesIn(kConstraints));

TEST(BankStateTest, UnrelatedCommandsAreFree) {
  BankState banks(kHbm2Timing);
  banks.Issue(kAct, 0, 1, 100);
  banks.Issue(kAct, kSameChannel, 1, 102);
  banks.Issue(kWr, 0, 1, 200);
  EXPECT_LE(banks.Earliest(kRd, kSameChannel), 201u) << "the other pseudochannel turns on its own";
  banks.Issue(kRd, kSameChannel, 1, 201);
  EXPECT_EQ(banks.Earliest(kWr, 0), 202u);
  EXPECT_EQ(banks.Earliest(kRd, 0), 210u);
  EXPECT_EQ(banks.Earliest(kRd, kSamePseudochannel), 209u);
}

TEST(BankStateTest, FifthActivateOfAPseudochannel) {
  BankState banks(kHbm2Timing);
  // Four groups in turn, as close as they may be: clocks 100 to 106.
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t bank = 4 * i;
    const DramClock clock = i == 0 ? 100 : banks.Earliest(kAct, bank);
    EXPECT_EQ(clock, 100 + 2 * i);
    banks.Issue(kAct, bank, 1, clock);
  }
  EXPECT_EQ(banks.Earliest(kAct, 1), 115u) << "15 clocks after the first of five";
  EXPECT_EQ(banks.Earliest(kAct, kSameChannel), 108u) << "the other pseudochannel has its own";
  banks.Issue(kAct, 1, 1, 115);
  EXPECT_EQ(banks.Earliest(kAct, 5), 117u) << "15 clocks after the second, already over";
}

TEST(BankStateTest, FirstActivateAtClockZeroCounts) {
  BankState banks(kHbm2Timing);
  for (std::uint32_t i = 0; i < 4; ++i) banks.Issue(kAct, 4 * i, 1, 2 * i);
  EXPECT_EQ(banks.Earliest(kAct, 1), 15u);
}

TEST(BankStateTest, NextCommandFollowsTheOpenRow) {
  BankState banks(kHbm2Timing);
  EXPECT_EQ(banks.Next(3, 9, false), kAct);
  banks.Issue(kAct, 3, 9, 10);
  EXPECT_EQ(banks.Next(3, 9, false), kRd);
  EXPECT_EQ(banks.Next(3, 9, true), kWr);
  EXPECT_EQ(banks.Next(3, 8, false), kPre);
  EXPECT_EQ(banks.ColumnReady(3), 17u);
  banks.Issue(kPre, 3, 0, 40);
  EXPECT_EQ(banks.Next(3, 9, false), kAct);
}

TEST(BankStateTest, RefreshClosesAndBlocksAllBanks) {
  BankState banks(kHbm2Timing);
  banks.Issue(kAct, 7, 1, 100);
  EXPECT_TRUE(banks.AnyOpen());
  EXPECT_EQ(banks.EarliestPrechargeAll(), 117u);
  banks.PrechargeAll(117);
  EXPECT_FALSE(banks.AnyOpen());
  EXPECT_EQ(banks.EarliestActivateAll(), 124u);
  banks.Refresh(124);
  for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
    EXPECT_EQ(banks.Earliest(kAct, bank), 474u);
  }
}

}  // namespace
}  // namespace moescope::emulator
