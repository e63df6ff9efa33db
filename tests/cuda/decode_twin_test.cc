// The expansion of packed codes, as the tensor-core kernels do it, on the host: the bit patterns of
// cuda/device/expansion.h, then the two products of BF16 pairs. For every code and every scale of
// the exact range it must give the value of the format.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "cuda/buffer_layout.h"
#include "cuda/device/expansion.h"
#include "cuda/packed_layout.h"
#include "cuda/packed_weights.h"
#include "isa/bfloat16.h"
#include "moe/seeded_layer.h"

namespace moescope::cuda {
namespace {

// mul.rn.bf16x2 of one half: subnormals are kept.
std::uint16_t Multiply(std::uint32_t a, std::uint32_t b) {
  const double product = static_cast<double>(isa::Bf16ToFloat(static_cast<std::uint16_t>(a))) *
                         static_cast<double>(isa::Bf16ToFloat(static_cast<std::uint16_t>(b)));
  // BF16 operands: the product has 16 significant bits and is exact in binary32 unless it leaves
  // its range; the tests below stay inside.
  return isa::FloatToBf16(static_cast<float>(product));
}

struct Pair {
  std::uint16_t low, high;
};
Pair MultiplyPair(std::uint32_t a, std::uint32_t b) {
  return {Multiply(a & 0xFFFFu, b & 0xFFFFu), Multiply(a >> 16, b >> 16)};
}
std::uint32_t Join(Pair pair) { return pair.low | static_cast<std::uint32_t>(pair.high) << 16; }

// Bits of a pair of a unit before the products.
std::uint32_t BitsOf(moe::WeightFormat format, int pair, std::uint64_t unit) {
  const auto first = static_cast<std::uint32_t>(unit);
  const auto second = static_cast<std::uint32_t>(unit >> 32);
  if (!IsFp4(format)) {
    const std::uint32_t word = pair < 2 ? first : second;
    return pair % 2 == 0 ? device::Fp8Bits<0>(word) : device::Fp8Bits<1>(word);
  }
  const std::uint32_t all[] = {
      device::Fp4Bits<0>(first, second), device::Fp4Bits<1>(first, second),
      device::Fp4Bits<2>(first, second), device::Fp4Bits<3>(first, second),
      device::Fp4Bits<4>(first, second), device::Fp4Bits<5>(first, second),
      device::Fp4Bits<6>(first, second), device::Fp4Bits<7>(first, second)};
  return all[pair];
}

// Both ways of scaling, where both are allowed.
Pair Expand(moe::WeightFormat format, int pair, std::uint64_t unit, int scale) {
  const device::ExpansionFactors factors =
      IsFp4(format) ? device::kFp4Factors : device::kFp8Factors;
  const std::uint32_t bits = BitsOf(format, pair, unit);
  const std::uint32_t bytes = static_cast<std::uint32_t>(scale) * 0x00010001u;
  const Pair wide = MultiplyPair(Join(MultiplyPair(bits, factors.Rebias())),
                                 device::ExpansionFactors::TwiceScale(bytes));
  if (scale <= static_cast<int>(device::kLargestSingleScale)) {
    EXPECT_EQ(Join(MultiplyPair(bits, factors.Single(bytes))), Join(wide))
        << "scale " << scale << " unit " << unit;
  }
  return wide;
}

// The formats by their definition (moe.md, 6).
double Fp4Value(int code) {
  constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return code >= 8 ? -kValues[code - 8] : kValues[code];
}
double Fp8Value(int code) {
  const int exponent = code >> 3 & 15;
  const double fraction = (code & 7) / 8.0;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -6) : std::ldexp(1 + fraction, exponent - 7);
  return code >= 128 ? -magnitude : magnitude;
}

// Bits of the exact value; -0 keeps its sign.
std::uint16_t Bits(double value) {
  const auto narrowed = static_cast<float>(value);
  EXPECT_EQ(static_cast<double>(narrowed), value);
  const std::uint16_t bits = isa::FloatToBf16(narrowed);
  EXPECT_EQ(static_cast<double>(isa::Bf16ToFloat(bits)), value) << "not exact in BF16";
  return bits;
}

// A unit with two codes in one pair and noise everywhere else.
std::uint64_t UnitWith(moe::WeightFormat format, int pair, int first, int second) {
  const int all = (1 << CodeBits(format)) - 1;
  const CodePlace low{0, pair, 0};
  const CodePlace high{0, pair, 1};
  const std::uint64_t mask = SpreadCode(format, low, all) | SpreadCode(format, high, all);
  return (0x5A69C396'3C0FF0A5u & ~mask) | SpreadCode(format, low, first) |
         SpreadCode(format, high, second);
}

void ExpectEveryCode(moe::WeightFormat format) {
  const moe::ScaleRange exact = moe::ExactScales(format);
  const int sign = 1 << (CodeBits(format) - 1);
  for (int scale = exact.smallest; scale <= exact.largest; ++scale) {
    for (int code = 0; code < 2 * sign; ++code) {
      if (!IsFp4(format) && (code & 0x7F) == 0x7F) continue;  // NaN is refused when packing
      const double value = std::ldexp(IsFp4(format) ? Fp4Value(code) : Fp8Value(code), scale - 127);
      const std::uint16_t expected = Bits(value);
      for (int pair = 0; pair < 32 / CodeBits(format); ++pair) {
        const std::uint64_t unit = UnitWith(format, pair, code, code ^ sign);
        const Pair expanded = Expand(format, pair, unit, scale);
        ASSERT_EQ(expanded.low, expected) << "code " << code << " scale " << scale;
        ASSERT_EQ(expanded.high, expected ^ 0x8000u) << "code " << code << " scale " << scale;
      }
    }
  }
}

TEST(DecodeTwinTest, EveryFp4CodeAndScaleInEveryPlace) {
  ExpectEveryCode(moe::WeightFormat::kMxfp4B32);
}
TEST(DecodeTwinTest, EveryFp8CodeAndScaleInEveryPlace) {
  ExpectEveryCode(moe::WeightFormat::kMxfp8B32);
}

// The smallest and the largest scale of each format are the last that are exact.
TEST(DecodeTwinTest, BeyondTheExactRangeSomeCodeIsNotExact) {
  const auto exact = [](double value) {
    const auto narrowed = static_cast<float>(value);
    return static_cast<double>(isa::Bf16ToFloat(isa::FloatToBf16(narrowed))) == value;
  };
  for (const auto format : {moe::WeightFormat::kMxfp4B32, moe::WeightFormat::kMxfp8B8}) {
    const moe::ScaleRange range = moe::ExactScales(format);
    const auto all_exact = [&](int scale) {
      for (int code = 0; code < (IsFp4(format) ? 16 : 256); ++code) {
        if (!IsFp4(format) && (code & 0x7F) == 0x7F) continue;
        const double value = IsFp4(format) ? Fp4Value(code) : Fp8Value(code);
        if (!exact(std::ldexp(value, scale - 127))) return false;
      }
      return true;
    };
    EXPECT_TRUE(all_exact(range.smallest));
    EXPECT_TRUE(all_exact(range.largest));
    if (range.smallest > 0) {
      EXPECT_FALSE(all_exact(range.smallest - 1));
    }
    EXPECT_FALSE(all_exact(range.largest + 1));
  }
}

TEST(DecodeTwinTest, FactorsArePowersOfTwo) {
  for (const device::ExpansionFactors factors : {device::kFp4Factors, device::kFp8Factors}) {
    const int bias = static_cast<int>(factors.bias);
    const auto expect = [](std::uint32_t bits, int exponent) {
      EXPECT_EQ(bits & 0xFFFFu, bits >> 16);
      EXPECT_EQ(isa::Bf16ToFloat(static_cast<std::uint16_t>(bits)), std::ldexp(1.0, exponent));
    };
    expect(factors.Rebias(), bias - 1);
    for (std::uint32_t byte = 0; byte <= 253; ++byte) {
      const int scale = static_cast<int>(byte) - 127;
      const std::uint32_t bytes = byte * 0x00010001u;
      expect(device::ExpansionFactors::TwiceScale(bytes), scale + 1);
      if (byte <= device::kLargestSingleScale) expect(factors.Single(bytes), scale + bias);
    }
  }
}

// ---- from a packed matrix to the operand registers of wgmma ----

// One register of the A operand (PTX ISA, fragments of wgmma m64k16): register a of thread t holds
// rows r and columns c, c + 1.
struct Place {
  int row, column;
};
Place PlaceOfRegister(int thread, int step, int a) {
  return {thread / 32 * 16 + thread % 32 / 4 + 8 * (a & 1),
          16 * step + 2 * (thread % 4) + 8 * (a >> 1)};
}

// What thread `thread` expands from a chunk for 16 columns, as Fp4Weights and Fp8Weights do.
Pair RegisterOf(const std::uint8_t* chunk, moe::WeightFormat format, int thread, int step, int a) {
  const Place place = PlaceOfRegister(thread, step, a);
  const int scale = chunk[ScalePlaceOf(format, place.row, place.column)];
  const std::uint8_t* from =
      chunk + thread * 16 + (IsFp4(format) ? step / 2 * 8 : step / 2 * 2048 + step % 2 * 8);
  std::uint64_t unit = 0;
  std::memcpy(&unit, from, 8);
  return Expand(format, IsFp4(format) ? 4 * (step % 2) + a : a, unit, scale);
}

class OperandFormats : public ::testing::TestWithParam<moe::WeightFormat::Kind> {};
INSTANTIATE_TEST_SUITE_P(All, OperandFormats,
                         ::testing::Values(moe::WeightFormat::kMxfp8B8,
                                           moe::WeightFormat::kMxfp8B32,
                                           moe::WeightFormat::kMxfp4B32));

TEST_P(OperandFormats, RegistersHoldTheDecodedMatrix) {
  const moe::WeightFormat format = GetParam();
  const moe::Layer layer{
      .shape = {192, 112, 2, 1}, .weighting = moe::Weighting::kPre, .weights = format};
  const moe::Weights weights =
      moe::SeededWeights(layer, 3, moe::GateUpLayout::kHalves, moe::Orientation::kOutputMajor, {});
  const Plan plan = *MakePlan(layer.shape, 4, OptionsFor(layer), DesignTraits());
  const PackedWeights packed = *PackWeights(plan, weights);
  const MatrixShape shape{2, 112, 192};
  const std::int64_t first = LayoutOf(plan, Buffer::kPackedWeights).Find("gate_up").offset;
  for (int e = 0; e < 2; ++e) {
    const moe::ExpertMatrices expert = *moe::StoredExperts(weights.experts, {}).Load(e);
    const std::uint8_t* matrix = packed.bytes.data() + first + e * MatrixBytes(format, shape);
    for (int half = 0; half < 2; ++half) {
      const moe::Bf16Matrix& expected = half == 0 ? expert.gate : expert.up;
      for (int row = 0; row < shape.row_chunks(); ++row) {
        for (int column = 0; column < shape.column_chunks(); ++column) {
          const std::uint8_t* chunk =
              matrix + ChunkOffset(format, shape, half, row * kChunk, column * kChunk);
          for (int thread = 0; thread < kChunkThreads; ++thread) {
            for (int step = 0; step < 4; ++step) {
              for (int a = 0; a < 4; ++a) {
                const Place place = PlaceOfRegister(thread, step, a);
                const int r = row * kChunk + place.row;
                const int c = column * kChunk + place.column;
                const Pair got = RegisterOf(chunk, format, thread, step, a);
                const bool inside = r < shape.rows;
                ASSERT_EQ(got.low, inside ? expected.At(r, c) : 0);
                ASSERT_EQ(got.high, inside ? expected.At(r, c + 1) : 0);
              }
            }
          }
        }
      }
    }
  }
}

// Every element of a chunk is in exactly one register half.
TEST(DecodeTwinTest, RegistersCoverAChunk) {
  std::vector<int> seen(kChunk * kChunk, 0);
  for (int thread = 0; thread < kChunkThreads; ++thread) {
    for (int step = 0; step < 4; ++step) {
      for (int a = 0; a < 4; ++a) {
        const Place place = PlaceOfRegister(thread, step, a);
        for (int second = 0; second < 2; ++second) {
          ++seen[static_cast<std::size_t>(place.row * kChunk + place.column + second)];
        }
      }
    }
  }
  EXPECT_EQ(seen, std::vector<int>(kChunk * kChunk, 1));
}

}  // namespace
}  // namespace moescope::cuda
