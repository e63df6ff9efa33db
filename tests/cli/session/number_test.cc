#include "cli/session/number.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace moescope::session {
namespace {

struct Good {
  const char* text;
  std::uint64_t value;
};

constexpr Good kNumbers[] = {
    {"0", 0},
    {"7", 7},
    {"007", 7},
    {"1_000_000", 1000000},
    {"0x10", 16},
    {"0XfF", 255},
    {"0xdead_beef", 0xdeadbeef},
    {"1K", 1024},
    {"1k", 1024},
    {"16KiB", 16384},
    {"16kb", 16384},
    {"3Mi", std::uint64_t{3} << 20},
    {"16G", std::uint64_t{16} << 30},
    {"2TiB", std::uint64_t{2} << 40},
    {"64B", 64},
    {"0x1K", 1024},
    {"18446744073709551615", UINT64_MAX},
    {"0xFFFFFFFFFFFFFFFF", UINT64_MAX},
    {"16777215T", std::uint64_t{16777215} << 40},
};

TEST(NumberTest, Reads) {
  for (const Good& good : kNumbers) {
    const auto value = ParseNumber(good.text);
    ASSERT_TRUE(value.ok()) << good.text << ": " << value.status();
    EXPECT_EQ(*value, good.value) << good.text;
  }
}

struct Bad {
  const char* text;
  const char* message;
};

constexpr Bad kNotNumbers[] = {
    {"", "'' is not a number: a digit is missing"},
    {"K", "'K' is not a number: a digit is missing"},
    {"-1", "'-1' is not a number: a digit is missing"},
    {"+1", "'+1' is not a number: a digit is missing"},
    {" 1", "' 1' is not a number: a digit is missing"},
    {"0x", "'0x' is not a number: a digit is missing"},
    {"0xg", "'0xg' is not a number: a digit is missing"},
    {"1_", "'1_' is not a number: '_' must stand between digits"},
    {"1__0", "'1__0' is not a number: '_' must stand between digits"},
    {"_1", "'_1' is not a number: a digit is missing"},
    {"1_K", "'1_K' is not a number: '_' must stand between digits"},
    {"1.5", "'1.5' is not a number: unknown suffix '.5'; known: K, M, G, T"},
    {"1e3", "'1e3' is not a number: unknown suffix 'e3'; known: K, M, G, T"},
    {"1P", "'1P' is not a number: unknown suffix 'P'; known: K, M, G, T"},
    {"1KiBs", "'1KiBs' is not a number: unknown suffix 'KiBs'; known: K, M, G, T"},
    {"1Bi", "'1Bi' is not a number: unknown suffix 'Bi'; known: K, M, G, T"},
    {"18446744073709551616", "'18446744073709551616' is not a number: above 2^64 - 1"},
    {"0x10000000000000000", "'0x10000000000000000' is not a number: above 2^64 - 1"},
    {"16777216T", "'16777216T' is not a number: above 2^64 - 1"},
};

TEST(NumberTest, RefusesWithTheReason) {
  for (const Bad& bad : kNotNumbers) {
    const auto value = ParseNumber(bad.text);
    ASSERT_FALSE(value.ok()) << bad.text;
    EXPECT_EQ(std::string(value.status().message()), bad.message);
  }
}

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
