#include "isa/packing.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "isa/mx_block.h"
#include "isa/row_codec.h"
#include "tests/isa/exact_model.h"

namespace moescope::isa {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Codes = std::vector<std::uint16_t>;

Bytes Pack(const Codes& codes, int bits) {
  Bytes bytes(PackedBytes(codes.size(), bits));
  PackCodes(codes, bits, bytes);
  return bytes;
}

// numerics.md, 5.
TEST(Packing, WorkedBytes) {
  EXPECT_EQ(Pack({6, 0xE, 1, 1, 2, 0xC, 5, 0}, 4), (Bytes{0xE6, 0x11, 0xC2, 0x05}));
  EXPECT_EQ(Pack({0x1F, 0x15, 0x3A, 0x03}, 6), (Bytes{0x5F, 0xA5, 0x0F}));
  EXPECT_EQ(Pack({0x1234, 0xABCD}, 16), (Bytes{0x34, 0x12, 0xCD, 0xAB}));
  EXPECT_EQ(Pack({0x7E, 0x81}, 8), (Bytes{0x7E, 0x81}));
}

TEST(Packing, ALastIncompleteByteHasZerosAbove) {
  EXPECT_EQ(Pack({0xF}, 4), (Bytes{0x0F}));
  EXPECT_EQ(Pack({0x3F, 0x3F}, 6), (Bytes{0xFF, 0x0F}));
  EXPECT_EQ(Pack({}, 6), Bytes{});
}

// Bit i of the stream is bit i % 8 of byte i / 8; nothing is read or written beyond the last byte.
TEST(Packing, EveryWidthIsABitStream) {
  std::mt19937 random(3);
  for (int bits = 1; bits <= 16; ++bits) {
    for (std::size_t count = 0; count <= 40; ++count) {
      Codes codes(count);
      for (std::uint16_t& code : codes) {
        code = static_cast<std::uint16_t>(random() & ((1U << bits) - 1));
      }
      const Bytes bytes = Pack(codes, bits);
      for (std::size_t i = 0; i < count * static_cast<std::size_t>(bits); ++i) {
        const auto width = static_cast<std::size_t>(bits);
        ASSERT_EQ(bytes[i / 8] >> i % 8 & 1, codes[i / width] >> i % width & 1);
      }
      Codes back(count);
      UnpackCodes(bytes, bits, back);
      ASSERT_EQ(back, codes);
    }
  }
}

// Encode, pack, unpack, decode for every element width; a row equals its blocks.
TEST(Packing, RowsAreTheirBlocks) {
  std::mt19937 random(4);
  std::vector<ElementType> types = model::AllFpElements(4, 8);
  types.push_back(kInt8);
  for (ElementType type : types) {
    for (std::uint32_t block : {8U, 32U}) {
      const TensorFormat format = Mx(type, block);
      const ElementRules rules = RulesFor(type, Convention::kOcp);
      const RowCodec codec(format, Convention::kOcp, ScaleRule::kEven);
      std::vector<float> values(64);
      for (float& value : values) {
        value = static_cast<float>(random() % 65536) / 1024.0F - 32.0F;
      }
      Bytes elements(format.ElementBytes(64)), scales(format.ScaleBytes(64));
      codec.Encode(values, elements, scales);
      std::vector<float> decoded(64), expected(64);
      codec.Decode(elements, scales, decoded);

      Codes codes(64);
      UnpackCodes(elements, type.Bits(), codes);
      for (std::uint32_t b = 0; b < 64 / block; ++b) {
        Bytes block_codes(block);
        const auto part = std::span(values).subspan(b * block, block);
        ASSERT_EQ(EncodeBlock(rules, ScaleRule::kEven, part, block_codes), scales[b]);
        for (std::uint32_t i = 0; i < block; ++i) ASSERT_EQ(block_codes[i], codes[b * block + i]);
        DecodeBlock(rules, scales[b], block_codes, std::span(expected).subspan(b * block, block));
      }
      ASSERT_EQ(decoded, expected);
    }
  }
}

TEST(Packing, PlainRows) {
  const std::vector<float> values = {1.0F, -2.5F, 0.0F, -0.0F, 448.0F, 0x1p-9F, 3.0F, -0.875F};
  for (ElementType type : {kE4M3, kBf16, kFp16, Fp(true, 6, 9)}) {
    for (Convention convention : {Convention::kOcp, Convention::kReference}) {
      if (type == kE4M3 && convention == Convention::kReference) continue;  // 448 is no value there
      const TensorFormat format = Plain(type);
      const RowCodec codec(format, convention, ScaleRule::kFloor);
      Bytes elements(format.ElementBytes(values.size()));
      codec.Encode(values, elements, {});
      std::vector<float> back(values.size());
      codec.Decode(elements, {}, back);
      EXPECT_EQ(back, values);
      Codes codes(values.size());
      UnpackCodes(elements, type.Bits(), codes);
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(codes[i], EncodePlain(type, convention, values[i]));
      }
    }
  }
}

}  // namespace
}  // namespace moescope::isa
