// The comparison that `moe check --cuda` prints.

#include "cli/session/cuda_check.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/cuda/device_layer.h"

namespace moescope::session {
namespace {

using cuda::test::SeededCase;
using cuda::test::SmallLayer;

TEST(CudaCheckTest, EveryComparisonIsRecorded) {
  const SeededCase layer(SmallLayer(), 20);
  const auto records = CheckOnCuda({layer.layer, layer.weights, layer.x, layer.routing});
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(records->size(), 5u);
  const bool has_device = cuda::test::TestDevice() != nullptr;
  for (const moe::ComparisonRecord& record : *records) {
    EXPECT_EQ(record.fixture.substr(0, 7), "sha256:");
    EXPECT_EQ(record.policy.substr(0, 7), "sha256:");
    EXPECT_EQ(record.metrics.has_value(), has_device);
    EXPECT_EQ(record.skipped.empty(), has_device);
    EXPECT_EQ(record.passed, has_device) << record.subject << " " << record.actual;
  }
  if (!has_device) GTEST_SKIP() << cuda::test::kNoDevice << ": " << records->front().skipped;
}

TEST(CudaCheckTest, ExactFixturesAreComparedBitwise) {
  const SeededCase layer(SmallLayer(), 20, "uniform", 3, moe::Values::kSaturated);
  const auto records = CheckOnCuda({layer.layer, layer.weights, layer.x, layer.routing, true});
  ASSERT_TRUE(records.ok()) << records.status();
  for (const moe::ComparisonRecord& record : *records) {
    EXPECT_EQ(record.tier, moe::Tier::kBitwise);
  }
}

TEST(CudaCheckTest, ALayerThatCudaDoesNotTakeIsAnError) {
  moe::Layer description = SmallLayer();
  description.shape.hidden = 200;
  const SeededCase layer(description, 4);
  const auto records = CheckOnCuda({layer.layer, layer.weights, layer.x, layer.routing});
  EXPECT_EQ(records.status(), absl::InvalidArgumentError("hidden = 200: must be a multiple of 16"));
}

}  // namespace
}  // namespace moescope::session
