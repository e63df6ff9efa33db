#include "cli/session/number.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace moescope::session {
namespace {

struct Bad {
  const char* text;
  const char* message;
};

TEST(PercentTest, ReadsPartsPerMillion) {
  EXPECT_EQ(*ParsePercentPpm("0%"), 0u);
  EXPECT_EQ(*ParsePercentPpm("5%"), 50000u);
  EXPECT_EQ(*ParsePercentPpm("0.25%"), 2500u);
  EXPECT_EQ(*ParsePercentPpm("0.0001%"), 1u);
  EXPECT_EQ(*ParsePercentPpm("100%"), 1000000u);
  EXPECT_EQ(*ParsePercentPpm("100.0000%"), 1000000u);
}

TEST(PercentTest, RefusesWithTheReason) {
  constexpr Bad kBad[] = {
      {"5", "'5' is not a percentage: write it as 5% or 0.25%"},
      {"", "'' is not a percentage: write it as 5% or 0.25%"},
      {"%", "'%' is not a number: a digit is missing"},
      {".5%", "'.5%' is not a number: a digit is missing"},
      {"5.%", "'5.%' is not a number: a digit is missing"},
      {"0.00001%", "'0.00001%' is not a number: more than 4 digits behind the point"},
      {"x%", "'x%' is not a number: unexpected 'x'"},
      {"100.0001%", "'100.0001%' is above 100%"},
      {"18446744073709551616%", "'18446744073709551616%' is not a number: too large"},
  };
  for (const Bad& bad : kBad) {
    const auto value = ParsePercentPpm(bad.text);
    ASSERT_FALSE(value.ok()) << bad.text;
    EXPECT_EQ(std::string(value.status().message()), bad.message);
  }
}

TEST(SecondsTest, ReadsMilliseconds) {
  EXPECT_EQ(*ParseSecondsMs("10"), 10000u);
  EXPECT_EQ(*ParseSecondsMs("0.25"), 250u);
  EXPECT_EQ(*ParseSecondsMs("0.001"), 1u);
  EXPECT_FALSE(ParseSecondsMs("0.0001").ok());
  EXPECT_FALSE(ParseSecondsMs("-1").ok());
  EXPECT_FALSE(ParseSecondsMs("1s").ok());
}

}  // namespace
}  // namespace moescope::session
