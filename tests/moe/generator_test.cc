#include "moe/generator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace moescope::moe {
namespace {

TEST(GeneratorTest, DrawOfTheDesignDocument) {
  EXPECT_EQ(U64(1, std::uint64_t{2}, 0), 0x7018EB47A52C2595u);
}

TEST(GeneratorTest, IsAPureFunctionOfSeedStreamAndIndex) {
  constexpr std::uint64_t kDraw = U64(7, Stream::kGate, 123456789);
  static_assert(kDraw == U64(7, static_cast<std::uint64_t>(Stream::kGate), 123456789));
  EXPECT_NE(kDraw, U64(8, Stream::kGate, 123456789));
  EXPECT_NE(kDraw, U64(7, Stream::kUp, 123456789));
  EXPECT_NE(kDraw, U64(7, Stream::kGate, 123456790));
}

TEST(GeneratorTest, NormalIsTheCentredSumOfTwelveFields) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    double sum = -393210;
    for (std::uint64_t word = 3 * i; word < 3 * i + 3; ++word) {
      for (int field = 0; field < 4; ++field) {
        sum += static_cast<double>(U64(5, std::uint64_t{9}, word) >> (16 * field) & 0xFFFF);
      }
    }
    EXPECT_EQ(Normal(5, std::uint64_t{9}, i), sum / 65536.0);
  }
}

TEST(GeneratorTest, NormalHasMeanZeroAndVarianceOne) {
  double sum = 0;
  double squares = 0;
  constexpr int kCount = 100000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double value = Normal(3, Stream::kHidden, i);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
}

TEST(GeneratorTest, BelowIsTheHighHalfOfTheProduct) {
  EXPECT_EQ(Below(10, 0), 0u);
  EXPECT_EQ(Below(10, ~std::uint64_t{0}), 9u);
  EXPECT_EQ(Below(~std::uint64_t{0}, ~std::uint64_t{0}), ~std::uint64_t{0} - 1);
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t draw = U64(1, Stream::kChoice, i);
    __extension__ const auto product = static_cast<unsigned __int128>(draw) * 60;
    EXPECT_EQ(Below(60, draw), static_cast<std::uint64_t>(product >> 64));
    seen.insert(Below(7, draw));
  }
  EXPECT_EQ(seen.size(), 7u);
}

TEST(GeneratorTest, ChanceAtTheEnds) {
  EXPECT_FALSE(Chance(0, 0));
  EXPECT_TRUE(Chance(1, ~std::uint64_t{0}));
  EXPECT_TRUE(Chance(0.5, (std::uint64_t{1} << 63) - 1));
  EXPECT_FALSE(Chance(0.5, std::uint64_t{1} << 63));
}

}  // namespace
}  // namespace moescope::moe
