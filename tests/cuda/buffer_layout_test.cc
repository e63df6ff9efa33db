// The one function that computes bytes.

#include "cuda/buffer_layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "cuda/packed_layout.h"
#include "moe/layer_names.h"
#include "moe/presets.h"

namespace moescope::cuda {
namespace {

Plan PlanFor(const moe::Layer& layer, std::int64_t tokens, bool save = false) {
  Options options = OptionsFor(layer);
  options.save_gate_up = save;
  absl::StatusOr<Plan> plan = MakePlan(layer.shape, tokens, options, DesignTraits());
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

std::vector<moe::Layer> Layers() {
  std::vector<moe::Layer> layers;
  for (const moe::Preset& preset : moe::Presets()) {
    for (const auto format : {moe::WeightFormat::kBf16, moe::WeightFormat::kMxfp8B8,
                              moe::WeightFormat::kMxfp8B32, moe::WeightFormat::kMxfp4B32}) {
      layers.push_back(preset.layer);
      layers.back().weights = format;
    }
  }
  layers.push_back(layers.front());
  layers.back().activation = moe::Activation::kGegluErf;
  return layers;
}

TEST(BufferLayoutTest, SlicesAreAlignedDisjointAndInside) {
  for (const moe::Layer& layer : Layers()) {
    for (const std::int64_t tokens : {0, 1, 17, 4096}) {
      const Plan plan = PlanFor(layer, tokens);
      for (const Buffer buffer : {Buffer::kWorkspace, Buffer::kPackedWeights}) {
        const BufferLayout layout = LayoutOf(plan, buffer);
        std::int64_t end = 0;
        for (const Slice& slice : layout.slices) {
          EXPECT_EQ(slice.offset % 256, 0) << slice.name;
          EXPECT_GE(slice.offset, end) << slice.name;
          EXPECT_LT(slice.offset - end, 256) << "a hole before " << slice.name;
          EXPECT_GT(slice.bytes, 0) << slice.name;
          EXPECT_EQ(slice.bytes % BytesOf(slice.type), 0) << slice.name;
          EXPECT_FALSE(slice.writer.empty() || slice.reader.empty()) << slice.name;
          end = slice.offset + slice.bytes;
        }
        EXPECT_GE(layout.bytes, end);
        EXPECT_LT(layout.bytes - end, 256);
      }
    }
  }
}

// The worked figures of cuda.md, 4.
TEST(BufferLayoutTest, FiguresOfTheDocument) {
  const moe::Layer layer = *moe::FindPreset("qwen3-30b-a3b");
  const BufferLayout layout = LayoutOf(PlanFor(layer, 16384), Buffer::kWorkspace);
  EXPECT_EQ(layout.Find("hidden").bytes, 204275712);
  EXPECT_EQ(layout.Find("slots").bytes, 536870912);
  EXPECT_EQ(layout.Find("row_src").bytes, 4 * 132992);
}

TEST(BufferLayoutTest, SlicesFollowTheOptions) {
  moe::Layer layer = *moe::FindPreset("qwen3-30b-a3b");
  layer.router = {};
  const BufferLayout given = LayoutOf(PlanFor(layer, 64), Buffer::kWorkspace);
  EXPECT_FALSE(given.Has("logits"));
  EXPECT_FALSE(given.Has("chunk_count"));  // 512 pairs are one chunk
  EXPECT_FALSE(given.Has("gate"));
  EXPECT_TRUE(LayoutOf(PlanFor(layer, 129), Buffer::kWorkspace).Has("chunk_count"));
  layer.activation = moe::Activation::kGegluTanh;
  EXPECT_TRUE(LayoutOf(PlanFor(layer, 64), Buffer::kWorkspace).Has("gate"));
  EXPECT_FALSE(LayoutOf(PlanFor(layer, 64, true), Buffer::kWorkspace).Has("gate"));
  const moe::Layer shared = *moe::FindPreset("qwen3-next-80b-a3b");
  const BufferLayout gated = LayoutOf(PlanFor(shared, 64), Buffer::kWorkspace);
  EXPECT_EQ(gated.Find("sigma").bytes, 4 * 64);
  EXPECT_TRUE(gated.Has("logits"));
}

TEST(BufferLayoutTest, PackedBytesPerWeight) {
  moe::Layer layer = moe::Plain(*moe::FindPreset("qwen3-30b-a3b"));
  layer.router = {};
  const std::int64_t weights = moe::RoutedParameters(layer.shape);
  const auto bytes = [&](moe::WeightFormat format) {
    layer.weights = format;
    return LayoutOf(PlanFor(layer, 1), Buffer::kPackedWeights).bytes;
  };
  EXPECT_EQ(bytes(moe::WeightFormat::kBf16), 2 * weights);
  EXPECT_EQ(bytes(moe::WeightFormat::kMxfp8B8), weights * 9 / 8);
  EXPECT_EQ(bytes(moe::WeightFormat::kMxfp8B32), weights * 33 / 32);
  EXPECT_EQ(bytes(moe::WeightFormat::kMxfp4B32), weights * 17 / 32);
}

// Inside a chunk every bit of every code and every scale has a place of its own, and none is free.
TEST(PackedLayoutTest, PlacesAreAPermutation) {
  for (const auto format :
       {moe::WeightFormat::kMxfp8B8, moe::WeightFormat::kMxfp8B32, moe::WeightFormat::kMxfp4B32}) {
    std::vector<int> used(static_cast<std::size_t>(ChunkBytes(format) * 8), 0);
    for (int row = 0; row < kChunk; ++row) {
      for (int column = 0; column < kChunk; ++column) {
        const CodePlace place = PlaceOf(format, row, column);
        ASSERT_LT(place.unit, ChunkElementBytes(format));
        ASSERT_EQ(place.unit % 8, 0);
        for (int bit = 0; bit < CodeBits(format); ++bit) {
          ++used[static_cast<std::size_t>(8 * place.unit + BitOf(format, place, bit))];
        }
        if (column % ScaleBlock(format) != 0) {
          EXPECT_EQ(ScalePlaceOf(format, row, column), ScalePlaceOf(format, row, column - 1));
          continue;
        }
        const int scale = ScalePlaceOf(format, row, column);
        ASSERT_GE(scale, ChunkElementBytes(format));
        ASSERT_LT(scale, ChunkBytes(format));
        for (int bit = 0; bit < 8; ++bit) ++used[static_cast<std::size_t>(8 * scale + bit)];
      }
    }
    EXPECT_EQ(used, std::vector<int>(used.size(), 1)) << moe::Name(format);
  }
}

TEST(PackedLayoutTest, CodesComeBackFromTheirPlaces) {
  for (const auto format : {moe::WeightFormat::kMxfp8B8, moe::WeightFormat::kMxfp4B32}) {
    const int places = 64 / CodeBits(format);
    const int codes = 1 << CodeBits(format);
    for (int code = 0; code < codes; ++code) {
      std::uint64_t unit = 0;
      for (int i = 0; i < places; ++i) {
        unit |= SpreadCode(format, {0, i / 2, i % 2}, (code + 3 * i) % codes);
      }
      for (int i = 0; i < places; ++i) {
        EXPECT_EQ(CodeIn(format, {0, i / 2, i % 2}, unit), (code + 3 * i) % codes);
      }
    }
  }
}

TEST(PackedLayoutTest, ChunksOfAMatrixAreInOrder) {
  const MatrixShape shape{2, 100, 130};  // 2 x 2 row chunks, 3 column chunks
  const auto format = moe::WeightFormat::kMxfp4B32;
  EXPECT_EQ(shape.chunks(), 12);
  EXPECT_EQ(ChunkOffset(format, shape, 0, 0, 0), 0);
  EXPECT_EQ(ChunkOffset(format, shape, 0, 0, 129), 2 * ChunkBytes(format));
  EXPECT_EQ(ChunkOffset(format, shape, 0, 64, 0), 3 * ChunkBytes(format));
  EXPECT_EQ(ChunkOffset(format, shape, 1, 0, 0), 6 * ChunkBytes(format));
  EXPECT_EQ(MatrixBytes(format, shape), 12 * (2048 + 128));
}

}  // namespace
}  // namespace moescope::cuda
