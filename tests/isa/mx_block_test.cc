#include "isa/mx_block.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "isa/bfloat16.h"
#include "isa/format_text.h"
#include "isa/row_codec.h"
#include "tests/isa/exact_model.h"
#include "tests/support/random_floats.h"

namespace moescope::isa {
namespace {

constexpr auto kOcp = Convention::kOcp;
constexpr auto kReference = Convention::kReference;
constexpr auto kFloor = ScaleRule::kFloor;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

model::Block Encode(ElementType type, Convention convention, ScaleRule rule,
                    const std::vector<float>& values) {
  std::vector<std::uint8_t> codes(values.size());
  const std::uint8_t scale = EncodeBlock(RulesFor(type, convention), rule, values, codes);
  return {scale, std::vector<unsigned>(codes.begin(), codes.end())};
}
model::Block Floor(ElementType type, const std::vector<float>& values) {
  return Encode(type, kOcp, kFloor, values);
}
model::Block Reference(const std::vector<float>& values) {
  return Encode(kE4M3, kReference, kFloor, values);
}

float DecodeOne(ElementType type, Convention convention, unsigned scale, unsigned code) {
  return DecodeInBlock(RulesFor(type, convention),
                       DecodeScale(convention, static_cast<std::uint8_t>(scale)), code);
}

// numerics.md, 4.4, row by row.
TEST(MxBlock, EdgeCasesUnderOcp) {
  EXPECT_EQ(Floor(kE4M3, {0, -0.0F}), (model::Block{0x00, {0x00, 0x80}}));
  EXPECT_EQ(Floor(kE4M3, {-0.0F, 1, -1}), (model::Block{0x77, {0x80, 0x78, 0xF8}}));
  EXPECT_EQ(Floor(kE4M3, {kInfinity, 1, kNan}), (model::Block{0xFF, {0, 0, 0}}));
  EXPECT_TRUE(std::isnan(DecodeOne(kE4M3, kOcp, 0xFF, 0)));
  EXPECT_EQ(Floor(kE4M3, {0x1p-133F, 0x3p-133F}), (model::Block{0x00, {0x08, 0x14}}));
  EXPECT_EQ(DecodeOne(kE4M3, kOcp, 0x00, 0x08), 0x1p-133F);
  EXPECT_EQ(DecodeOne(kE4M3, kOcp, 0x00, 0x14), 0x3p-133F);

  const float largest = Bf16ToFloat(Bf16{0x7F7F});
  EXPECT_EQ(Floor(kE4M3, {largest}), (model::Block{0xF6, {0x7E}}));
  EXPECT_NEAR(DecodeOne(kE4M3, kOcp, 0xF6, 0x7E), 2.977e38, 1e35);
  EXPECT_EQ(Floor(kE5M2, {largest}), (model::Block{0xEF, {0x7B}}));
  EXPECT_NEAR(DecodeOne(kE5M2, kOcp, 0xEF, 0x7B), 2.977e38, 1e35);
  EXPECT_EQ(Floor(kInt8, {largest}), (model::Block{0xFE, {0x7F}}));
  EXPECT_NEAR(DecodeOne(kInt8, kOcp, 0xFE, 0x7F), 3.376e38, 1e35);
  EXPECT_EQ(Encode(kE2M1, kOcp, ScaleRule::kCeil, {largest}), (model::Block{0xFD, {6}}));
  EXPECT_EQ(DecodeOne(kE2M1, kOcp, 0xFD, 6), kInfinity);

  EXPECT_EQ(Floor(kE4M3, {957}), (model::Block{0x80, {0x7E}}));
  EXPECT_EQ(DecodeOne(kE4M3, kOcp, 0x80, 0x7E), 896.0F);
  EXPECT_EQ(Floor(kE5M2, {127.99999F}), (model::Block{0x76, {0x7B}}));
  EXPECT_EQ(DecodeOne(kE5M2, kOcp, 0x76, 0x7B), 112.0F);
}

TEST(MxBlock, EdgeCasesUnderReference) {
  EXPECT_EQ(Reference({0, -0.0F}), (model::Block{0x00, {0, 0}}));
  EXPECT_EQ(Reference({-0.0F, 1, -1}), (model::Block{0x7F, {0x00, 0x38, 0xB8}}));
  EXPECT_EQ(Reference({kInfinity, 1, kNan}), (model::Block{0xFE, {0x77, 0x00, 0x38}}));
  EXPECT_EQ(Reference({0x1p-133F, 0x3p-133F}), (model::Block{0x61, {0, 0}}));
  EXPECT_EQ(Reference({Bf16ToFloat(Bf16{0x7F7F})}), (model::Block{0xFE, {0x3F}}));
  EXPECT_NEAR(DecodeOne(kE4M3, kReference, 0xFE, 0x3F), 3.190e38, 1e35);
  EXPECT_EQ(Reference({kNan, 0}), (model::Block{0x00, {0, 0}}));
  EXPECT_EQ(Reference({kNan, -kNan, 2}), (model::Block{0x80, {0x38, 0x38, 0x38}}));
}

TEST(MxBlock, Scales) {
  for (unsigned byte = 1; byte < 0xFF; ++byte) {
    const auto expected = static_cast<float>(std::ldexp(1.0, static_cast<int>(byte) - 127));
    EXPECT_EQ(DecodeScale(kOcp, static_cast<std::uint8_t>(byte)), expected);
    EXPECT_EQ(DecodeScale(kReference, static_cast<std::uint8_t>(byte)), expected);
  }
  EXPECT_EQ(DecodeScale(kOcp, 0), 0x1p-127F);
  EXPECT_EQ(DecodeScale(kReference, 0), 0.0F);
  EXPECT_TRUE(std::isnan(DecodeScale(kOcp, 0xFF)));
  EXPECT_EQ(DecodeScale(kReference, 0xFF), kInfinity);
}

// Every scale byte with every code: the block decoder, the row codec and the model agree, and every
// NaN has the same bits.
TEST(MxBlock, EveryScaleWithEveryCode) {
  for (Convention convention : {kOcp, kReference}) {
    std::vector<ElementType> types = model::AllFpElements(4, 8);
    if (convention == kOcp) types.push_back(kInt8);
    for (ElementType type : types) {
      const model::Table table = model::MakeTable(type, convention);
      const ElementRules rules = RulesFor(type, convention);
      const auto count = static_cast<std::uint32_t>(1) << type.Bits();
      const TensorFormat format = Mx(type, count);
      const RowCodec codec(format, convention, kFloor);
      std::vector<float> zeros(count);
      std::vector<std::uint8_t> codes(count), packed(format.ElementBytes(count)), scale(1);
      for (std::uint32_t code = 0; code < count; ++code) {
        codes[code] = static_cast<std::uint8_t>(code);
        for (int bit = 0; bit < type.Bits(); ++bit) {
          const std::uint32_t at =
              code * static_cast<std::uint32_t>(type.Bits()) + static_cast<std::uint32_t>(bit);
          packed[at / 8] = static_cast<std::uint8_t>(packed[at / 8] | (code >> bit & 1) << at % 8);
        }
      }
      std::vector<float> by_block(count), by_row(count);
      for (unsigned byte = 0; byte < 256; ++byte) {
        scale[0] = static_cast<std::uint8_t>(byte);
        DecodeBlock(rules, scale[0], codes, by_block);
        codec.Decode(packed, scale, by_row);
        for (std::uint32_t code = 0; code < count; ++code) {
          const float expected = model::Decode(table, byte, code);
          const auto bits = std::bit_cast<std::uint32_t>(by_block[code]);
          ASSERT_EQ(bits, std::bit_cast<std::uint32_t>(by_row[code]));
          ASSERT_EQ(bits,
                    std::isnan(expected) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(expected))
              << ElementTypeName(type) << " scale " << byte << " code " << code;
        }
      }
    }
  }
}

// Blocks that visit what differs: magnitudes that spread, zeros, subnormals, specials, both clamps.
class BlockSource {
 public:
  std::vector<float> Next(std::size_t size) {
    const int center = random_.Between(-149, 127);
    const int spread = random_.Between(0, 20);
    std::vector<float> values(size);
    for (float& value : values) value = random_.Near(center - spread, center);
    Disturb(values);
    return values;
  }

 private:
  void Disturb(std::vector<float>& values) {
    float& one = values[random_.Below(static_cast<std::uint32_t>(values.size()))];
    switch (random_.Below(12)) {
      case 0:
        for (float& value : values) value = random_.Below(2) != 0 ? 0.0F : -0.0F;
        break;
      case 1:
        for (float& value : values) value = 0.0F;
        one = std::bit_cast<float>(1 + random_.Below(0x7FFFFF));  // subnormal
        break;
      case 2:
        one = kNan;
        break;
      case 3:
        one = random_.Below(2) != 0 ? kInfinity : -kInfinity;
        break;
      case 4:
        one = -0.0F;
        break;
      case 5:
        one = std::numeric_limits<float>::max();
        break;
      case 6:
        for (float& value : values) value = Bf16ToFloat(FloatToBf16(value));
        break;
      default:
        break;
    }
  }

  test::RandomFloats random_{2024};
};

std::vector<model::Table> BlockTables() {
  std::vector<model::Table> tables = {model::MakeTable(kInt8, kOcp)};
  for (Convention convention : {kOcp, kReference}) {
    for (ElementType type : {kE4M3, kE5M2, kE3M2, kE2M3, kE2M1, Fp(true, 6, 1)}) {
      tables.push_back(model::MakeTable(type, convention));
    }
  }
  return tables;
}

TEST(MxBlock, EncodesAsTheExactModel) {
  const std::vector<model::Table> tables = BlockTables();
  BlockSource source;
  std::size_t blocks = 0;
  for (std::size_t size : {8U, 16U, 32U}) {
    for (int round = 0; round < 400; ++round) {
      const std::vector<float> values = source.Next(size);
      for (const model::Table& table : tables) {
        for (ScaleRule rule :
             {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kEven, ScaleRule::kRceil}) {
          ASSERT_EQ(Encode(table.type, table.convention, rule, values),
                    model::EncodeBlock(table, rule, values))
              << ElementTypeName(table.type) << " " << ConventionName(table.convention) << " "
              << ScaleRuleName(rule) << " round " << round;
          ++blocks;
        }
      }
    }
  }
  EXPECT_EQ(blocks, 3U * 400 * 13 * 4);
}

}  // namespace
}  // namespace moescope::isa
