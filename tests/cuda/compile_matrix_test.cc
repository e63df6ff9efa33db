// The kernels that plans can reach and the kernels that the library holds are the same, both ways.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "cuda/plan.h"
#include "moe/layer_names.h"
#include "tests/cuda/kernel_resources.h"

namespace moescope::cuda::test {
namespace {

using Names = std::set<std::string>;

constexpr moe::WeightFormat::Kind kFormats[] = {
    moe::WeightFormat::kBf16, moe::WeightFormat::kMxfp8B8, moe::WeightFormat::kMxfp8B32,
    moe::WeightFormat::kMxfp4B32};
constexpr moe::LayerShape kShapes[] = {{2048, 768, 128, 8}, {2880, 2880, 32, 4}, {64, 64, 1, 1}};

Options OptionsOf(moe::WeightFormat format) {
  return {.weighting = moe::Weighting::kPre, .weights = format};
}

// "mxfp4_b32 gate_up 64x2x1": format, projection, token tile, consumer warpgroups, cluster.
Names Instances(moe::WeightFormat format, const Plan& plan) {
  Names names;
  for (const char* projection : {"gate_up", "down"}) {
    names.insert(absl::StrCat(Absl(moe::Name(format)), " ", projection, " ", plan.token_tile, "x",
                              plan.warpgroups, "x", ClusterBlocks(plan, format)));
  }
  return names;
}

// Over every tile of the table and every tile that may be asked for.
Names ReachableInstances() {
  Names names;
  for (const auto format : kFormats) {
    for (const moe::LayerShape& shape : kShapes) {
      Options options = OptionsOf(format);
      for (std::int64_t tokens = 0; tokens <= 1 << 16; tokens = tokens * 2 + 1) {
        names.merge(Instances(format, *MakePlan(shape, tokens, options, DesignTraits())));
      }
      for (int tile = 1; tile <= 256; ++tile) {
        for (const int sm_limit : {0, 1, 2, 131}) {
          options.token_tile = tile;
          options.sm_limit = sm_limit;
          const auto plan = MakePlan(shape, 1, options, DesignTraits());
          if (plan.ok()) names.merge(Instances(format, *plan));
        }
      }
    }
  }
  return names;
}

std::string FormatOf(const std::string& kernel) {
  if (absl::StrContains(kernel, "Bf16Weights")) return "bf16";
  if (absl::StrContains(kernel, "Fp4Weights")) return "mxfp4_b32";
  if (absl::StrContains(kernel, "Fp8Weights<8>")) return "mxfp8_b8";
  if (absl::StrContains(kernel, "Fp8Weights<32>")) return "mxfp8_b32";
  return "unknown";
}

// The same text from "...ExpertTraits<Weights, (Projection)0, 64, 2, stages>...".
std::string InstanceOf(const std::string& kernel) {
  const std::size_t projection = kernel.find("Projection)");
  int kind = -1, tile = 0, warpgroups = 0, stages = 0, cluster = 0;
  std::sscanf(kernel.c_str() + projection, "Projection)%d, %d, %d, %d, %d", &kind, &tile,
              &warpgroups, &stages, &cluster);
  EXPECT_GE(stages, 2) << kernel;
  return absl::StrCat(FormatOf(kernel), " ", kind == 0 ? "gate_up" : "down", " ", tile, "x",
                      warpgroups, "x", cluster);
}

TEST(CompileMatrixTest, ReachableAndCompiledInstancesAreTheSame) {
  const LibraryResources library = ReadLibraryResources();
  if (library.kernels.empty()) GTEST_SKIP() << "built without nvcc";
  Names compiled;
  for (const auto& [name, resources] : library.kernels) {
    if (absl::StrContains(name, "ExpertKernel")) {
      EXPECT_TRUE(compiled.insert(InstanceOf(name)).second) << "twice: " << name;
    }
  }
  EXPECT_EQ(compiled, ReachableInstances());
}

TEST(CompileMatrixTest, TheOtherKernelsAreTheListedOnes) {
  const LibraryResources library = ReadLibraryResources();
  if (library.kernels.empty()) GTEST_SKIP() << "built without nvcc";
  std::map<std::string, int> counts;
  for (const auto& [name, resources] : library.kernels) {
    if (absl::StrContains(name, "ExpertKernel")) continue;
    const std::size_t end = name.find("Kernel") + 6;
    const std::size_t begin = name.rfind(':', end) + 1;
    ++counts[name.substr(begin, end - begin)];
  }
  using ::testing::Pair;
  EXPECT_THAT(
      counts,
      ::testing::UnorderedElementsAre(
          Pair("ActivationKernel", 1), Pair("ChunkPrefixKernel", 1), Pair("CombineKernel", 2),
          Pair("DownKernel", 2), Pair("FewPairsKernel", 2), Pair("GateUpKernel", 2),
          Pair("GroupsKernel", 1), Pair("HistogramKernel", 1), Pair("LogitKernel", 1),
          Pair("PlaceKernel", 1), Pair("ScaleTokensKernel", 1), Pair("SelectKernel", 1),
          Pair("SharedGateKernel", 1), Pair("SingleGroupKernel", 1)));
}

// Thirty-two instances of single blocks, four formats, two projections, four tiles, and two of
// clusters.
TEST(CompileMatrixTest, EveryTileIsReachable) {
  const Names names = ReachableInstances();
  EXPECT_EQ(names.size(), 34u);
  EXPECT_TRUE(names.contains("bf16 gate_up 128x2x2"));
  EXPECT_TRUE(names.contains("bf16 down 128x2x2"));
  for (const auto format : kFormats) {
    for (const char* tile : {"16x1x1", "32x1x1", "64x2x1", "128x2x1"}) {
      EXPECT_TRUE(
          names.contains(absl::StrCat(Absl(moe::Name(moe::WeightFormat(format))), " down ", tile)));
    }
  }
}

// The table alone reaches every tile, so that none is dead without the option.
TEST(CompileMatrixTest, TheTableReachesEveryTileOfTheOption) {
  for (const auto format : {moe::WeightFormat::kBf16, moe::WeightFormat::kMxfp4B32}) {
    std::set<int> by_table;
    for (std::int64_t tokens = 1; tokens <= 1 << 16; tokens *= 2) {
      by_table.insert(
          MakePlan({2048, 768, 128, 8}, tokens, OptionsOf(format), DesignTraits())->token_tile);
    }
    std::set<int> in_table;
    for (const TileRule& rule : TileTable(format)) in_table.insert(rule.token_tile);
    EXPECT_EQ(by_table, in_table);
  }
}

}  // namespace
}  // namespace moescope::cuda::test
