#include <gtest/gtest.h>

#include <string>

#include "moe/emit/lowering.h"
#include "moe/presets.h"

namespace moescope::moe {
namespace {

Layer WithBias(bool bias) { return *FindPreset(bias ? "gpt-oss-20b" : "qwen3-30b-a3b"); }

TEST(LoweringOptionsTest, DefaultsAreThePublicCompilersChoices) {
  const std::vector<OptionValue> expected = {
      {"topk", "builtin"},        {"k_tiles", "4"},
      {"k_add", "tile"},          {"buffers", "1"},
      {"reuse", "none"},          {"address", "tile"},
      {"zero_row", "each"},       {"route_weight", "broadcast"},
      {"gather_padding", "zero"}, {"router_matrix", "stream"},
      {"weighting", "post"},      {"router", "auto"},
      {"gather", "hbm"},          {"orientation", "kn"},
      {"residual", "none"}};
  EXPECT_EQ(Options(PublicLowering()), expected);
}

TEST(LoweringOptionsTest, EveryValueRoundTrips) {
  for (const std::string_view option : OptionNames()) {
    for (const std::string_view value : OptionValues(option)) {
      Lowering lowering;
      ASSERT_TRUE(SetOption(option, value, lowering).ok()) << option << "=" << value;
      bool found = false;
      for (const OptionValue& entry : Options(lowering)) {
        found |= entry.option == option && entry.value == value;
      }
      EXPECT_TRUE(found) << option << "=" << value;
    }
  }
  Lowering lowering;
  ASSERT_TRUE(SetOption("k_tiles", "17", lowering).ok());
  EXPECT_EQ(lowering.k_tiles, 17);
  EXPECT_EQ(Options(lowering)[1].value, "17");
}

TEST(LoweringOptionsTest, TunedRespectsTheLayerAndTheRouting) {
  EXPECT_EQ(TunedLowering(WithBias(true), false).weighting, ProgramWeighting::kPost);
  EXPECT_EQ(TunedLowering(WithBias(false), false).weighting, ProgramWeighting::kPre);
  EXPECT_EQ(TunedLowering(WithBias(false), false).reuse, Reuse::kNone);
  EXPECT_EQ(TunedLowering(WithBias(false), true).reuse, Reuse::kGroup);
  EXPECT_EQ(*ParseLowering("public", WithBias(true), true), PublicLowering());
  EXPECT_EQ(*ParseLowering("tuned", WithBias(true), true), TunedLowering(WithBias(true), true));
}

TEST(LoweringOptionsTest, ExactMessages) {
  Lowering lowering;
  EXPECT_EQ(std::string(SetOption("k_ad", "live", lowering).message()),
            "unknown lowering option 'k_ad' (--set); did you mean 'k_add'?; known: topk, k_tiles, "
            "k_add, buffers, reuse, address, zero_row, route_weight, gather_padding, "
            "router_matrix, weighting, router, gather, orientation, residual [RC070]");
  EXPECT_EQ(std::string(SetOption("k_add", "dead", lowering).message()),
            "lowering option k_add = 'dead' (--set); known: tile, live, accumulate [RC071]");
  for (const char* value : {"0", "-1", "x", ""}) {
    EXPECT_EQ(std::string(SetOption("k_tiles", value, lowering).message()),
              std::string("lowering option k_tiles = '") + value +
                  "' (--set); known: a count or max [RC071]");
  }
  EXPECT_EQ(lowering, PublicLowering());
  EXPECT_EQ(std::string(ParseLowering("best", WithBias(true), false).status().message()),
            "unknown lowering 'best' (--lowering); known: public, tuned [RC070]");
}

}  // namespace
}  // namespace moescope::moe
