#include "moe/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "isa/bfloat16.h"
#include "moe/compare_json.h"

namespace moescope::moe {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

F32Matrix Row(std::vector<float> values) {
  F32Matrix row(1, static_cast<std::int64_t>(values.size()));
  row.values = std::move(values);
  return row;
}

TEST(UlpDistanceTest, CountsStepsOnTheLineOfValues) {
  EXPECT_EQ(UlpDistance(std::uint16_t{0x3F80}, std::uint16_t{0x3F80}), 0);
  EXPECT_EQ(UlpDistance(std::uint16_t{0x3F80}, std::uint16_t{0x3F7F}), 1);
  EXPECT_EQ(UlpDistance(std::uint16_t{0x0000}, std::uint16_t{0x8000}), 1);
  EXPECT_EQ(UlpDistance(std::uint16_t{0x0001}, std::uint16_t{0x8001}), 3);
  EXPECT_EQ(UlpDistance(std::uint16_t{0x7FC0}, std::uint16_t{0xFFFF}), 0);
  EXPECT_EQ(UlpDistance(std::uint16_t{0x7FC0}, std::uint16_t{0x7F80}), kNanDistance);
  EXPECT_EQ(UlpDistance(1.0f, std::nextafter(1.0f, 2.0f)), 1);
  EXPECT_EQ(UlpDistance(-kInfinity, kInfinity), 2 * std::int64_t{0x7F800000} + 1);
}

TEST(CompareTest, Metrics) {
  const Metrics metrics = Compare(Row({3, 4, 1}), Row({3, 4, 0}));
  EXPECT_EQ(metrics.count, 3);
  EXPECT_EQ(metrics.equal, 2);
  EXPECT_DOUBLE_EQ(metrics.relative_l2, 0.2);
  EXPECT_DOUBLE_EQ(metrics.cosine, 25 / (std::sqrt(26.0) * 5));
  EXPECT_DOUBLE_EQ(metrics.mean_error, 1.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.rms_error, std::sqrt(1.0 / 3));
  ASSERT_TRUE(metrics.first.has_value());
  EXPECT_EQ(metrics.first->column, 2);
  EXPECT_EQ(Summary(metrics),
            "1 of 3 elements differ; first at [0,2]: 1, expected 0, 1065353216 ulp; rel L2 "
            "2.000e-01");
  EXPECT_EQ(Summary(Compare(Row({1}), Row({1}))), "all 1 elements equal");
}

TEST(CompareTest, ZeroReferences) {
  EXPECT_EQ(Compare(Row({0, 0}), Row({0, -0.0f})).relative_l2, 0);
  EXPECT_EQ(Compare(Row({0, 0}), Row({0, 0})).cosine, 1);
  EXPECT_EQ(Compare(Row({0, 1}), Row({0, 0})).relative_l2, kInfinity);
  EXPECT_EQ(Compare(Row({0, 1}), Row({0, 0})).cosine, 0);
  EXPECT_TRUE(Passes(Tier::kBitwise, Compare(F32Matrix(0, 4), F32Matrix(0, 4)), true));
}

TEST(CompareTest, NonFiniteValuesFailWhereTheReferenceIsFinite) {
  EXPECT_EQ(Compare(Row({NAN, 1}), Row({NAN, 1})).equal, 2);
  const Metrics broken = Compare(Row({NAN, 1}), Row({1, 1}));
  EXPECT_EQ(broken.broken, 1);
  EXPECT_FALSE(Passes(Tier::kEndToEnd, broken, true));
  EXPECT_EQ(Compare(Row({kInfinity}), Row({kInfinity})).broken, 0);
  EXPECT_NE(Summary(broken).find("NaN; rel"), std::string::npos);
}

TEST(TierTest, Bounds) {
  Metrics good{.count = 10, .equal = 9, .cosine = 0.99995, .relative_l2 = 5e-3};
  EXPECT_FALSE(Passes(Tier::kBitwise, good, true));
  EXPECT_FALSE(Passes(Tier::kBoundary, good, true));
  EXPECT_TRUE(Passes(Tier::kEndToEnd, good, true));
  good.relative_l2 = 5.1e-3;
  EXPECT_FALSE(Passes(Tier::kEndToEnd, good, true));
  EXPECT_TRUE(Passes(Tier::kEndToEnd, good, false));
  EXPECT_TRUE(Passes(Tier::kFastMath, good, true));
  good.mean_error = 0.11;
  good.rms_error = 1;
  EXPECT_FALSE(Passes(Tier::kProgram, good, true));
  good.mean_error = 0.1;
  EXPECT_TRUE(Passes(Tier::kProgram, good, true));
  good.cosine = 0.9999;
  EXPECT_FALSE(Passes(Tier::kFastMath, good, true));
  good.equal = 10;
  EXPECT_TRUE(Passes(Tier::kBitwise, good, true));
  EXPECT_EQ(Name(Tier::kProgram), "T2p");
}

TEST(TierTest, BoundaryOfOneStep) {
  EXPECT_TRUE(WithinBoundary(std::uint16_t{0x3F81}, 1.0, 0));  // one ulp above 1
  EXPECT_FALSE(WithinBoundary(std::uint16_t{0x3F82}, 1.0, 0));
  EXPECT_TRUE(WithinBoundary(std::uint16_t{0x3F82}, 1.0, 8192));  // 2^-7 more
  EXPECT_TRUE(WithinBoundary(std::uint16_t{0x7FC0}, NAN, 0));
  EXPECT_FALSE(WithinBoundary(std::uint16_t{0x3F80}, NAN, 0));
  EXPECT_TRUE(WithinBoundary(std::uint16_t{0x7F80}, kInfinity, 0));
  EXPECT_TRUE(WithinBoundary(std::uint16_t{0x0001}, 0.0, 0));  // one subnormal step
  EXPECT_FALSE(WithinBoundary(std::uint16_t{0x0002}, 0.0, 0));
  EXPECT_TRUE(WithinBoundary(Metrics{.relative_l2 = 5e-6}, 768));
  EXPECT_FALSE(WithinBoundary(Metrics{.relative_l2 = 5.1e-6}, 4096));
  EXPECT_TRUE(WithinBoundary(Metrics{.relative_l2 = 9e-6}, 8192));
}

TEST(ComparisonRecordTest, Json) {
  ComparisonRecord run{.subject = "y",
                       .fixture = "sha256:00",
                       .actual = "stepwise tile(64)",
                       .expected = "stepwise tile(64)",
                       .policy = "public"};
  run.metrics = Compare(Row({1, 2}), Row({1, 3}));
  ComparisonRecord skipped{.subject = "sigma", .tier = Tier::kEndToEnd, .skipped = "no device"};
  const std::string json = FormatComparisons({run, skipped});
  EXPECT_NE(json.find("\"schema\": \"moescope.comparison\""), std::string::npos);
  EXPECT_NE(json.find("\"verdict\": \"fail\""), std::string::npos);
  EXPECT_NE(json.find("\"relative_l2\": \"0.316227766\""), std::string::npos);
  EXPECT_NE(json.find("\"skipped\": \"no device\""), std::string::npos);
  EXPECT_NE(json.find("\"verdict\": \"skipped\""), std::string::npos);
  EXPECT_EQ(json.find("metrics", json.find("no device")), std::string::npos);
}

}  // namespace
}  // namespace moescope::moe
