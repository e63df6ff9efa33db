#include "moe/gate_up_layout.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace moescope::moe {
namespace {

constexpr GateUpLayout kAll[] = {GateUpLayout::kHalves, GateUpLayout::kInterleaved,
                                 GateUpLayout::kGranule8};

Bf16Matrix Numbered(std::int64_t rows, std::uint16_t first) {
  Bf16Matrix matrix(rows, 3);
  for (std::uint16_t& value : matrix.values) value = first++;
  return matrix;
}

TEST(GateUpLayoutTest, SplittingAJoinedTensorIsBitIdentical) {
  const Bf16Matrix gate = Numbered(24, 0);
  const Bf16Matrix up = Numbered(24, 1000);
  for (const GateUpLayout layout : kAll) {
    const Bf16Matrix joined = JoinGateUp(gate, up, layout);
    ASSERT_EQ(joined.rows, 48);
    EXPECT_EQ(GateRows(joined, layout), gate);
    EXPECT_EQ(UpRows(joined, layout), up);
    EXPECT_EQ(JoinGateUp(GateRows(joined, layout), UpRows(joined, layout), layout), joined);
  }
}

TEST(GateUpLayoutTest, EveryRowIsUsedOnce) {
  for (const GateUpLayout layout : kAll) {
    std::vector<int> used(32);
    for (std::int64_t i = 0; i < 16; ++i) {
      ++used[static_cast<std::size_t>(GateRow(layout, i, 16))];
      ++used[static_cast<std::size_t>(UpRow(layout, i, 16))];
    }
    EXPECT_EQ(used, std::vector<int>(32, 1));
  }
}

TEST(GateUpLayoutTest, RowsOfTheDesignDocument) {
  EXPECT_EQ(GateRow(GateUpLayout::kHalves, 3, 16), 3);
  EXPECT_EQ(UpRow(GateUpLayout::kHalves, 3, 16), 19);
  EXPECT_EQ(GateRow(GateUpLayout::kInterleaved, 3, 16), 6);
  EXPECT_EQ(UpRow(GateUpLayout::kInterleaved, 3, 16), 7);
  EXPECT_EQ(GateRow(GateUpLayout::kGranule8, 7, 16), 7);
  EXPECT_EQ(UpRow(GateUpLayout::kGranule8, 0, 16), 8);
  EXPECT_EQ(GateRow(GateUpLayout::kGranule8, 8, 16), 16);
}

// Reading with the wrong tag has the right shape and the wrong meaning.
TEST(GateUpLayoutTest, TheWrongTagIsNoticed) {
  const Bf16Matrix gate(16, 4, 1);
  const Bf16Matrix up(16, 4, 1000);
  for (const GateUpLayout written : kAll) {
    for (const GateUpLayout read : kAll) {
      const Bf16Matrix half = GateRows(JoinGateUp(gate, up, written), read);
      EXPECT_EQ(half == gate, written == read);
    }
  }
}

TEST(GateUpLayoutTest, ImpossibleRowCounts) {
  EXPECT_EQ(std::string(CheckGateUpRows(GateUpLayout::kHalves, 7).message()),
            "a gate/up tensor of 7 rows: the count must be even [RC030]");
  EXPECT_EQ(std::string(CheckGateUpRows(GateUpLayout::kGranule8, 24).message()),
            "layout granule8 needs an intermediate width that is a multiple of 8, got 12 [RC031]");
  EXPECT_TRUE(CheckGateUpRows(GateUpLayout::kGranule8, 16).ok());
  EXPECT_TRUE(CheckGateUpRows(GateUpLayout::kInterleaved, 24).ok());
}

}  // namespace
}  // namespace moescope::moe
