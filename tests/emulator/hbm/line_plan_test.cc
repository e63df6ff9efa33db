#include "emulator/hbm/line_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace moescope::emulator {
namespace {

using testing::ElementsAre;

std::vector<std::uint64_t> Lines(const LinePlan& plan) {
  std::vector<std::uint64_t> lines;
  for (const PlannedLine& line : plan.lines()) lines.push_back(line.line);
  return lines;
}

// Two rows of 80 bytes from byte 48 on, 16 scale bytes each from byte 1016 on.
HbmTransfer Straddling() {
  return {.rows = 2,
          .element_address = 48,
          .element_step = 128,
          .element_bytes = 80,
          .scale_address = 1016,
          .scale_step = 16,
          .scale_bytes = 16};
}

TEST(LinePlanTest, LegacyKeepsRowOrderAndDuplicates) {
  LinePlan plan;
  plan.Build(Straddling(), PlanOrder::kLegacy, ScaleRead::kComplete);
  EXPECT_THAT(Lines(plan), ElementsAre(0, 1, 15, 16, 2, 3, 16));
  EXPECT_THAT(plan.lines_of_row(), ElementsAre(4, 3));
  EXPECT_EQ(plan.payload_bytes(), 2 * 96u);
}

TEST(LinePlanTest, MergedNamesEachLineOnceAscending) {
  LinePlan plan;
  plan.Build(Straddling(), PlanOrder::kMerged, ScaleRead::kComplete);
  EXPECT_THAT(Lines(plan), ElementsAre(0, 1, 2, 3, 15, 16));
  EXPECT_EQ(plan.lines()[5].scale_rows, (RowSpan{0, 2}));
  EXPECT_EQ(plan.lines()[5].covered, (1u << 24) - 1);
  EXPECT_THAT(plan.lines_of_row(), ElementsAre(4, 3));
}

TEST(LinePlanTest, SingleBlockCutsScalesAtTheirFirstLine) {
  LinePlan plan;
  plan.Build(Straddling(), PlanOrder::kLegacy, ScaleRead::kSingleBlock);
  EXPECT_THAT(Lines(plan), ElementsAre(0, 1, 15, 2, 3, 16));
  EXPECT_EQ(plan.payload_bytes(), 160u + 8 + 16);
  HbmTransfer store = Straddling();
  store.is_store = true;
  plan.Build(store, PlanOrder::kLegacy, ScaleRead::kSingleBlock);
  EXPECT_THAT(Lines(plan), ElementsAre(0, 1, 15, 16, 2, 3, 16)) << "a store writes all its scales";
}

TEST(LinePlanTest, ElementsAndScalesInTheSameLine) {
  LinePlan plan;
  plan.Build({.rows = 1,
              .element_address = 0,
              .element_bytes = 48,
              .scale_address = 48,
              .scale_bytes = 16},
             PlanOrder::kMerged, ScaleRead::kComplete);
  ASSERT_EQ(plan.lines().size(), 1u);
  EXPECT_EQ(plan.lines()[0].covered, ~std::uint64_t{0});
  EXPECT_THAT(plan.lines_of_row(), ElementsAre(2)) << "once for elements, once for scales";
}

// Hand count of T8: lines of one 64-byte row at every alignment.
TEST(LinePlanTest, EveryAlignmentOfARow) {
  LinePlan plan;
  for (std::uint64_t offset = 0; offset < 64; ++offset) {
    plan.Build({.rows = 1, .element_address = 640 + offset, .element_bytes = 64},
               PlanOrder::kLegacy, ScaleRead::kComplete);
    EXPECT_EQ(plan.lines().size(), offset == 0 ? 1u : 2u) << offset;
  }
}

struct Reference {
  std::map<std::uint64_t, std::uint64_t> covered;                 // by line
  std::map<std::uint64_t, std::multiset<std::uint32_t>> waiting;  // rows by line
};

Reference ReferenceOf(const HbmTransfer& t) {
  Reference reference;
  for (std::uint32_t row = 0; row < t.rows; ++row) {
    for (const bool scales : {false, true}) {
      const std::uint64_t first =
          scales ? t.scale_address + row * t.scale_step : t.element_address + row * t.element_step;
      std::set<std::uint64_t> lines;
      for (std::uint64_t b = first; b < first + (scales ? t.scale_bytes : t.element_bytes); ++b) {
        reference.covered[b / 64] |= 1ull << (b % 64);
        lines.insert(b / 64);
      }
      for (const std::uint64_t line : lines) reference.waiting[line].insert(row);
    }
  }
  return reference;
}

TEST(LinePlanTest, MergedPlansOfRandomTransfersAreExact) {
  std::mt19937_64 random(3);
  LinePlan merged;
  LinePlan legacy;
  for (int i = 0; i < 3000; ++i) {
    HbmTransfer t{.is_store = random() % 2 == 0, .rows = static_cast<std::uint32_t>(random() % 20)};
    t.element_address = random() % 3000;
    t.element_step = random() % 3 == 0 ? random() % 20 : random() % 400;
    t.element_bytes = static_cast<std::uint32_t>(1 + random() % 200);
    t.scale_address = random() % 6000;
    t.scale_step = random() % 70;
    t.scale_bytes = static_cast<std::uint32_t>(random() % 3 * (random() % 90));
    merged.Build(t, PlanOrder::kMerged, ScaleRead::kComplete);
    legacy.Build(t, PlanOrder::kLegacy, ScaleRead::kComplete);
    const Reference reference = ReferenceOf(t);
    ASSERT_EQ(merged.lines().size(), reference.covered.size());
    EXPECT_LE(merged.lines().size(), legacy.lines().size());
    auto expected = reference.covered.begin();
    std::vector<std::uint32_t> lines_of_row(t.rows, 0);
    for (const PlannedLine& line : merged.lines()) {
      ASSERT_EQ(line.line, expected->first);
      ASSERT_EQ(line.covered, expected->second);
      ++expected;
      std::multiset<std::uint32_t> rows;
      for (const RowSpan& span : {line.element_rows, line.scale_rows}) {
        for (std::uint32_t k = 0; k < span.count; ++k) rows.insert(span.first + k);
      }
      ASSERT_EQ(rows, reference.waiting.at(line.line));
      for (const std::uint32_t row : rows) ++lines_of_row[row];
    }
    EXPECT_TRUE(
        std::equal(lines_of_row.begin(), lines_of_row.end(), merged.lines_of_row().begin()));
    EXPECT_EQ(merged.payload_bytes(), std::uint64_t{t.rows} * (t.element_bytes + t.scale_bytes));
  }
}

TEST(LinePlanTest, NoRowsNoLines) {
  LinePlan plan;
  plan.Build({}, PlanOrder::kMerged, ScaleRead::kComplete);
  EXPECT_TRUE(plan.lines().empty());
  EXPECT_TRUE(plan.lines_of_row().empty());
}

}  // namespace
}  // namespace moescope::emulator
