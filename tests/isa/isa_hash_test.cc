#include "isa/isa_hash.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace moescope::isa {
namespace {

std::vector<Instruction> Rows() { return InstructionSet::Builtin().instructions(); }

std::string HashOf(std::vector<Instruction> rows, Version version = kIsaVersion) {
  return IsaHash(InstructionSet(std::move(rows), version));
}

TEST(IsaHashTest, DoesNotDependOnTheOrderOfRows) {
  std::vector<Instruction> rows = Rows();
  std::reverse(rows.begin(), rows.end());
  EXPECT_EQ(HashOf(rows), IsaHash(InstructionSet::Builtin()));
}

TEST(IsaHashTest, DependsOnEveryPartOfARow) {
  const std::string original = HashOf(Rows());
  const auto changed = [&](auto change) {
    std::vector<Instruction> rows = Rows();
    change(rows[20]);
    return HashOf(std::move(rows)) != original;
  };
  EXPECT_TRUE(changed([](Instruction& row) { row.mnemonic = "OTHER"; }));
  EXPECT_TRUE(changed([](Instruction& row) { row.encoding = "--------------------------111111"; }));
  EXPECT_TRUE(changed([](Instruction& row) { row.operands.push_back(Pad()); }));
  EXPECT_TRUE(changed([](Instruction& row) { row.group = Group::kMap; }));
  EXPECT_TRUE(changed([](Instruction& row) { row.timing = TimingClass::kMap; }));
  EXPECT_TRUE(changed([](Instruction& row) { row.since = {1, 1}; }));
  EXPECT_TRUE(changed([](Instruction& row) { row.summary = "Other."; }));
  EXPECT_TRUE(changed([](Instruction& row) { row.semantics = "OTHER"; }));
  EXPECT_TRUE(changed([](Instruction& row) { row.semantics_version = 2; }));
  EXPECT_FALSE(changed([](Instruction& row) { row.execute = nullptr; }));
  EXPECT_NE(HashOf(Rows(), {1, 2}), original);
}

}  // namespace
}  // namespace moescope::isa
