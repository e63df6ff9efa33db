// Packing: every element decodes from its place to the value of the reference, and bad weights are
// refused with the place of the fault.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "cuda/buffer_layout.h"
#include "cuda/packed_layout.h"
#include "cuda/packed_weights.h"
#include "isa/bfloat16.h"
#include "moe/seeded_layer.h"

namespace moescope::cuda {
namespace {

moe::Layer LayerOf(moe::WeightFormat format) {
  return {.shape = {96, 80, 3, 2},
          .expert_bias = true,
          .weighting = moe::Weighting::kPost,
          .weights = format,
          .shared = moe::SharedExpert{48, true}};
}

moe::Weights WeightsOf(const moe::Layer& layer,
                       moe::GateUpLayout layout = moe::GateUpLayout::kHalves) {
  return moe::SeededWeights(layer, 5, layout, moe::Orientation::kOutputMajor, {});
}

Plan PlanOf(const moe::Layer& layer) {
  absl::StatusOr<Plan> plan = MakePlan(layer.shape, 4, OptionsFor(layer), DesignTraits());
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

// The value at a place, computed from the codes: written apart from the kernels.
double ValueAt(const std::uint8_t* matrix, moe::WeightFormat format, const MatrixShape& shape,
               int half, int row, int column) {
  if (format == moe::WeightFormat::kBf16) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, matrix + 2 * ((half * shape.rows + row) * shape.columns + column), 2);
    return isa::Bf16ToFloat(bits);
  }
  const std::uint8_t* chunk = matrix + ChunkOffset(format, shape, half, row, column);
  const CodePlace place = PlaceOf(format, row % kChunk, column % kChunk);
  const int scale = chunk[ScalePlaceOf(format, row % kChunk, column % kChunk)];
  std::uint64_t unit = 0;
  std::memcpy(&unit, chunk + place.unit, 8);
  const int code = CodeIn(format, place, unit);
  double magnitude = 0;
  bool negative = false;
  if (IsFp4(format)) {
    constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    magnitude = kValues[code & 7];
    negative = code >= 8;
  } else {
    const int exponent = code >> 3 & 15;
    const double fraction = (code & 7) / 8.0;
    magnitude = exponent == 0 ? std::ldexp(fraction, -6) : std::ldexp(1 + fraction, exponent - 7);
    negative = code >= 128;
  }
  return std::ldexp(negative ? -magnitude : magnitude, scale - 127);
}

class PackFormats : public ::testing::TestWithParam<moe::WeightFormat::Kind> {};
INSTANTIATE_TEST_SUITE_P(All, PackFormats,
                         ::testing::Values(moe::WeightFormat::kBf16, moe::WeightFormat::kMxfp8B8,
                                           moe::WeightFormat::kMxfp8B32,
                                           moe::WeightFormat::kMxfp4B32));

TEST_P(PackFormats, EveryElementDecodesToTheReference) {
  const moe::WeightFormat format = GetParam();
  const moe::Layer layer = LayerOf(format);
  for (const auto order : {moe::GateUpLayout::kHalves, moe::GateUpLayout::kInterleaved,
                           moe::GateUpLayout::kGranule8}) {
    const moe::Weights weights = WeightsOf(layer, order);
    const Plan plan = PlanOf(layer);
    const absl::StatusOr<PackedWeights> packed = PackWeights(plan, weights);
    ASSERT_TRUE(packed.ok()) << packed.status();
    const BufferLayout layout = LayoutOf(plan, Buffer::kPackedWeights);
    ASSERT_EQ(static_cast<std::int64_t>(packed->bytes.size()), layout.bytes);
    const moe::StoredExperts source(weights.experts, {});
    const MatrixShape gate_up{2, 80, 96};
    const MatrixShape down{1, 96, 80};
    for (int e = 0; e < 3; ++e) {
      const moe::ExpertMatrices expert = *source.Load(e);
      const std::uint8_t* first =
          packed->bytes.data() + layout.Find("gate_up").offset + e * MatrixBytes(format, gate_up);
      const std::uint8_t* second =
          packed->bytes.data() + layout.Find("down").offset + e * MatrixBytes(format, down);
      for (int row = 0; row < 80; ++row) {
        for (int column = 0; column < 96; ++column) {
          ASSERT_EQ(ValueAt(first, format, gate_up, 0, row, column),
                    isa::Bf16ToFloat(expert.gate.At(row, column)));
          ASSERT_EQ(ValueAt(first, format, gate_up, 1, row, column),
                    isa::Bf16ToFloat(expert.up.At(row, column)));
          ASSERT_EQ(ValueAt(second, format, down, 0, column, row),
                    isa::Bf16ToFloat(expert.down.At(column, row)));
        }
      }
    }
  }
}

TEST_P(PackFormats, PaddingIsZeroWithScaleOne) {
  const moe::WeightFormat format = GetParam();
  if (format == moe::WeightFormat::kBf16) GTEST_SKIP() << "BF16 matrices have no padding";
  const moe::Layer layer = LayerOf(format);
  const Plan plan = PlanOf(layer);
  const PackedWeights packed = *PackWeights(plan, WeightsOf(layer));
  const MatrixShape gate_up{2, 80, 96};
  const std::uint8_t* first =
      packed.bytes.data() + LayoutOf(plan, Buffer::kPackedWeights).Find("gate_up").offset;
  for (int row = 80; row < 128; ++row) EXPECT_EQ(ValueAt(first, format, gate_up, 0, row, 3), 0);
  for (int column = 96; column < 128; ++column) {
    EXPECT_EQ(ValueAt(first, format, gate_up, 0, 3, column), 0);
    const std::uint8_t* chunk = first + ChunkOffset(format, gate_up, 0, 3, column);
    EXPECT_EQ(chunk[ScalePlaceOf(format, 3, column % kChunk)], 127);
  }
}

TEST(PackWeightsTest, TensorsFollowTheirSlices) {
  const moe::Layer layer = LayerOf(moe::WeightFormat::kBf16);
  const moe::Weights weights = WeightsOf(layer);
  const Plan plan = PlanOf(layer);
  const PackedWeights packed = *PackWeights(plan, weights);
  const BufferLayout layout = LayoutOf(plan, Buffer::kPackedWeights);
  const auto bf16 = [&](std::string_view name, std::int64_t index) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, packed.bytes.data() + layout.Find(name).offset + 2 * index, 2);
    return bits;
  };
  EXPECT_EQ(bf16("gate_up_bias", 2 * 80 + 7), weights.tensors.gate_bias.At(1, 7));
  EXPECT_EQ(bf16("gate_up_bias", 3 * 80 + 7), weights.tensors.up_bias.At(1, 7));
  EXPECT_EQ(bf16("down_bias", 2 * 96 + 5), weights.tensors.down_bias.At(2, 5));
  EXPECT_EQ(bf16("shared_gate_up", 48 * 96 + 1), weights.tensors.shared_up.At(0, 1));
  EXPECT_EQ(bf16("shared_down", 48 + 3), weights.tensors.shared_down.At(1, 3));
  EXPECT_EQ(bf16("shared_gate_vector", 95), weights.tensors.shared_gate_vector[95]);
}

std::string Refusal(moe::WeightFormat format, void (*change)(moe::Weights&)) {
  const moe::Layer layer = LayerOf(format);
  moe::Weights weights = WeightsOf(layer);
  change(weights);
  const absl::Status status = PackWeights(PlanOf(layer), weights).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(PackWeightsTest, RefusesBadWeights) {
  const auto fp4 = moe::WeightFormat::kMxfp4B32;
  const auto fp8 = moe::WeightFormat::kMxfp8B32;
  EXPECT_EQ(Refusal(fp4, [](moe::Weights& w) { w.experts.gate_up[1].scales[7] = 253; }),
            "gate_up of expert 1: scale byte 253 of block 7 is outside 0 to 252, where mxfp4_b32 "
            "is exact in BF16");
  EXPECT_EQ(Refusal(fp8, [](moe::Weights& w) { w.experts.down[2].scales[0] = 2; }),
            "down of expert 2: scale byte 2 of block 0 is outside 3 to 246, where mxfp8_b32 is "
            "exact in BF16");
  EXPECT_EQ(Refusal(fp8, [](moe::Weights& w) { w.experts.gate_up[0].elements[5] = 0xFF; }),
            "gate_up of expert 0: element 5 is NaN");
  EXPECT_EQ(Refusal(fp4, [](moe::Weights& w) { w.experts.down[0].elements.pop_back(); }),
            "down of expert 0: expected 4608 element and 288 scale bytes, got 4607 and 288");
  EXPECT_EQ(Refusal(fp4,
                    [](moe::Weights& w) {
                      w.experts.gate_up[0].orientation = moe::Orientation::kContractionMajor;
                    }),
            "gate_up of expert 0: blocks run along the output axis; CUDA weights need them along "
            "the contraction");
  EXPECT_EQ(Refusal(fp4, [](moe::Weights& w) { w.experts.down.pop_back(); }),
            "W2: expected 3 experts, got 2 [RC034]");
  EXPECT_EQ(Refusal(fp4, [](moe::Weights& w) { w.tensors.down_bias = {}; }),
            "b2: expected [3,96], got [0,0] [RC034]");
}

TEST(PackWeightsTest, AZeroBlockMayHaveAnyScale) {
  const moe::Layer layer = LayerOf(moe::WeightFormat::kMxfp8B32);
  moe::Weights weights = WeightsOf(layer);
  auto& matrix = weights.experts.gate_up[0];
  std::fill_n(matrix.elements.begin(), 32, std::uint8_t{0});
  matrix.scales[0] = 0;
  EXPECT_TRUE(PackWeights(PlanOf(layer), weights).ok());
  matrix.scales[0] = 0xFF;
  EXPECT_FALSE(PackWeights(PlanOf(layer), weights).ok());
}

}  // namespace
}  // namespace moescope::cuda
