#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/bfloat16.h"
#include "tests/moe/emit/sweep.h"

// What the images hold, read back element by element with decoders written for this test: rows and
// columns of every stored matrix, the place of its scales, biases, constants and tables.

namespace moescope::moe {
namespace {

// The HBM image as one array of bytes.
std::vector<std::uint8_t> WholeImage(const RunLayer& run) {
  std::vector<std::uint8_t> image(run.compiled().map.hbm_bytes);
  const absl::Status status = StreamHbm(
      run.compiled(), run.images(), [&](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
        EXPECT_LE(offset + bytes.size(), image.size());
        std::copy(bytes.begin(), bytes.end(), image.begin() + static_cast<std::ptrdiff_t>(offset));
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  return image;
}

// OCP numbers from their definition: sign, exponent and fraction fields; exponent 0 is subnormal.
double Small(unsigned code, int exponent_bits, int fraction_bits, int bias) {
  const unsigned fraction = code & ((1u << fraction_bits) - 1);
  const int exponent = static_cast<int>(code >> fraction_bits & ((1u << exponent_bits) - 1));
  const bool negative = (code >> (exponent_bits + fraction_bits) & 1) != 0;
  const double significand = std::ldexp(fraction, -fraction_bits) + (exponent > 0 ? 1 : 0);
  const double magnitude = std::ldexp(significand, std::max(exponent, 1) - bias);
  return negative ? -magnitude : magnitude;
}

// Element (output, contraction) of matrix `index` of a table.
double Stored(const std::vector<std::uint8_t>& image, const WeightTable& table, WeightFormat format,
              std::uint64_t index, std::uint64_t output, std::uint64_t contraction,
              std::uint64_t m) {
  const bool output_major = table.orientation == Orientation::kOutputMajor;
  const std::uint64_t row = output_major ? output : contraction;
  const std::uint64_t column = output_major ? contraction : output;
  const std::uint64_t width = m * (output_major ? table.contraction_tiles : table.output_tiles);
  const std::uint64_t base = table.base + index * table.stride;
  const std::uint64_t element = row * width + column;
  if (format == WeightFormat::kBf16) {
    const unsigned bits = image[base + 2 * element] | image[base + 2 * element + 1] << 8;
    return isa::Bf16ToFloat(static_cast<std::uint16_t>(bits));
  }
  const std::uint64_t block = format == WeightFormat::kMxfp8B8 ? 8 : 32;
  const int scale = image[base + table.scale_offset + element / block];
  double value = 0;
  if (format == WeightFormat::kMxfp4B32) {
    const unsigned byte = image[base + element / 2];
    value = Small(element % 2 == 0 ? byte & 15 : byte >> 4, 2, 1, 1);
  } else {
    value = Small(image[base + element], 4, 3, 7);
  }
  return std::ldexp(value, scale - 127);
}

class ImageContentsTest : public testing::TestWithParam<WeightFormat::Kind> {};

TEST_P(ImageContentsTest, EveryElementOfEveryMatrixIsWhereTheProgramReadsIt) {
  for (const char* orientation : {"kn", "nk"}) {
    Variant variant{.preset = "deepseek-v2-lite", .hidden = 128, .intermediate = 192};
    variant.format = GetParam();
    variant.shared = "128";
    variant.options = {{"orientation", orientation}};
    LayerCase c = CaseOf(variant);
    c.layer.shape.experts = 3;
    c.layer.shape.top_k = 2;
    const RunLayer run(c);
    ASSERT_TRUE(run.ok());
    const std::vector<std::uint8_t> image = WholeImage(run);
    const ProgramMap& map = run.compiled().map;
    const auto check = [&](const WeightTable& table, WeightFormat format, std::uint64_t index,
                           const Bf16Matrix& matrix) {
      for (std::int64_t o = 0; o < matrix.rows; ++o) {
        for (std::int64_t k = 0; k < matrix.columns; ++k) {
          ASSERT_EQ(Stored(image, table, format, index, static_cast<std::uint64_t>(o),
                           static_cast<std::uint64_t>(k), map.m),
                    isa::Bf16ToFloat(matrix.At(o, k)))
              << table.name << " " << index << " [" << o << "," << k << "]";
        }
      }
    };
    for (int e = 0; e < 3; ++e) {
      const ExpertMatrices expert = *run.experts().Load(e);
      const auto index = static_cast<std::uint64_t>(e);
      check(map.gate, GetParam(), index, expert.gate);
      check(map.up, GetParam(), index, expert.up);
      check(map.down, GetParam(), index, expert.down);
    }
    check(map.shared->gate, WeightFormat::kBf16, 0, run.tensors().shared_gate);
    check(map.shared->up, WeightFormat::kBf16, 0, run.tensors().shared_up);
    check(map.shared->down, WeightFormat::kBf16, 0, run.tensors().shared_down);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, ImageContentsTest,
                         testing::Values(WeightFormat::kBf16, WeightFormat::kMxfp8B8,
                                         WeightFormat::kMxfp8B32, WeightFormat::kMxfp4B32));

Variant Small(const char* preset) {
  Variant variant{.preset = preset, .tokens = 3};
  return variant;
}

TEST(HbmImageTest, TokensComeFirstRowByRow) {
  const RunLayer run(CaseOf(Small("qwen3-30b-a3b")));
  const std::vector<std::uint8_t> image = WholeImage(run);
  const Bf16Matrix& x = run.x();
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    EXPECT_EQ(image[2 * i] | image[2 * i + 1] << 8, x.values[i]);
  }
  EXPECT_EQ(run.compiled().map.hbm_x, 0u);
}

TEST(HbmImageTest, TheRouterMatrixIsPaddedWithZeros) {
  Variant variant = Small("qwen1.5-moe-a2.7b");  // 60 experts in a tile of 64
  variant.options = {{"router", "matrix"}};
  LayerCase c = CaseOf(variant);
  c.layer.router.norm = true;  // no scores: the matrix path is allowed
  const RunLayer run(c);
  ASSERT_TRUE(run.ok());
  const std::vector<std::uint8_t> image = WholeImage(run);
  const WeightTable& table = run.compiled().map.router->table;
  for (std::uint64_t e = 0; e < 64; ++e) {
    for (std::uint64_t k = 0; k < 128; ++k) {
      const double value = Stored(image, table, WeightFormat::kBf16, 0, e, k, 64);
      const double expected = e < 60 ? run.tensors().router.At(static_cast<std::int64_t>(e),
                                                               static_cast<std::int64_t>(k))
                                     : 0.0;
      EXPECT_EQ(value, expected) << e << "," << k;
    }
  }
}

// Row `row` of column block `block` of a table of `rows` rows that starts at `base`.
std::span<const std::uint16_t> Lanes(const std::vector<std::uint16_t>& image, std::uint32_t base,
                                     std::int64_t rows, std::int64_t block, std::int64_t row) {
  return std::span<const std::uint16_t>(image).subspan(
      base + static_cast<std::size_t>((block * rows + row) * 64), 64);
}

TEST(VramImageTest, BiasTablesAreOneRowPerExpertAndBlock) {
  const RunLayer run(CaseOf(Small("gpt-oss-20b")));
  ASSERT_TRUE(run.ok());
  const std::vector<std::uint16_t> image = VramImage(run.compiled(), run.images());
  const ProgramMap& map = run.compiled().map;
  const LayerTensors& tensors = run.tensors();
  const auto check = [&](std::uint32_t base, const Bf16Matrix& bias) {
    for (std::int64_t e = 0; e < bias.rows; ++e) {
      for (std::int64_t n = 0; n < bias.columns; ++n) {
        EXPECT_EQ(Lanes(image, base, bias.rows, n / 64, e)[static_cast<std::size_t>(n % 64)],
                  bias.At(e, n));
      }
    }
  };
  check(map.gate_bias, tensors.gate_bias);
  check(map.up_bias, tensors.up_bias);
  check(map.down_bias, tensors.down_bias);
  for (std::size_t e = 0; e < tensors.router_bias.size(); ++e) {
    EXPECT_EQ(isa::Bf16ToFloat(image[map.router->bias + e]), tensors.router_bias[e]);
  }
}

TEST(VramImageTest, DotRouterWeightsAndTheSharedGateVector) {
  const RunLayer run(CaseOf(Small("qwen1.5-moe-a2.7b")));
  ASSERT_TRUE(run.ok());
  const std::vector<std::uint16_t> image = VramImage(run.compiled(), run.images());
  const ProgramMap& map = run.compiled().map;
  ASSERT_EQ(map.router->path, RouterPath::kDot);
  const F32Matrix& router = run.tensors().router;
  for (std::int64_t e = 0; e < router.rows; ++e) {
    for (std::int64_t k = 0; k < router.columns; ++k) {
      const auto lane = static_cast<std::size_t>(k % 64);
      EXPECT_EQ(
          isa::Bf16ToFloat(Lanes(image, map.router->weights.base, router.rows, k / 64, e)[lane]),
          router.At(e, k));
    }
  }
  const std::vector<std::uint16_t>& gate = run.tensors().shared_gate_vector;
  for (std::size_t k = 0; k < gate.size(); ++k) {
    EXPECT_EQ(image[map.shared->gate_vector + k], gate[k]);
  }
}

TEST(VramImageTest, CorrectionBiasOfEveryExpert) {
  const RunLayer run(CaseOf(Small("kimi-k2")));
  ASSERT_TRUE(run.ok());
  const std::vector<std::uint16_t> image = VramImage(run.compiled(), run.images());
  const std::vector<float>& correction = run.tensors().correction_bias;
  ASSERT_EQ(correction.size(), 384u);
  for (std::size_t e = 0; e < correction.size(); ++e) {
    EXPECT_EQ(isa::Bf16ToFloat(image[run.compiled().map.router->correction + e]), correction[e]);
  }
}

TEST(FpImageTest, DotLogitsBeginAsMinusInfinityAndGroupsHaveTheirCorrection) {
  const RunLayer run(CaseOf(Small("deepseek-v3")));
  ASSERT_TRUE(run.ok());
  const std::vector<std::uint16_t> image = FpImage(run.compiled(), run.images());
  const RouterPlaces& router = *run.compiled().map.router;
  for (std::uint32_t i = 0; i < router.logit_blocks * 64; ++i) {
    EXPECT_EQ(image[router.fp_logits + i], isa::kBf16NegativeInfinity);
  }
  for (std::size_t e = 0; e < 256; ++e) {
    EXPECT_EQ(isa::Bf16ToFloat(image[router.fp_correction + e]), run.tensors().correction_bias[e]);
  }
}

TEST(FpImageTest, FixedWeightsAreRoundedToBf16) {
  Variant variant = Small("qwen3-30b-a3b");
  variant.workload = "ragged+masked(0.3)";
  const RunLayer run(CaseOf(variant));
  ASSERT_TRUE(run.ok());
  const std::vector<std::uint16_t> image = FpImage(run.compiled(), run.images());
  const std::vector<std::uint32_t> integers = IntImage(run.compiled());
  const ProgramMap& map = run.compiled().map;
  for (std::size_t pair = 0; pair < run.fixed()->topk_w.size(); ++pair) {
    EXPECT_EQ(image[map.weights + pair], isa::FloatToBf16(run.fixed()->topk_w[pair]));
    const std::int32_t id = run.fixed()->topk_idx[pair];
    EXPECT_EQ(integers[map.ids + pair], static_cast<std::uint32_t>(std::max(id, 0)));
  }
}

TEST(IntImageTest, OffsetsAreTokenRows) {
  const RunLayer run(CaseOf(Small("mixtral-8x7b")));
  const std::vector<std::uint32_t> image = IntImage(run.compiled());
  for (std::uint32_t t = 0; t < 3; ++t) {
    EXPECT_EQ(image[run.compiled().map.offsets + t], t * 256);
  }
  Variant variant = Small("mixtral-8x7b");
  variant.options = {{"gather", "vram"}};
  const absl::StatusOr<CompiledLayer> vram = CompileCase(CaseOf(variant));
  ASSERT_TRUE(vram.ok());
  EXPECT_EQ(vram->map.int_words, 3u * 2);  // ids only
}

}  // namespace
}  // namespace moescope::moe
