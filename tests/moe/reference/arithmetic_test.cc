#include "moe/reference/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "moe/seeded_layer.h"

namespace moescope::moe::reference {
namespace {

// The definition of tile(M), one output at a time.
float TileDot(std::span<const float> x, std::span<const float> w, std::size_t tile) {
  float accumulator = 0;
  for (std::size_t first = 0; first < x.size(); first += tile) {
    float sum = 0;
    for (std::size_t k = first; k < std::min(first + tile, x.size()); ++k) {
      sum = std::fma(x[k], w[k], sum);
    }
    accumulator += sum;
  }
  return accumulator;
}

F32Matrix Values(std::uint64_t seed, std::int64_t rows, std::int64_t columns, float sigma) {
  return Widen<float>(NormalMatrix(seed, Stream::kGate, 0, rows, columns, sigma));
}

TEST(ArithmeticTest, TileAccumulationFollowsItsDefinition) {
  for (const float sigma : {1.0f, 1e-19f, 1e30f}) {  // also where products leave the normal range
    const F32Matrix x = Values(1, 3, 70, 1.0f);
    const F32Matrix w = Values(2, 13, 70, sigma);
    for (const int tile : {4, 16, 64, 128}) {
      const F32Matrix y = Fused({tile}).Contract({{x, w}});
      for (std::int64_t r = 0; r < 3; ++r) {
        for (std::int64_t n = 0; n < 13; ++n) {
          EXPECT_EQ(y.At(r, n), TileDot(x.Row(r), w.Row(n), static_cast<std::size_t>(tile)));
        }
        EXPECT_EQ(Fused({tile}).Dot(x.Row(r), w.Row(0)), y.At(r, 0));
      }
    }
  }
}

TEST(ArithmeticTest, SubnormalProductsNeedTheFusedForm) {
  const F32Matrix x(1, 2, 0x1.02p-70f);
  const F32Matrix w(1, 2, 0x1.02p-70f);
  const float expected = TileDot(x.Row(0), w.Row(0), 64);
  EXPECT_EQ(Fused({64}).Contract({{x, w}}).At(0, 0), expected);
}

TEST(ArithmeticTest, IdealRoundsOnce) {
  // 2^24 + 1 + 1: FP32 sums lose both ones, FP64 keeps them.
  F32Matrix x(1, 3, 1.0f);
  F32Matrix w(1, 3, 1.0f);
  w.At(0, 0) = 16777216.0f;
  EXPECT_EQ(Fused(kIdeal).Contract({{x, w}}).At(0, 0), 16777218.0f);
  EXPECT_EQ(Fused({64}).Contract({{x, w}}).At(0, 0), 16777216.0f);
  EXPECT_EQ(Fused(kIdeal).Dot(x.Row(0), w.Row(0)), 16777218.0f);
}

TEST(ArithmeticTest, TermsShareOneAccumulator) {
  const F32Matrix x1 = Values(1, 2, 32, 1.0f);
  const F32Matrix w1 = Values(2, 4, 32, 1.0f);
  const F32Matrix x2 = Values(3, 2, 16, 1.0f);
  const F32Matrix w2 = Values(4, 4, 16, 1.0f);
  const auto join = [](const F32Matrix& a, const F32Matrix& b) {
    F32Matrix joined(a.rows, a.columns + b.columns);
    for (std::int64_t r = 0; r < a.rows; ++r) {
      std::copy(a.Row(r).begin(), a.Row(r).end(), joined.Row(r).begin());
      std::copy(b.Row(r).begin(), b.Row(r).end(), joined.Row(r).begin() + a.columns);
    }
    return joined;
  };
  for (const Accumulation accumulation : {Accumulation{16}, kIdeal}) {
    const Fused fused(accumulation);
    EXPECT_EQ(fused.Contract({{x1, w1}, {x2, w2}}), fused.Contract({{join(x1, x2), join(w1, w2)}}));
  }
}

TEST(ArithmeticTest, NothingToContract) {
  const F32Matrix none(0, 8);
  EXPECT_EQ(Fused({4}).Contract({{none, F32Matrix(3, 8)}}), F32Matrix(0, 3));
  EXPECT_EQ(Fused(kIdeal).Contract({{none, F32Matrix(3, 8)}}), F32Matrix(0, 3));
  EXPECT_EQ(Fused(kIdeal).Contract({{F32Matrix(2, 0), F32Matrix(3, 0)}}), F32Matrix(2, 3));
}

TEST(ArithmeticTest, ANanRowStaysInItsRow) {
  F32Matrix x = Values(1, 9, 33, 1.0f);
  const F32Matrix w = Values(2, 21, 33, 1.0f);
  for (const Accumulation accumulation : {Accumulation{16}, kIdeal}) {
    const F32Matrix clean = Fused(accumulation).Contract({{x, w}});
    F32Matrix dirty = x;
    for (float& value : dirty.Row(4)) value = std::numeric_limits<float>::quiet_NaN();
    const F32Matrix result = Fused(accumulation).Contract({{dirty, w}});
    for (std::int64_t r = 0; r < 9; ++r) {
      for (std::int64_t n = 0; n < 21; ++n) {
        if (r == 4) {
          EXPECT_TRUE(std::isnan(result.At(r, n)));
        } else {
          EXPECT_EQ(result.At(r, n), clean.At(r, n));
        }
      }
    }
  }
}

}  // namespace
}  // namespace moescope::moe::reference
