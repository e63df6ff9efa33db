#include "isa/tensor_layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "isa/tensor_codec.h"

namespace moescope::isa {
namespace {

constexpr auto kOcp = Convention::kOcp;
constexpr auto kFloor = ScaleRule::kFloor;

// numerics.md, 5: a tensor of 64 x 128 and its tile (0, 64).
struct AddressRow {
  TensorFormat format;
  std::uint64_t row_bytes, bytes_per_scale, scale, total, offset;
  std::uint64_t scale_offset, scale_stride;
  std::uint64_t tile_bytes, tile_scales;  // of one row of the tile
};

constexpr AddressRow kAddresses[] = {
    {Mx(kE4M3, 8), 128, 8, 8192, 9216, 64, 8200, 16, 64, 8},
    {Mx(kE4M3, 32), 128, 32, 8192, 8448, 64, 8194, 4, 64, 2},
    {Mx(kE2M1, 32), 64, 16, 4096, 4352, 32, 4098, 4, 32, 2},
    {Mx(kE3M2, 32), 96, 24, 6144, 6400, 48, 6146, 4, 48, 2},
    {Plain(kBf16), 256, 0, 0, 16384, 128, 0, 0, 128, 0},
};

TEST(TensorLayout, AddressesOfTheTable) {
  for (const AddressRow& row : kAddresses) {
    const TensorLayout layout = LayoutOf(row.format, 64, 128).value();
    EXPECT_EQ(layout.row_bytes(), row.row_bytes);
    EXPECT_EQ(row.format.BytesPerScale(), row.bytes_per_scale);
    EXPECT_EQ(layout.scale_offset(), row.scale);
    EXPECT_EQ(layout.total_bytes(), row.total);
    EXPECT_EQ(row.format.ElementBytes(64), row.tile_bytes);
    EXPECT_EQ(row.format.ScaleBytes(64), row.tile_scales);
    const RowGroupAddress expected = {row.offset, row.row_bytes, row.scale_offset,
                                      row.scale_stride};
    EXPECT_EQ(layout.AddressOf(0, 64), expected);
  }
}

// isa.md, 5.6: the worked transfer starts at offset 8256 of a tensor with SCALE 16384.
TEST(TensorLayout, WorkedTransferOfTheManual) {
  const TensorLayout block8 = LayoutOf(Mx(kE4M3, 8), 128, 128).value();
  EXPECT_EQ(block8.scale_offset(), 16384U);
  EXPECT_EQ(block8.AddressOf(64, 64), (RowGroupAddress{8256, 128, 17992 - 576, 16}));
  const TensorLayout block32 = LayoutOf(Mx(kE4M3, 32), 128, 128).value();
  EXPECT_EQ(block32.AddressOf(64, 64), (RowGroupAddress{8256, 128, 17218 - 576, 4}));
}

TEST(TensorLayout, RowsArePaddedToWholeBlocks) {
  const TensorLayout layout = LayoutOf(Mx(kE3M2, 8), 3, 17).value();
  EXPECT_EQ(layout.stored_columns, 24U);
  EXPECT_EQ(layout.row_bytes(), 18U);
  EXPECT_EQ(layout.row_scales(), 3U);
  EXPECT_EQ(layout.element_bytes(), 54U);
  EXPECT_EQ(layout.total_bytes(), 63U);
  EXPECT_EQ(layout.table_stride(), 64U);
  EXPECT_EQ(LayoutOf(Plain(kE5M2), 3, 17).value().stored_columns, 17U);
}

TEST(TensorLayout, TablesKeepEveryBlobAligned) {
  EXPECT_EQ(AlignTensor(0), 0U);
  EXPECT_EQ(AlignTensor(1), 64U);
  EXPECT_EQ(AlignTensor(64), 64U);
  EXPECT_EQ(AlignTensor(65), 128U);
  EXPECT_EQ(LayoutOf(Mx(kE4M3, 8), 64, 128).value().table_stride(), 9216U);
}

TEST(TensorLayout, RefusesEmptyAndHugeTensors) {
  const auto message = [](std::uint64_t rows, std::uint64_t columns) {
    return LayoutOf(Mx(kE2M1, 32), rows, columns).status().ToString();
  };
  EXPECT_EQ(message(0, 3), "INVALID_ARGUMENT: a tensor of 0 x 3 values is empty");
  EXPECT_EQ(message(3, 0), "INVALID_ARGUMENT: a tensor of 3 x 0 values is empty");
  EXPECT_EQ(message(std::uint64_t{1} << 40, std::uint64_t{1} << 20),
            "INVALID_ARGUMENT: a tensor of 1099511627776 x 1048576 values (Mx E2M1 block 32) has "
            "more than 2^59");
  EXPECT_EQ(message(1, std::numeric_limits<std::uint64_t>::max()),
            "INVALID_ARGUMENT: a tensor of 1 x 18446744073709551615 values (Mx E2M1 block 32) has "
            "more than 2^59");
  EXPECT_TRUE(LayoutOf(Plain(kBf16), std::uint64_t{1} << 30, std::uint64_t{1} << 29).ok());
  EXPECT_FALSE(LayoutOf(Plain(kBf16), (std::uint64_t{1} << 30) + 1, std::uint64_t{1} << 29).ok());
}

std::vector<float> Ramp(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(i % 5) - 2.0F;  // exact in every type
  }
  return values;
}

TEST(TensorCodec, TailsAreZerosAndBlocksDoNotCrossRows) {
  for (const TensorFormat& format :
       {Mx(kE4M3, 8), Mx(kE2M1, 32), Mx(kE3M2, 8), Mx(kInt8, 16), Mx(Fp(true, 2, 2), 8),
        Mx(Fp(true, 3, 3), 8), Plain(kBf16), Plain(kE4M3), Plain(kFp16)}) {
    const TensorLayout layout = LayoutOf(format, 5, 21).value();
    TensorCodec codec(layout, kOcp, kFloor);
    std::vector<float> values = Ramp(5 * 21);
    // A row of small numbers between large ones would lose them if a block crossed rows.
    if (format.is_mx()) {
      for (std::size_t c = 0; c < 21; ++c) values[2 * 21 + c] *= 0x1p-12F;
    }
    std::vector<std::uint8_t> bytes(layout.total_bytes(), 0xA5);
    codec.Encode(values, bytes);
    std::vector<float> back(values.size());
    codec.Decode(bytes, back);
    EXPECT_EQ(back, values);

    std::vector<float> stored(layout.stored_columns);
    const RowCodec rows(format, kOcp, kFloor);
    rows.Decode(std::span(bytes).first(layout.row_bytes()),
                std::span(bytes).subspan(layout.element_bytes(), layout.row_scales()), stored);
    for (std::size_t c = 21; c < stored.size(); ++c) EXPECT_EQ(stored[c], 0.0F);
  }
}

// What H_PREFETCH reads at the addresses of AddressOf is the tile.
TEST(TensorCodec, TilesDecodeAtTheirAddresses) {
  std::mt19937 random(7);
  for (const AddressRow& row : kAddresses) {
    const TensorLayout layout = LayoutOf(row.format, 64, 128).value();
    std::vector<float> values(64 * 128);
    for (float& value : values) value = static_cast<float>(random() % 4096) / 64.0F - 32.0F;
    TensorCodec codec(layout, kOcp, kFloor);
    std::vector<std::uint8_t> bytes(layout.total_bytes());
    codec.Encode(values, bytes);
    codec.Decode(bytes, values);

    const RowCodec rows(row.format, kOcp, kFloor);
    const RowGroupAddress address = layout.AddressOf(3, 64);
    for (std::uint64_t i = 0; i < 61; ++i) {
      std::vector<float> tile(64);
      const std::uint64_t scales = address.scale_offset + i * address.scale_stride;
      rows.Decode(std::span(bytes).subspan(address.offset + i * address.stride, row.tile_bytes),
                  std::span(bytes).subspan(scales, row.tile_scales), tile);
      const auto expected = std::span(values).subspan((3 + i) * 128 + 64, 64);
      EXPECT_EQ(tile, std::vector<float>(expected.begin(), expected.end()));
    }
  }
}

// A foreign image may hold anything behind the last column; it must not come back when a row is
// written afterwards.
TEST(TensorCodec, PaddingThatWasReadIsNotWritten) {
  const TensorLayout layout = LayoutOf(Mx(kE4M3, 8), 1, 5).value();
  TensorCodec codec(layout, kOcp, kFloor);
  const std::vector<std::uint8_t> foreign(layout.total_bytes(), 0x77);
  std::vector<float> values(5);
  codec.Decode(foreign, values);
  std::vector<std::uint8_t> bytes(layout.total_bytes());
  codec.Encode(values, bytes);
  EXPECT_EQ(std::vector<std::uint8_t>(bytes.begin() + 5, bytes.begin() + 8),
            std::vector<std::uint8_t>(3, 0));
}

TEST(TensorCodec, StreamedRowsEqualTheWholeTensor) {
  const TensorLayout layout = LayoutOf(Mx(kE2M3, 16), 7, 40).value();
  TensorCodec codec(layout, kOcp, ScaleRule::kEven);
  const std::vector<float> values = Ramp(7 * 40);
  std::vector<std::uint8_t> whole(layout.total_bytes());
  codec.Encode(values, whole);
  std::vector<std::uint8_t> streamed(layout.total_bytes());
  for (std::uint64_t r = 0; r < 7; ++r) {
    codec.EncodeRow(std::span(values).subspan(r * 40, 40),
                    std::span(streamed).subspan(r * layout.row_bytes(), layout.row_bytes()),
                    std::span(streamed).subspan(layout.scale_offset() + r * layout.row_scales(),
                                                layout.row_scales()));
  }
  EXPECT_EQ(streamed, whole);
}

}  // namespace
}  // namespace moescope::isa
