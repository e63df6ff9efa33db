#include "isa/format_check.h"

#include <gtest/gtest.h>

#include <string>

#include "isa/element.h"
#include "isa/format_text.h"

namespace moescope::isa {
namespace {

constexpr auto kOcp = Convention::kOcp;
constexpr auto kReference = Convention::kReference;

std::string Text(const TensorFormat& format, FormatSlot slot, Convention convention = kOcp) {
  return std::string(CheckTensorFormat(format, slot, convention, 64).message());
}
std::string Hbm(const TensorFormat& format, Convention convention = kOcp) {
  return Text(format, FormatSlot::kHbm, convention);
}

TEST(FormatCheck, AcceptsTheLegalFormats) {
  for (Convention convention : {kOcp, kReference}) {
    for (ElementType type : {kBf16, kFp16, kE4M3, kE5M2, Fp(true, 6, 9), Fp(true, 2, 5)}) {
      EXPECT_EQ(Hbm(Plain(type), convention), "");
      EXPECT_EQ(Text(Plain(type), FormatSlot::kMatrixSram, convention), "");
    }
    for (std::uint32_t block : {8U, 16U, 32U, 64U}) {
      for (ElementType type : {kE4M3, kE5M2, kE3M2, kE2M3, kE2M1, Fp(true, 2, 2), Fp(true, 4, 2)}) {
        EXPECT_EQ(Hbm(Mx(type, block), convention), "");
      }
    }
  }
  EXPECT_EQ(Hbm(Mx(kInt8, 32)), "");
  EXPECT_EQ(Hbm(Mx(kInt8, 1)), "");
  EXPECT_EQ(Hbm(Mx(kE2M1, 2)), "");
  EXPECT_EQ(Hbm(Mx(kE3M2, 4)), "");
  EXPECT_EQ(Text(Plain(kBf16), FormatSlot::kBf16Only), "");
}

TEST(FormatCheck, EveryAcceptedElementHasRules) {
  for (int exponent = 0; exponent <= 17; ++exponent) {
    for (int mantissa = 0; mantissa <= 17; ++mantissa) {
      const ElementType type = Fp(true, exponent, mantissa);
      for (Convention convention : {kOcp, kReference}) {
        if (!CheckPlainElement(type).ok() && !CheckMxElement(type, convention).ok()) continue;
        const ElementRules rules = RulesFor(type, convention);
        EXPECT_GT(DecodeElement(rules, rules.largest), DecodeElement(rules, 1));
        EXPECT_GT(DecodeElement(rules, 1), 0.0F);
      }
    }
  }
}

constexpr char kPlainRule[] =
    "a Plain type must be a signed Fp of 8 or 16 bits with 2 to 8 exponent bits and at least one "
    "mantissa bit, not ";
constexpr char kMxRule[] =
    "an Mx element must be a signed Fp of 4 to 8 bits with at least two exponent bits and one "
    "mantissa bit, or Int of 8 bits, not ";

TEST(FormatCheck, RefusesPlainTypes) {
  const std::string rule = kPlainRule;
  EXPECT_EQ(Hbm(Plain(kE2M1)), rule + "E2M1 (4 bits)");
  EXPECT_EQ(Hbm(Plain(Fp(true, 8, 8))), rule + "E8M8 (17 bits)");
  EXPECT_EQ(Hbm(Plain(Fp(true, 8, 23))), rule + "E8M23 (32 bits)");
  EXPECT_EQ(Hbm(Plain(kInt8)), rule + "INT8 (8 bits)");
  EXPECT_EQ(Hbm(Plain(kE8M0)), rule + "UE8M0 (8 bits)");
  EXPECT_EQ(Hbm(Plain(Fp(true, 1, 6))), rule + "E1M6 (8 bits)");
  EXPECT_EQ(Hbm(Plain(Fp(true, 7, 0))), rule + "E7M0 (8 bits)");
  EXPECT_EQ(Hbm(Plain(Fp(true, 9, 6))), rule + "E9M6 (16 bits)");
  EXPECT_EQ(Hbm(Plain(Fp(false, 8, 8))), rule + "UE8M8 (16 bits)");
}

TEST(FormatCheck, RefusesMxElements) {
  const std::string rule = kMxRule;
  EXPECT_EQ(Hbm(Mx(Fp(true, 1, 2), 8)), rule + "E1M2 (4 bits)");
  EXPECT_EQ(Hbm(Mx(Fp(true, 3, 0), 8)), rule + "E3M0 (4 bits)");
  EXPECT_EQ(Hbm(Mx(Fp(true, 1, 1), 8)), rule + "E1M1 (3 bits)");
  EXPECT_EQ(Hbm(Mx(Fp(true, 4, 4), 8)), rule + "E4M4 (9 bits)");
  EXPECT_EQ(Hbm(Mx(Fp(false, 4, 4), 8)), rule + "UE4M4 (8 bits)");
  EXPECT_EQ(Hbm(Mx(kBf16, 8)), rule + "BF16 (16 bits)");
  EXPECT_EQ(Hbm(Mx(Int(4), 8)), "an Mx element of type Int must be 8 bits wide, not 4");
  EXPECT_EQ(Hbm(Mx(kInt8, 8), kReference),
            "an Int element needs convention = \"ocp\": the reference has none");
}

TEST(FormatCheck, RefusesBlocks) {
  EXPECT_EQ(Hbm(Mx(kE4M3, 24)), "block 24 does not divide MLEN = 64");
  EXPECT_EQ(Hbm(Mx(kE4M3, 128)), "block 128 does not divide MLEN = 64");
  EXPECT_EQ(Hbm(Mx(kE2M1, 1)), "block 1 of 4-bit elements is not a whole number of bytes");
  EXPECT_EQ(Hbm(Mx(kE3M2, 2)), "block 2 of 6-bit elements is not a whole number of bytes");
  EXPECT_EQ(Hbm(Mx(Fp(true, 2, 2), 4)), "block 4 of 5-bit elements is not a whole number of bytes");
}

TEST(FormatCheck, RefusesWhatTheSlotForbids) {
  EXPECT_EQ(Text(Mx(kE4M3, 8), FormatSlot::kBf16Only),
            "only Plain BF16 is legal here, not Mx E4M3 block 8");
  EXPECT_EQ(Text(Plain(kFp16), FormatSlot::kBf16Only),
            "only Plain BF16 is legal here, not Plain FP16");
  EXPECT_EQ(Text(Mx(kE2M1, 32), FormatSlot::kMatrixSram),
            "only a Plain format is legal here, not Mx E2M1 block 32");
  EXPECT_EQ(Text(Plain(Int(16)), FormatSlot::kMatrixSram),
            std::string(kPlainRule) + "INT16 (16 bits)");
}

TEST(FormatCheck, MakesMxFormats) {
  EXPECT_EQ(MakeMx(kE2M1, kE8M0, 32).value(), Mx(kE2M1, 32));
  EXPECT_EQ(MakeMx(kE2M1, kE8M0, 2147483647).value(), Mx(kE2M1, 2147483647));
  const auto text = [](ElementType scale, std::int64_t block) {
    return std::string(MakeMx(kE2M1, scale, block).status().message());
  };
  EXPECT_EQ(text(kE4M3, 32),
            "the scale of an Mx format must be E8M0 (an Fp without sign, 8 exponent bits and no "
            "mantissa), not E4M3");
  EXPECT_EQ(text(kE8M0, 0), "the block of an Mx format must be 1 to 2147483647, not 0");
  EXPECT_EQ(text(kE8M0, -8), "the block of an Mx format must be 1 to 2147483647, not -8");
  EXPECT_EQ(text(kE8M0, 2147483648),
            "the block of an Mx format must be 1 to 2147483647, not 2147483648");
}

TEST(FormatText, NamesRoundTrip) {
  for (Convention convention : {kOcp, kReference}) {
    EXPECT_EQ(ParseConvention(ConventionName(convention)), convention);
  }
  for (ScaleRule rule :
       {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kEven, ScaleRule::kRceil}) {
    EXPECT_EQ(ParseScaleRule(ScaleRuleName(rule)), rule);
  }
  EXPECT_EQ(ConventionName(kReference), "reference");
  EXPECT_EQ(ScaleRuleName(ScaleRule::kRceil), "rceil");
  EXPECT_EQ(ParseConvention("OCP"), std::nullopt);
  EXPECT_EQ(ParseScaleRule(""), std::nullopt);
  EXPECT_EQ(ElementTypeName(Int(4)), "INT4");
  EXPECT_EQ(TensorFormatName(Plain(kFp16)), "Plain FP16");
}

}  // namespace
}  // namespace moescope::isa
