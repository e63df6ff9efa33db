// R17: a scaling block never crosses a row or a head when the row length is not a multiple of the
// block; quantising a quantised tensor changes nothing.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/format_text.h"
#include "isa/tensor_codec.h"
#include "tests/support/random_floats.h"

namespace moescope::isa {
namespace {

constexpr ScaleRule kRules[] = {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kEven,
                                ScaleRule::kRceil};

std::vector<float> RandomValues(std::size_t count, std::uint32_t seed) {
  test::RandomFloats random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    value = random.Near(-16, 8);
  }
  return values;
}

std::vector<std::uint8_t> Encode(TensorCodec& codec, std::span<const float> values) {
  std::vector<std::uint8_t> bytes(codec.layout().total_bytes());
  codec.Encode(values, bytes);
  return bytes;
}

std::vector<float> Decode(TensorCodec& codec, std::span<const std::uint8_t> bytes) {
  std::vector<float> values(codec.layout().rows * codec.layout().columns);
  codec.Decode(bytes, values);
  return values;
}

// One row per head of 20 columns: what a head holds does not depend on its neighbours.
TEST(R17_Blocks, EveryHeadIsEncodedAsIfAlone) {
  constexpr std::uint64_t kHeads = 6;
  constexpr std::uint64_t kColumns = 20;
  for (std::uint32_t block : {8U, 16U, 32U}) {
    for (ElementType type : {kE4M3, kE2M1, kE3M2, kInt8}) {
      const TensorFormat format = Mx(type, block);
      const TensorLayout whole = LayoutOf(format, kHeads, kColumns).value();
      const TensorLayout one = LayoutOf(format, 1, kColumns).value();
      TensorCodec whole_codec(whole, Convention::kOcp, ScaleRule::kFloor);
      TensorCodec one_codec(one, Convention::kOcp, ScaleRule::kFloor);
      std::vector<float> values = RandomValues(kHeads * kColumns, block);
      for (std::uint64_t c = 0; c < kColumns; ++c) values[2 * kColumns + c] *= 0x1p40F;
      const std::vector<std::uint8_t> bytes = Encode(whole_codec, values);
      for (std::uint64_t head = 0; head < kHeads; ++head) {
        const auto row = std::span(values).subspan(head * kColumns, kColumns);
        std::vector<std::uint8_t> expected = Encode(one_codec, row);
        const auto elements = std::span(bytes).subspan(head * whole.row_bytes(), one.row_bytes());
        const auto scales = std::span(bytes).subspan(
            whole.scale_offset() + head * whole.row_scales(), one.row_scales());
        std::vector<std::uint8_t> stored(elements.begin(), elements.end());
        stored.insert(stored.end(), scales.begin(), scales.end());
        EXPECT_EQ(stored, expected) << ElementTypeName(type) << " head " << head;
      }
    }
  }
}

void ExpectSecondQuantisationIsIdentity(ElementType type, Convention convention, ScaleRule rule) {
  const TensorLayout layout = LayoutOf(Mx(type, 8), 200, 21).value();
  TensorCodec codec(layout, convention, rule);
  const std::vector<float> once = Decode(codec, Encode(codec, RandomValues(200 * 21, 17)));
  const std::vector<float> twice = Decode(codec, Encode(codec, once));
  for (std::size_t i = 0; i < once.size(); ++i) {
    ASSERT_EQ(once[i], twice[i]) << ElementTypeName(type) << " " << ScaleRuleName(rule);
  }
}

TEST(R17_Blocks, QuantisingAQuantisedTensorChangesNothing) {
  for (ElementType type : {kE4M3, kE5M2, kE3M2, kE2M3, kE2M1, kInt8}) {
    for (ScaleRule rule : kRules) ExpectSecondQuantisationIsIdentity(type, Convention::kOcp, rule);
    if (type == kInt8) continue;
    ExpectSecondQuantisationIsIdentity(type, Convention::kReference, ScaleRule::kFloor);
  }
}

}  // namespace
}  // namespace moescope::isa
