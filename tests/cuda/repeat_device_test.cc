// Bitwise repeatability: same process, re-dispatch, multiprocessor limits, streams, workspaces that
// were used before. Equal bytes everywhere.

#include <gtest/gtest.h>

#include <vector>

#include "moe/compare.h"
#include "tests/cuda/device_layer.h"

namespace moescope::cuda::test {
namespace {

// Wide enough for several tiles per expert and several items per multiprocessor.
moe::Layer WideLayer(moe::WeightFormat format) {
  return {.shape = {512, 384, 16, 4},
          .weighting = moe::Weighting::kPre,
          .weights = format,
          .shared = moe::SharedExpert{128, true}};
}

class RepeatFormats : public ::testing::TestWithParam<moe::WeightFormat::Kind> {};
INSTANTIATE_TEST_SUITE_P(All, RepeatFormats,
                         ::testing::Values(moe::WeightFormat::kBf16, moe::WeightFormat::kMxfp8B8,
                                           moe::WeightFormat::kMxfp8B32,
                                           moe::WeightFormat::kMxfp4B32));

TEST_P(RepeatFormats, TenRunsAndThreeRedispatches) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase layer(WideLayer(GetParam()), 700);
  const Plan plan =
      *MakePlan(layer.layer.shape, 700, OptionsFor(layer.layer), TestDevice()->traits);
  const PackedWeights packed = *PackWeights(plan, layer.weights);
  DeviceLayer device(layer, plan, packed);
  const moe::Bf16Matrix first = device.Run()->y;
  for (int run = 0; run < 10; ++run) {
    if (run % 3 == 0) device.Poison();
    ASSERT_EQ(device.Run()->y, first) << "run " << run;
  }
  for (int again = 0; again < 3; ++again) {
    DeviceLayer other(layer, plan, packed);
    ASSERT_EQ(other.Run()->y, first);
  }
}

TEST_P(RepeatFormats, TheNumberOfMultiprocessorsNeverChangesBits) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase layer(WideLayer(GetParam()), 300);
  const auto all = RunOnDevice(layer, OptionsFor(layer.layer));
  ASSERT_TRUE(all.ok()) << all.status();
  for (const int limit : {1, 8, 131, 132}) {
    Options options = OptionsFor(layer.layer);
    options.sm_limit = limit;
    const auto limited = RunOnDevice(layer, options);
    ASSERT_TRUE(limited.ok()) << limited.status();
    EXPECT_EQ(limited->y, all->y) << limit;
  }
}

// Two blocks that share weights (even limits), single blocks (odd ones) and the smallest tile: odd
// and even numbers of token tiles per expert and of row blocks, partial ones of both, with bias,
// activation and saved gate and up.
TEST(RepeatDevice, ClustersEqualSingleBlocks) {
  MOESCOPE_NEEDS_DEVICE();
  const moe::Layer description{.shape = {640, 400, 6, 2},
                               .activation = moe::Activation::kGptOss,
                               .clamp = 7.0f,
                               .expert_bias = true,
                               .weighting = moe::Weighting::kPre,
                               .weights = moe::WeightFormat::kBf16,
                               .shared = moe::SharedExpert{144, true}};
  for (const char* workload : {"uniform", "ragged", "hot(p=1,n=1)"}) {
    const SeededCase layer(description, 900, workload);
    for (const bool save : {false, true}) {
      Options options = OptionsFor(description);
      options.save_gate_up = save;
      options.token_tile = 16;
      const auto smallest = RunOnDevice(layer, options);
      ASSERT_TRUE(smallest.ok()) << smallest.status();
      options.token_tile = 128;
      for (const int limit : {0, 131, 130, 2, 1}) {
        options.sm_limit = limit;
        const auto wide = RunOnDevice(layer, options);
        ASSERT_TRUE(wide.ok()) << wide.status();
        EXPECT_EQ(wide->y, smallest->y) << workload << " limit " << limit;
        EXPECT_EQ(ValidRows(wide->slot, layer.routing), ValidRows(smallest->slot, layer.routing));
        if (save) {
          EXPECT_EQ(wide->gate, smallest->gate) << workload << " limit " << limit;
          EXPECT_EQ(wide->up, smallest->up) << workload << " limit " << limit;
        }
      }
    }
  }
}

// NaN, infinite and far negative gates take the second pass of the epilogue; whichever tile has
// them, the bits are those of the plain kernels.
TEST(RepeatDevice, RareGatesHaveOneResult) {
  MOESCOPE_NEEDS_DEVICE();
  const moe::Layer description{.shape = {128, 256, 2, 1},
                               .weighting = moe::Weighting::kPre,
                               .weights = moe::WeightFormat::kBf16};
  SeededCase layer(description, 300);
  const std::uint16_t rare[] = {0x7F80, 0xFF80, 0x7FC1, 0xC2B0, 0xC24D, 0xC24C, 0x8000, 0x0001};
  for (std::size_t i = 0; i < std::size(rare); ++i) {
    layer.x.values[(20 + 31 * i) * 128 + i] = rare[i];
  }
  Options options = OptionsFor(description);
  options.token_tile = 16;
  const auto first = RunOnDevice(layer, options);
  ASSERT_TRUE(first.ok()) << first.status();
  for (const int tile : {32, 64, 128}) {
    options.token_tile = tile;
    EXPECT_EQ(RunOnDevice(layer, options)->y, first->y) << "tile " << tile;
  }
}

TEST(RepeatDevice, TwoPlansOnTwoStreams) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase a(WideLayer(moe::WeightFormat::kBf16), 200);
  const SeededCase b(SmallLayer(moe::Activation::kGptOss, moe::WeightFormat::kMxfp4B32), 90);
  const auto alone_a = RunOnDevice(a, OptionsFor(a.layer));
  const auto alone_b = RunOnDevice(b, OptionsFor(b.layer));
  ASSERT_TRUE(alone_a.ok() && alone_b.ok());
  const Plan plan_a = *MakePlan(a.layer.shape, 200, OptionsFor(a.layer), TestDevice()->traits);
  const Plan plan_b = *MakePlan(b.layer.shape, 90, OptionsFor(b.layer), TestDevice()->traits);
  const PackedWeights packed_a = *PackWeights(plan_a, a.weights);
  const PackedWeights packed_b = *PackWeights(plan_b, b.weights);
  DeviceLayer layer_a(a, plan_a, packed_a);
  DeviceLayer layer_b(b, plan_b, packed_b);
  const OwnedStream stream_a = *OwnedStream::Create();
  const OwnedStream stream_b = *OwnedStream::Create();
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(Forward(plan_a, layer_a.tensors(), layer_a.workspace(), stream_a.get()).ok());
    ASSERT_TRUE(Forward(plan_b, layer_b.tensors(), layer_b.workspace(), stream_b.get()).ok());
  }
  ASSERT_TRUE(Finish(plan_a, layer_a.workspace(), stream_a.get()).ok());
  ASSERT_TRUE(Finish(plan_b, layer_b.workspace(), stream_b.get()).ok());
  EXPECT_EQ(layer_a.Outputs().y, alone_a->y);
  EXPECT_EQ(layer_b.Outputs().y, alone_b->y);
}

// One workspace for plans of different sizes, one after the other.
TEST(RepeatDevice, AWorkspaceCanBeReused) {
  MOESCOPE_NEEDS_DEVICE();
  const moe::Layer description = WideLayer(moe::WeightFormat::kBf16);
  const SeededCase large(description, 300);
  const Plan large_plan =
      *MakePlan(description.shape, 300, OptionsFor(description), TestDevice()->traits);
  const PackedWeights packed = *PackWeights(large_plan, large.weights);
  Guarded workspace(LayoutOf(large_plan, Buffer::kWorkspace).bytes);
  for (const std::int64_t tokens : {300, 17, 120, 1}) {
    const SeededCase layer(description, tokens);
    const auto alone = RunOnDevice(layer, OptionsFor(description));
    ASSERT_TRUE(alone.ok()) << alone.status();
    const Plan plan =
        *MakePlan(description.shape, tokens, OptionsFor(description), TestDevice()->traits);
    DeviceLayer device(layer, plan, packed);
    ASSERT_TRUE(Forward(plan, device.tensors(), workspace.span(), {}).ok());
    ASSERT_TRUE(Finish(plan, workspace.span(), {}).ok());
    const auto got = device.Outputs().y;
    EXPECT_EQ(got, alone->y) << tokens;
  }
}

// Both sides of every tile switch, from the table in force, against the plain kernels.
TEST(RepeatDevice, TileSwitches) {
  MOESCOPE_NEEDS_DEVICE();
  for (const auto format : {moe::WeightFormat::kBf16, moe::WeightFormat::kMxfp4B32}) {
    moe::Layer description = SmallLayer(moe::Activation::kSwiglu, format);
    std::vector<std::int64_t> counts = {1, 15, 16, 17};
    for (const TileRule& rule : TileTable(format)) {
      if (rule.rows_per_expert > 1000) continue;
      const std::int64_t last =
          rule.rows_per_expert * description.shape.experts / description.shape.top_k;
      counts.push_back(last);
      counts.push_back(last + 1);
    }
    for (const std::int64_t tokens : counts) {
      const SeededCase layer(description, tokens, "uniform");
      Options plain = OptionsFor(description);
      plain.kernels = Kernels::kPlain;
      const auto expected = RunOnDevice(layer, plain);
      const auto tuned = RunOnDevice(layer, OptionsFor(description));
      ASSERT_TRUE(expected.ok() && tuned.ok());
      const moe::Metrics metrics = moe::Compare(tuned->y, expected->y);
      EXPECT_TRUE(moe::Passes(moe::Tier::kEndToEnd, metrics, true))
          << tokens << ": " << moe::Summary(metrics);
    }
  }
}

// fast_math has bits of its own and its own tolerance (T2f).
TEST(RepeatDevice, FastMathIsNearAndDifferent) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase layer(WideLayer(moe::WeightFormat::kBf16), 200);
  const auto exact = RunOnDevice(layer, OptionsFor(layer.layer));
  Options options = OptionsFor(layer.layer);
  options.fast_math_forward = true;
  const auto fast = RunOnDevice(layer, options);
  ASSERT_TRUE(exact.ok() && fast.ok());
  EXPECT_NE(exact->hidden, fast->hidden);
  const moe::Metrics metrics = moe::Compare(fast->y, exact->y);
  EXPECT_TRUE(moe::Passes(moe::Tier::kFastMath, metrics, true)) << moe::Summary(metrics);
}

}  // namespace
}  // namespace moescope::cuda::test
