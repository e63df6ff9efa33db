// Bytes of every slice against formulas written down a second time (cuda.md, 4), over presets,
// formats, options and token counts on both sides of every step: padding to 16 rows, chunks of
// 1,024 pairs, chunks of 64 rows and columns.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "cuda/buffer_layout.h"
#include "moe/layer_names.h"
#include "moe/presets.h"

namespace moescope::cuda {
namespace {

using Bytes = std::map<std::string, std::int64_t>;

std::int64_t Up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

std::int64_t RowsMax(const moe::LayerShape& s, std::int64_t tokens) {
  const std::int64_t pairs = tokens * s.top_k;
  return Up(pairs + std::min<std::int64_t>(s.experts, pairs) * 15, 16);
}

bool Separate(const Options& o) {
  return o.kernels == Kernels::kTensorCore &&
         (o.save_gate_up || o.activation == moe::Activation::kGegluTanh ||
          o.activation == moe::Activation::kGegluErf);
}

Bytes WorkspaceOf(const moe::LayerShape& s, std::int64_t tokens, const Options& o) {
  const std::int64_t pairs = tokens * s.top_k;
  const std::int64_t rows = RowsMax(s, tokens);
  Bytes b{{"status", 8},
          {"count", 4 * s.experts},
          {"base", 4 * s.experts},
          {"group_size", 4},
          {"group_expert", 4 * s.experts},
          {"group_prefix", 4 * s.experts + 4},
          {"group_odd", 4 * s.experts + 4},
          {"row_src", 4 * rows},
          {"row_w", 4 * rows},
          {"row_of", 4 * pairs},
          {"hidden", 2 * rows * s.intermediate},
          {"slots", 2 * pairs * s.hidden}};
  if (pairs > 1024) b["chunk_count"] = 4 * ((pairs - 1) / 1024 + 1) * s.experts;
  if (o.router.mode != moe::RouterMode::kGiven) b["logits"] = 4 * tokens * s.experts;
  if (o.weighting == moe::Weighting::kInput) b["scaled_x"] = 2 * tokens * s.hidden;
  if (Separate(o) && !o.save_gate_up) b["gate"] = b["up"] = b["hidden"];
  if (o.shared.has_value()) {
    b["shared_count"] = b["shared_base"] = b["shared_group_size"] = b["shared_group_expert"] = 4;
    b["shared_group_prefix"] = b["shared_group_odd"] = 8;
    b["shared_hidden"] = 2 * Up(tokens, 16) * o.shared->intermediate;
    if (Separate(o)) b["shared_gate"] = b["shared_up"] = b["shared_hidden"];
    b["shared_out"] = 2 * tokens * s.hidden;
    if (o.shared->gate) b["sigma"] = 4 * tokens;
  }
  std::erase_if(b, [](const auto& slice) { return slice.second == 0; });
  return b;
}

std::int64_t MatrixBytesOf(moe::WeightFormat format, std::int64_t rows, std::int64_t columns) {
  const std::int64_t padded = Up(rows, 64) * Up(columns, 64);
  switch (format) {
    case moe::WeightFormat::kBf16:
      return 2 * rows * columns;
    case moe::WeightFormat::kMxfp8B8:
      return padded + padded / 8;
    case moe::WeightFormat::kMxfp8B32:
      return padded + padded / 32;
    case moe::WeightFormat::kMxfp4B32:
      return padded / 2 + padded / 32;
  }
  return -1;
}

Bytes PackedOf(const moe::LayerShape& s, const Options& o) {
  Bytes b{{"gate_up", s.experts * 2 * MatrixBytesOf(o.weights, s.intermediate, s.hidden)},
          {"down", s.experts * MatrixBytesOf(o.weights, s.hidden, s.intermediate)}};
  if (o.expert_bias) {
    b["gate_up_bias"] = std::int64_t{4} * s.experts * s.intermediate;
    b["down_bias"] = std::int64_t{2} * s.experts * s.hidden;
  }
  if (o.shared.has_value()) {
    b["shared_gate_up"] = std::int64_t{4} * o.shared->intermediate * s.hidden;
    b["shared_down"] = std::int64_t{2} * o.shared->intermediate * s.hidden;
    if (o.shared->gate) b["shared_gate_vector"] = std::int64_t{2} * s.hidden;
  }
  if (o.router.mode != moe::RouterMode::kGiven) {
    b["router"] = std::int64_t{4} * s.experts * s.hidden;
    if (o.router.logit_bias) b["router_bias"] = 4 * s.experts;
    if (o.router.correction_bias) b["correction_bias"] = 4 * s.experts;
  }
  return b;
}

// Sizes equal the formulas; the total is their sum, each rounded up to 256.
void ExpectLayout(const Plan& plan, Buffer buffer, const Bytes& expected) {
  const BufferLayout layout = LayoutOf(plan, buffer);
  Bytes actual;
  for (const Slice& slice : layout.slices) actual[std::string(slice.name)] = slice.bytes;
  EXPECT_EQ(actual, expected);
  std::int64_t total = 0;
  for (const auto& [name, bytes] : expected) total += Up(bytes, 256);
  EXPECT_EQ(layout.bytes, total);
}

std::vector<std::int64_t> TokenCounts(int top_k) {
  std::vector<std::int64_t> counts = {0, 1, 2, 15, 16, 17, 4096};
  for (const std::int64_t pairs : {1024, 2048, 5120}) {
    for (const std::int64_t change : {-1, 0, 1}) counts.push_back(pairs / top_k + change);
  }
  return counts;
}

class PresetBytes : public ::testing::TestWithParam<moe::WeightFormat::Kind> {};
INSTANTIATE_TEST_SUITE_P(Formats, PresetBytes,
                         ::testing::Values(moe::WeightFormat::kBf16, moe::WeightFormat::kMxfp8B8,
                                           moe::WeightFormat::kMxfp8B32,
                                           moe::WeightFormat::kMxfp4B32));

TEST_P(PresetBytes, FollowTheFormulas) {
  for (const moe::Preset& preset : moe::Presets()) {
    Options options = OptionsFor(preset.layer);
    options.weights = GetParam();
    for (const bool save : {false, true}) {
      options.save_gate_up = save;
      for (const std::int64_t tokens : TokenCounts(preset.layer.shape.top_k)) {
        SCOPED_TRACE(absl::StrCat(Absl(preset.name), " T ", tokens, " save ", save));
        const auto plan = MakePlan(preset.layer.shape, tokens, options, DesignTraits());
        ASSERT_TRUE(plan.ok()) << plan.status();
        EXPECT_EQ(plan->rows_max, RowsMax(preset.layer.shape, tokens));
        ExpectLayout(*plan, Buffer::kWorkspace, WorkspaceOf(preset.layer.shape, tokens, options));
        ExpectLayout(*plan, Buffer::kPackedWeights, PackedOf(preset.layer.shape, options));
      }
    }
  }
}

// Widths around the chunks of 64 that packing pads to.
TEST_P(PresetBytes, WidthsAtChunkEdges) {
  for (const int hidden : {16, 48, 64, 80, 112, 128, 144, 2880}) {
    for (const int intermediate : {16, 48, 64, 80, 1408}) {
      const moe::LayerShape shape{hidden, intermediate, 3, 2};
      const Options options{.weighting = moe::Weighting::kPost, .weights = GetParam()};
      const auto plan = MakePlan(shape, 33, options, DesignTraits());
      ASSERT_TRUE(plan.ok()) << plan.status();
      ExpectLayout(*plan, Buffer::kPackedWeights, PackedOf(shape, options));
      ExpectLayout(*plan, Buffer::kWorkspace, WorkspaceOf(shape, 33, options));
    }
  }
}

// One token more never needs less.
TEST(BufferBytesTest, BytesGrowWithTheTokens) {
  const moe::Layer layer = *moe::FindPreset("gpt-oss-20b");
  std::int64_t before = 0;
  for (std::int64_t tokens = 0; tokens < 700; ++tokens) {
    const auto plan = MakePlan(layer.shape, tokens, OptionsFor(layer), DesignTraits());
    const std::int64_t bytes = LayoutOf(*plan, Buffer::kWorkspace).bytes;
    EXPECT_GE(bytes, before) << tokens;
    before = bytes;
  }
}

// Neither tiles nor multiprocessors nor the device change a byte: a workspace fits them all.
TEST(BufferBytesTest, TuningDoesNotChangeBytes) {
  const moe::Layer layer = *moe::FindPreset("qwen3-30b-a3b");
  Options options = OptionsFor(layer);
  const Plan base = *MakePlan(layer.shape, 500, options, DesignTraits());
  for (const int tile : {16, 32, 64, 128}) {
    for (const int sms : {1, 64, 132}) {
      options.token_tile = tile;
      options.sm_limit = sms;
      const Plan plan = *MakePlan(layer.shape, 500, options, DesignTraits());
      for (const Buffer buffer : {Buffer::kWorkspace, Buffer::kPackedWeights}) {
        EXPECT_EQ(LayoutOf(plan, buffer).bytes, LayoutOf(base, buffer).bytes);
      }
    }
  }
}

}  // namespace
}  // namespace moescope::cuda
