// The worked blocks of numerics.md, 4.5, byte for byte, through block and row codec.

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/bfloat16.h"
#include "isa/mx_block.h"
#include "isa/row_codec.h"

namespace moescope::isa {
namespace {

std::vector<float> Bf16Values(const std::vector<float>& values) {
  std::vector<float> rounded;
  for (float value : values) rounded.push_back(Bf16ToFloat(FloatToBf16(value)));
  return rounded;
}

std::vector<float> BlockA() { return Bf16Values({5, -4.75F, .3F, .32F, 1.1F, -2.2F, 3.3F, 0}); }
std::vector<float> BlockB() { return Bf16Values({1.9375F, .3F, -.7F, .01F, .001F, 0, -0.0F, .9F}); }

using Rules = std::vector<ScaleRule>;
constexpr auto kFloor = ScaleRule::kFloor;
constexpr auto kCeil = ScaleRule::kCeil;
constexpr auto kEven = ScaleRule::kEven;
constexpr auto kRceil = ScaleRule::kRceil;

struct WorkedBlock {
  const char* name;
  std::vector<float> values;
  ElementType type;
  Convention convention;
  Rules rules;
  std::uint8_t scale;
  std::vector<std::uint8_t> codes;
  std::vector<float> decoded;
};

std::vector<WorkedBlock> WorkedBlocks() {
  constexpr auto kOcp = Convention::kOcp;
  constexpr auto kReference = Convention::kReference;
  const std::vector<float> a8 = {5, -5, .3125F, .3125F, 1.125F, -2.25F, 3.25F, 0};
  return {
      {"A E4M3",
       BlockA(),
       kE4M3,
       kOcp,
       {kFloor, kEven, kRceil},
       0x79,
       {0x7A, 0xFA, 0x5A, 0x5A, 0x69, 0xF1, 0x75, 0x00},
       a8},
      {"A E4M3 ceil",
       BlockA(),
       kE4M3,
       kOcp,
       {kCeil},
       0x7A,
       {0x72, 0xF2, 0x52, 0x52, 0x61, 0xE9, 0x6D, 0x00},
       a8},
      {"A E2M1",
       BlockA(),
       kE2M1,
       kOcp,
       {kFloor, kEven, kRceil},
       0x7F,
       {6, 0xE, 1, 1, 2, 0xC, 5, 0},
       {4, -4, .5F, .5F, 1, -2, 3, 0}},
      {"A INT8",
       BlockA(),
       kInt8,
       kOcp,
       {kFloor, kEven, kRceil},
       0x81,
       {0x50, 0xB4, 0x05, 0x05, 0x12, 0xDD, 0x35, 0x00},
       {5, -4.75F, .3125F, .3125F, 1.125F, -2.1875F, 3.3125F, 0}},
      {"A E4M3 reference",
       BlockA(),
       kE4M3,
       kReference,
       {kFloor},
       0x81,
       {0x3A, 0xBA, 0x1A, 0x1A, 0x29, 0xB1, 0x35, 0x00},
       a8},
      {"Bk E4M3 floor",
       BlockB(),
       kE4M3,
       kOcp,
       {kFloor},
       0x77,
       {0x7E, 0x6A, 0xF3, 0x42, 0x28, 0x00, 0x80, 0x76},
       {1.75F, .3125F, -.6875F, .009765625F, .0009765625F, 0, -0.0F, .875F}},
      {"Bk E4M3",
       BlockB(),
       kE4M3,
       kOcp,
       {kCeil, kEven, kRceil},
       0x78,
       {0x78, 0x62, 0xEB, 0x3A, 0x20, 0x00, 0x80, 0x6E},
       {2, .3125F, -.6875F, .009765625F, .0009765625F, 0, -0.0F, .875F}},
      {"Bk E3M2",
       BlockB(),
       kE3M2,
       kOcp,
       {kFloor},
       0x7B,
       {0x1F, 0x15, 0x3A, 0x03, 0x00, 0x00, 0x20, 0x1B},
       {1.75F, .3125F, -.75F, .01171875F, 0, 0, -0.0F, .875F}},
      {"Bk E2M3",
       BlockB(),
       kE2M3,
       kOcp,
       {kFloor},
       0x7D,
       {0x1F, 0x0A, 0x33, 0x00, 0x00, 0x00, 0x20, 0x16},
       {1.875F, .3125F, -.6875F, 0, 0, 0, -0.0F, .875F}},
      {"Bk E2M1 floor",
       BlockB(),
       kE2M1,
       kOcp,
       {kFloor},
       0x7D,
       {7, 2, 0xD, 0, 0, 0, 8, 6},
       {1.5F, .25F, -.75F, 0, 0, 0, -0.0F, 1}},
      {"Bk E2M1 ceil",
       BlockB(),
       kE2M1,
       kOcp,
       {kCeil},
       0x7E,
       {6, 1, 0xB, 0, 0, 0, 8, 4},
       {2, .25F, -.75F, 0, 0, 0, -0.0F, 1}},
      {"Bk E4M3 reference",
       BlockB(),
       kE4M3,
       kReference,
       {kFloor},
       0x7F,
       {0x3F, 0x2A, 0xB3, 0x07, 0x01, 0x00, 0x00, 0x36},
       {1.875F, .3125F, -.6875F, .0068359375F, .0009765625F, 0, 0, .875F}},
  };
}

std::vector<std::uint32_t> Bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

TEST(WorkedBlocks, EncodeAndDecode) {
  for (const WorkedBlock& block : WorkedBlocks()) {
    const ElementRules rules = RulesFor(block.type, block.convention);
    for (ScaleRule rule : block.rules) {
      std::vector<std::uint8_t> codes(block.values.size());
      EXPECT_EQ(EncodeBlock(rules, rule, block.values, codes), block.scale) << block.name;
      EXPECT_EQ(codes, block.codes) << block.name;
      std::vector<float> decoded(block.values.size());
      DecodeBlock(rules, block.scale, block.codes, decoded);
      EXPECT_EQ(Bits(decoded), Bits(block.decoded)) << block.name;
    }
  }
}

TEST(WorkedBlocks, ThroughTheRowCodec) {
  for (const WorkedBlock& block : WorkedBlocks()) {
    const TensorFormat format = Mx(block.type, 8);
    for (ScaleRule rule : block.rules) {
      const RowCodec codec(format, block.convention, rule);
      std::vector<std::uint8_t> elements(format.ElementBytes(8));
      std::vector<std::uint8_t> scales(1);
      codec.Encode(block.values, elements, scales);
      EXPECT_EQ(scales[0], block.scale) << block.name;
      std::vector<float> decoded(8);
      codec.Decode(elements, scales, decoded);
      EXPECT_EQ(Bits(decoded), Bits(block.decoded)) << block.name;
    }
  }
}

// numerics.md, 5: bytes of two of the blocks.
TEST(WorkedBlocks, PackedBytes) {
  std::vector<std::uint8_t> scales(1);
  std::vector<std::uint8_t> nibbles(4);
  RowCodec(Mx(kE2M1, 8), Convention::kOcp, kFloor).Encode(BlockA(), nibbles, scales);
  EXPECT_EQ(nibbles, (std::vector<std::uint8_t>{0xE6, 0x11, 0xC2, 0x05}));
  std::vector<std::uint8_t> sixes(6);
  RowCodec(Mx(kE3M2, 8), Convention::kOcp, kFloor).Encode(BlockB(), sixes, scales);
  sixes.resize(3);
  EXPECT_EQ(sixes, (std::vector<std::uint8_t>{0x5F, 0xA5, 0x0F}));
}

}  // namespace
}  // namespace moescope::isa
