#include <gtest/gtest.h>

#include "moe/emit/compile.h"
#include "moe/presets.h"
#include "tests/moe/emit/dynamic_counts.h"

// Figures of the public compiler's emitters at real dimensions (moe.md, 15.3 and 15.4).

namespace moescope::moe {
namespace {

DynamicCounts OneToken(const char* preset, const Lowering& lowering = PublicLowering()) {
  Layer layer = *FindPreset(preset);
  layer.weights = WeightFormat::kMxfp8B8;
  const absl::StatusOr<CompiledLayer> compiled =
      Compile(layer, {.tokens = 1}, emulator::MachineDescription{}, lowering);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return CountsOf(compiled->built.program);
}

TEST(PublicCountsTest, GptOss20b) {
  const DynamicCounts counts = OneToken("gpt-oss-20b");
  EXPECT_EQ(counts.Mnemonic("M_MM"), 388800u);
  EXPECT_EQ(counts.Mnemonic("M_MM_WO"), 103680u);
  EXPECT_EQ(counts.Mnemonic("H_PREFETCH_M"), 24300u);
  EXPECT_EQ(counts.Mnemonic("V_TOPK"), 1u);
  EXPECT_EQ(counts.Mnemonic("C_SET_TOPK_REG"), 0u);
}

TEST(PublicCountsTest, Qwen3) {
  const DynamicCounts counts = OneToken("qwen3-30b-a3b");
  EXPECT_EQ(counts.Mnemonic("M_MM"), 148480u);
  EXPECT_EQ(counts.Mnemonic("M_MM_WO"), 36896u);
  EXPECT_EQ(counts.Mnemonic("H_PREFETCH_M"), 10240u);
  EXPECT_EQ(counts.Mnemonic("V_TOPK"), 1u);
}

// 5,940 and 1,856 K-chunk adds of 64 rows, of which 4 are in use.
TEST(PublicCountsTest, LiveKAddRemovesDeadRows) {
  Lowering live;
  live.k_add = KAdd::kLive;
  const auto removed = [&](const char* preset) {
    return OneToken(preset).Mnemonic("V_ADD_VV") - OneToken(preset, live).Mnemonic("V_ADD_VV");
  };
  EXPECT_EQ(removed("gpt-oss-20b"), 5940u * 60);
  EXPECT_EQ(removed("qwen3-30b-a3b"), 1856u * 60);
}

}  // namespace
}  // namespace moescope::moe
