#include "base/suggestion.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace moescope {
namespace {

TEST(EditDistanceTest, CountsInsertDeleteSubstituteAndSwap) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("gather", "gathr"), 1u);
  EXPECT_EQ(EditDistance("gather", "gatherr"), 1u);
  EXPECT_EQ(EditDistance("gather", "gather"), 0u);
  EXPECT_EQ(EditDistance("gather", "father"), 1u);
  EXPECT_EQ(EditDistance("expert_bais", "expert_bias"), 1u) << "a swap of neighbours is one edit";
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

TEST(EditDistanceTest, IsSymmetricAndObeysTheTriangleBound) {
  const std::vector<std::string> words = {"", "a", "ab", "ba", "abc", "acb", "xyz", "abcabc"};
  for (const std::string& a : words) {
    for (const std::string& b : words) {
      EXPECT_EQ(EditDistance(a, b), EditDistance(b, a)) << a << " " << b;
      EXPECT_LE(EditDistance(a, b), std::max(a.size(), b.size()));
      EXPECT_GE(EditDistance(a, b), std::max(a.size(), b.size()) - std::min(a.size(), b.size()));
    }
  }
}

constexpr std::string_view kNames[] = {"V_ADD_VV", "V_ADD_VF", "V_SUB_VV", "S_ADD_INT", "M_MM"};

TEST(SuggestionsTest, NearestFirstThenTableOrder) {
  EXPECT_EQ(Suggestions("V_ADD_VX", kNames), (std::vector<std::string>{"V_ADD_VV", "V_ADD_VF"}));
  EXPECT_EQ(Suggestions("v_add_vf", kNames).front(), "V_ADD_VF") << "case does not matter";
  EXPECT_EQ(Suggestions("V_ADD_VX", kNames, 1), std::vector<std::string>{"V_ADD_VV"});
}

TEST(SuggestionsTest, ThresholdIsTwoOrAQuarterOfTheName) {
  constexpr std::string_view short_name[] = {"abcd"};
  EXPECT_EQ(Suggestions("abxy", short_name).size(), 1u) << "distance 2 is within 2";
  EXPECT_EQ(Suggestions("axyz", short_name).size(), 0u) << "distance 3 is not";
  constexpr std::string_view long_name[] = {"expert_weight_prefetch"};
  EXPECT_EQ(Suggestions("expert_weight_pre12345", long_name).size(), 1u) << "distance 5 of 22 / 4";
  EXPECT_EQ(Suggestions("expert_weight_pr123456", long_name).size(), 0u) << "distance 6 is not";
}

TEST(SuggestionsTest, NothingInCommonIsNoSuggestion) {
  constexpr std::string_view two[] = {"ab"};
  EXPECT_TRUE(Suggestions("xy", two).empty()) << "two edits replace the whole name";
}

TEST(DidYouMeanTest, Texts) {
  EXPECT_EQ(DidYouMean("zzzzzzzzz", kNames), "");
  constexpr std::string_view three[] = {"aaa1", "aaa2", "aaa3"};
  EXPECT_EQ(DidYouMean("aaa0", three, 1), "; did you mean 'aaa1'?");
  EXPECT_EQ(DidYouMean("aaa0", three, 2), "; did you mean 'aaa1' or 'aaa2'?");
  EXPECT_EQ(DidYouMean("aaa0", three), "; did you mean 'aaa1', 'aaa2' or 'aaa3'?");
}

}  // namespace
}  // namespace moescope
