#include "isa/element.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "isa/format_text.h"
#include "tests/isa/exact_model.h"

namespace moescope::isa {
namespace {

constexpr auto kOcp = Convention::kOcp;
constexpr auto kReference = Convention::kReference;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

bool SameValue(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// numerics.md, 3.3: ranges.
struct Range {
  ElementType type;
  Convention convention;
  std::uint32_t largest_code;
  float largest, smallest;
  bool has_infinity, has_nan;
  int emax;
};

constexpr Range kRanges[] = {
    {kE4M3, kOcp, 0x7E, 448, 0x1p-9F, false, true, 8},
    {kE5M2, kOcp, 0x7B, 57344, 0x1p-16F, true, true, 15},
    {kE3M2, kOcp, 0x1F, 28, 0x1p-4F, false, false, 4},
    {kE2M3, kOcp, 0x1F, 7.5F, 0x1p-3F, false, false, 2},
    {kE2M1, kOcp, 0x7, 6, 0.5F, false, false, 2},
    {kInt8, kOcp, 0x7F, 127.0F / 64, 0x1p-6F, false, false, 0},
    {kE4M3, kReference, 0x77, 240, 0x1p-10F, true, true, 7},
    {kE5M2, kReference, 0x7B, 57344, 0x1p-17F, true, true, 15},
    {kE3M2, kReference, 0x1B, 14, 0x1p-5F, true, true, 3},
    {kE2M3, kReference, 0x17, 3.75F, 0x1p-4F, true, true, 1},
    {kE2M1, kReference, 0x5, 3, 0.25F, true, true, 1},
};

TEST(Element, Ranges) {
  for (const Range& range : kRanges) {
    const ElementRules rules = RulesFor(range.type, range.convention);
    EXPECT_EQ(rules.largest, range.largest_code);
    EXPECT_EQ(DecodeElement(rules, range.largest_code), range.largest);
    EXPECT_EQ(DecodeElement(rules, 1), range.smallest);
    EXPECT_EQ(rules.has_infinity, range.has_infinity);
    EXPECT_EQ(rules.has_nan, range.has_nan);
    EXPECT_EQ(rules.emax, range.emax);
  }
}

// numerics.md, 3.3: E4M3 and E2M1 codes under both conventions.
TEST(Element, CodeTables) {
  struct Row {
    std::uint32_t code;
    float ocp, reference;
  };
  for (const Row& row : {Row{0x01, 0x1p-9F, 0x1p-10F}, Row{0x04, 0x1p-7F, 0x1p-8F},
                         Row{0x07, 0.013671875F, 0.0068359375F}, Row{0x08, 0x1p-6F, 0x1p-6F},
                         Row{0x38, 1, 1}, Row{0x77, 240, 240}, Row{0x78, 256, kInfinity},
                         Row{0x79, 288, kNan}, Row{0x7E, 448, kNan}, Row{0x7F, kNan, kNan}}) {
    EXPECT_TRUE(SameValue(DecodeElement(kE4M3, kOcp, row.code), row.ocp)) << row.code;
    EXPECT_TRUE(SameValue(DecodeElement(kE4M3, kReference, row.code), row.reference)) << row.code;
  }
  const float ocp[] = {0, .5F, 1, 1.5F, 2, 3, 4, 6};
  const float reference[] = {0, .25F, 1, 1.5F, 2, 3, kInfinity, kNan};
  for (std::uint32_t code = 0; code < 8; ++code) {
    EXPECT_TRUE(SameValue(DecodeElement(kE2M1, kOcp, code), ocp[code])) << code;
    EXPECT_TRUE(SameValue(DecodeElement(kE2M1, kOcp, code + 8), -ocp[code])) << code;
    EXPECT_TRUE(SameValue(DecodeElement(kE2M1, kReference, code), reference[code])) << code;
  }
  EXPECT_EQ(DecodeElement(kInt8, kOcp, 0x80), -2.0F);
}

// numerics.md, 3.5: the same value under both conventions.
TEST(Element, EncodeTable) {
  struct Row {
    float value;
    std::uint32_t reference, ocp;
  };
  constexpr Row kRows[] = {
      {1.0625F, 0x38, 0x38},   {1.09F, 0x38, 0x39},      {1.09375F, 0x39, 0x39},
      {1.34F, 0x3A, 0x3B},     {1.9375F, 0x3F, 0x40},    {256, 0x77, 0x78},
      {kInfinity, 0x77, 0x7E}, {0.015625F, 0x08, 0x08},  {0.0155F, 0x07, 0x08},
      {0.01F, 0x07, 0x05},     {0.0078125F, 0x07, 0x04}, {0.0006F, 0x00, 0x00},
      {-0.0001F, 0x80, 0x80},  {kNan, 0x38, 0x7F},
  };
  const ElementRules ocp = RulesFor(kE4M3, kOcp);
  const ElementRules reference = RulesFor(kE4M3, kReference);
  for (const Row& row : kRows) {
    EXPECT_EQ(EncodeNearest(ocp, Overflow::kSaturate, row.value), row.ocp) << row.value;
    EXPECT_EQ(EncodeReference(reference, row.value), row.reference) << row.value;
  }
}

std::vector<ElementType> AllTypes(Convention convention) {
  std::vector<ElementType> types = model::AllFpElements(4, 8);
  for (ElementType type : model::AllFpElements(16, 16)) types.push_back(type);
  if (convention == kOcp) types.push_back(kInt8);
  return types;
}

TEST(Element, EveryCodeDecodesAsTheModel) {
  for (Convention convention : {kOcp, kReference}) {
    for (ElementType type : AllTypes(convention)) {
      const ElementRules rules = RulesFor(type, convention);
      for (std::uint32_t code = 0; code < (1U << type.Bits()); ++code) {
        const auto expected = static_cast<float>(model::Value(type, convention, code));
        ASSERT_TRUE(SameValue(DecodeElement(rules, code), expected))
            << ElementTypeName(type) << " " << code;
      }
    }
  }
}

TEST(Element, EveryCanonicalCodeRoundTrips) {
  for (Convention convention : {kOcp, kReference}) {
    for (ElementType type : AllTypes(convention)) {
      const ElementRules rules = RulesFor(type, convention);
      for (std::uint32_t code = 0; code < (1U << type.Bits()); ++code) {
        if (type == kInt8 && code == 0x80) continue;  // never produced
        const float value = DecodeElement(rules, code);
        const std::uint32_t back = EncodeNearest(rules, Overflow::kInfinity, value);
        const std::uint32_t expected = std::isnan(value) ? rules.nan : code;
        ASSERT_EQ(back, expected) << ElementTypeName(type) << " " << code;
      }
    }
  }
}

TEST(Element, NansAreCanonicalExceptBf16) {
  EXPECT_EQ(std::bit_cast<std::uint32_t>(DecodeElement(kE4M3, kOcp, 0xFF)), 0x7FC00000U);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(DecodeElement(kFp16, kOcp, 0xFC01)), 0x7FC00000U);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(DecodeElement(kE2M1, kReference, 0xF)), 0x7FC00000U);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(DecodeElement(kBf16, kOcp, 0xFF81)), 0xFF810000U);
  EXPECT_EQ(EncodePlain(kE4M3, kOcp, -kNan), 0x7FU);
  EXPECT_EQ(EncodePlain(kE5M2, kOcp, kNan), 0x7EU);
  EXPECT_EQ(EncodePlain(kE4M3, kReference, kNan), 0x7FU);
  EXPECT_EQ(EncodePlain(kFp16, kReference, kNan), 0x7E00U);
  EXPECT_EQ(EncodePlain(kBf16, kOcp, -kNan), 0x7FC0U);
  EXPECT_EQ(EncodeNearest(RulesFor(kE3M2, kOcp), Overflow::kSaturate, kNan), 0U);
}

TEST(Element, OverflowOfPlainAndMx) {
  const ElementRules e5m2 = RulesFor(kE5M2, kOcp);
  EXPECT_EQ(EncodeNearest(e5m2, Overflow::kSaturate, kInfinity), 0x7BU);
  EXPECT_EQ(EncodeNearest(e5m2, Overflow::kInfinity, kInfinity), 0x7CU);
  EXPECT_EQ(EncodeNearest(e5m2, Overflow::kInfinity, -61439.996F), 0xFBU);
  EXPECT_EQ(EncodeNearest(e5m2, Overflow::kInfinity, -61440.0F), 0xFCU);
  EXPECT_EQ(EncodeNearest(e5m2, Overflow::kSaturate, 1e30F), 0x7BU);
  EXPECT_EQ(EncodePlain(kE4M3, kOcp, 1e30F), 0x7EU);  // E4M3 has no infinity
  EXPECT_EQ(EncodePlain(kE4M3, kReference, 247.99F), 0x77U);
  EXPECT_EQ(EncodePlain(kE4M3, kReference, 248.0F), 0x78U);
  // The public encoder turns this one into infinity (numerics.md, 3.4).
  EXPECT_EQ(EncodePlain(kE4M3, kReference, 1.0F), 0x38U);
}

TEST(Element, Int8NeverGivesMinusTwo) {
  const ElementRules rules = RulesFor(kInt8, kOcp);
  const auto code = [&](float value) { return EncodeNearest(rules, Overflow::kSaturate, value); };
  EXPECT_EQ(code(-2.0F), 0x81U);
  EXPECT_EQ(code(-kInfinity), 0x81U);
  EXPECT_EQ(code(2.0F), 0x7FU);
  EXPECT_EQ(code(1.5F / 64), 0x02U);
  EXPECT_EQ(code(2.5F / 64), 0x02U);
  EXPECT_EQ(code(-0.5F / 64), 0x00U);
  EXPECT_EQ(code(-0.0F), 0x00U);
  EXPECT_EQ(code(-1.0F / 64), 0xFFU);
}

TEST(Element, MagnitudesAreExact) {
  EXPECT_EQ(FloorLog2(1.0F), 0);
  EXPECT_EQ(FloorLog2(-1.9999999F), 0);
  EXPECT_EQ(FloorLog2(0x1p-149F), -149);
  EXPECT_EQ(FloorLog2(0x1.8p-127F), -127);
  EXPECT_EQ(FloorLog2(std::numeric_limits<float>::max()), 127);
  EXPECT_EQ(MagnitudeOf(-0x1.8p-140F).significand, 3U << 22);
  EXPECT_EQ(MagnitudeOf(-0.0F).significand, 0U);
}

}  // namespace
}  // namespace moescope::isa
