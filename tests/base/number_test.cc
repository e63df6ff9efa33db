#include "base/number.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace moescope {
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
    {"2kB", 2048},
    {"0xFF_FF", 65535},
    {"16GiB", std::uint64_t{16} << 30},
    {"1T", std::uint64_t{1} << 40},
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
    {"1 G", "'1 G' is not a number: unknown suffix ' G'; known: K, M, G, T"},
    {"1.5", "'1.5' is not a number: unknown suffix '.5'; known: K, M, G, T"},
    {"1e3", "'1e3' is not a number: unknown suffix 'e3'; known: K, M, G, T"},
    {"1P", "'1P' is not a number: unknown suffix 'P'; known: K, M, G, T"},
    {"1KiBs", "'1KiBs' is not a number: unknown suffix 'KiBs'; known: K, M, G, T"},
    {"1Bi", "'1Bi' is not a number: unknown suffix 'Bi'; known: K, M, G, T"},
    {"18446744073709551616", "'18446744073709551616' is not a number: above 2^64 - 1"},
    {"0x10000000000000000", "'0x10000000000000000' is not a number: above 2^64 - 1"},
    {"17179869184G", "'17179869184G' is not a number: above 2^64 - 1"},
    {"16777216T", "'16777216T' is not a number: above 2^64 - 1"},
};

TEST(NumberTest, RefusesWithTheReason) {
  for (const Bad& bad : kNotNumbers) {
    const auto value = ParseNumber(bad.text);
    ASSERT_FALSE(value.ok()) << bad.text;
    EXPECT_EQ(std::string(value.status().message()), bad.message);
  }
}

}  // namespace
}  // namespace moescope
