// What every option does to the bits of y on the device: those that are part of the layer or of its
// numbers change them, those that only choose how to compute never do.

#include <gtest/gtest.h>

#include "tests/cuda/device_layer.h"

namespace moescope::cuda::test {
namespace {

struct Change {
  const char* name;
  void (*layer)(moe::Layer&);
  void (*options)(Options&);
  bool changes_y;
};

void KeepLayer(moe::Layer&) {}
void KeepOptions(Options&) {}

const Change kChanges[] = {
    {"post", [](moe::Layer& l) { l.weighting = moe::Weighting::kPost; }, &KeepOptions, true},
    {"mxfp8_b8", [](moe::Layer& l) { l.weights = moe::WeightFormat::kMxfp8B8; }, &KeepOptions,
     true},
    {"mxfp8_b32", [](moe::Layer& l) { l.weights = moe::WeightFormat::kMxfp8B32; }, &KeepOptions,
     true},
    {"mxfp4_b32", [](moe::Layer& l) { l.weights = moe::WeightFormat::kMxfp4B32; }, &KeepOptions,
     true},
    {"gpt_oss", [](moe::Layer& l) { l.activation = moe::Activation::kGptOss; }, &KeepOptions, true},
    {"geglu_tanh", [](moe::Layer& l) { l.activation = moe::Activation::kGegluTanh; }, &KeepOptions,
     true},
    {"geglu_erf", [](moe::Layer& l) { l.activation = moe::Activation::kGegluErf; }, &KeepOptions,
     true},
    {"clamp", [](moe::Layer& l) { l.clamp = 0.5f; }, &KeepOptions, true},
    {"a clamp that never acts", [](moe::Layer& l) { l.clamp = 1024.0f; }, &KeepOptions, false},
    {"expert_bias", [](moe::Layer& l) { l.expert_bias = true; }, &KeepOptions, true},
    {"shared",
     [](moe::Layer& l) {
       l.shared = moe::SharedExpert{64, false};
     },
     &KeepOptions, true},
    {"gated shared",
     [](moe::Layer& l) {
       l.shared = moe::SharedExpert{64, true};
     },
     &KeepOptions, true},
    {"save_gate_up", &KeepLayer, [](Options& o) { o.save_gate_up = true; }, false},
    {"sm_limit", &KeepLayer, [](Options& o) { o.sm_limit = 5; }, false},
    {"token_tile", &KeepLayer, [](Options& o) { o.token_tile = 128; }, false},
};

absl::StatusOr<DeviceOutputs> RunWith(const Change& change) {
  moe::Layer layer = SmallLayer();
  change.layer(layer);
  const SeededCase seeded(layer, 60);
  Options options = OptionsFor(layer);
  change.options(options);
  return RunOnDevice(seeded, options);
}

TEST(OptionsDevice, EveryOptionHasItsEffect) {
  MOESCOPE_NEEDS_DEVICE();
  const auto base = RunWith({"", &KeepLayer, &KeepOptions, false});
  ASSERT_TRUE(base.ok()) << base.status();
  for (const Change& change : kChanges) {
    const auto changed = RunWith(change);
    ASSERT_TRUE(changed.ok()) << change.name << ": " << changed.status();
    EXPECT_EQ(changed->y != base->y, change.changes_y) << change.name;
  }
}

// fast_math changes h; rounding may hide that from a single y, never from all of h.
TEST(OptionsDevice, FastMathChangesTheHiddenValues) {
  MOESCOPE_NEEDS_DEVICE();
  for (const auto activation : {moe::Activation::kSwiglu, moe::Activation::kGptOss}) {
    moe::Layer description = SmallLayer(activation);
    // Few of 2^17 values tell: 4 million of them.
    description.shape = {256, 512, 8, 4};
    const SeededCase layer(description, 2000);
    Options options = OptionsFor(layer.layer);
    const auto exact = RunOnDevice(layer, options);
    options.fast_math_forward = true;
    const auto fast = RunOnDevice(layer, options);
    ASSERT_TRUE(exact.ok() && fast.ok()) << exact.status() << fast.status();
    EXPECT_NE(exact->hidden, fast->hidden);
  }
}

// gate rows hold gate values and up rows up values: gate weights give 1, up weights 1,000 apiece.
TEST(OptionsDevice, SavedPlanesAreNotExchanged) {
  MOESCOPE_NEEDS_DEVICE();
  for (const auto layout : {moe::GateUpLayout::kHalves, moe::GateUpLayout::kInterleaved,
                            moe::GateUpLayout::kGranule8}) {
    moe::Layer description = SmallLayer();
    description.shape = {64, 80, 2, 1};
    SeededCase layer(description, 20, "uniform", 1, moe::Values::kRandom, layout);
    moe::Bf16Matrix gate(80, 64), up(80, 64);
    for (std::int64_t i = 0; i < 80; ++i) {
      gate.At(i, 0) = 0x3F80;  // 1
      up.At(i, 0) = 0x447A;    // 1000
    }
    for (auto& matrix : layer.weights.experts.gate_up) {
      matrix = moe::Encode(moe::JoinGateUp(gate, up, layout), moe::WeightFormat::kBf16,
                           moe::Orientation::kOutputMajor, {});
    }
    for (std::int64_t t = 0; t < 20; ++t) layer.x.At(t, 0) = 0x3F80;
    Options options = OptionsFor(description);
    options.save_gate_up = true;
    const auto device = RunOnDevice(layer, options);
    ASSERT_TRUE(device.ok()) << device.status();
    for (const std::int32_t row : device->row_of) {
      for (std::int64_t i = 0; i < 80; ++i) {
        ASSERT_EQ(device->gate.At(row, i), 0x3F80);
        ASSERT_EQ(device->up.At(row, i), 0x447A);
      }
    }
  }
}

// A misaligned or short workspace is refused before anything is launched: y keeps its bytes.
TEST(OptionsDevice, ARefusedCallWritesNothing) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase layer(SmallLayer(), 30);
  const Plan plan = *MakePlan(layer.layer.shape, 30, OptionsFor(layer.layer), TestDevice()->traits);
  const PackedWeights packed = *PackWeights(plan, layer.weights);
  DeviceLayer device(layer, plan, packed);
  device.Poison();
  Span shorter = device.workspace();
  --shorter.bytes;
  EXPECT_EQ(Forward(plan, device.tensors(), shorter, {}).code(),
            absl::StatusCode::kInvalidArgument);
  Span moved = device.workspace();
  moved.data = static_cast<char*>(moved.data) + 8;
  EXPECT_EQ(Forward(plan, device.tensors(), moved, {}).code(), absl::StatusCode::kInvalidArgument);
  const std::int64_t columns = layer.layer.shape.hidden;
  EXPECT_EQ(device.Outputs().y, moe::Bf16Matrix(30, columns, 0xFFFF));
}

TEST(OptionsDevice, AnOrdinalThatDoesNotExist) {
  const auto device = OpenDevice(99);
  ASSERT_FALSE(device.ok());
  if (TestDevice() == nullptr) GTEST_SKIP() << kNoDevice << ": " << device.status();
  EXPECT_EQ(device.status(), absl::NotFoundError("device 99: this host has " +
                                                 std::to_string(*DeviceCount()) + " CUDA devices"));
}

}  // namespace
}  // namespace moescope::cuda::test
