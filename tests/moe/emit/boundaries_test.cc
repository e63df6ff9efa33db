#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/moe/emit/run_layer.h"

// One below, at and one above every size at which a program changes its form: chunks of K, rows of
// a slot, lanes of a logit block, words of a constant, groups, and the smallest and largest of
// everything. The program equals its twin bit for bit on both sides.

namespace moescope::moe {
namespace {

struct Boundary {
  std::string name;
  std::function<void(LayerCase&)> change;
};

LayerCase Base() {
  return {.layer = {.shape = {128, 128, 8, 2},
                    .router = {.mode = RouterMode::kSoftmaxTopk},
                    .weighting = Weighting::kPre,
                    .weights = WeightFormat::kMxfp8B8},
          .tokens = 2};
}

std::vector<Boundary> ChunkBoundaries() {
  std::vector<Boundary> boundaries;
  for (const int tiles : {1, 2, 3, 4, 5}) {
    for (const char* count : {"1", "2", "3", "4", "5", "max"}) {
      boundaries.push_back({"chunks_" + std::to_string(tiles) + "_by_" + count, [=](LayerCase& c) {
                              c.layer.shape.hidden = 64 * tiles;
                              c.layer.shape.intermediate = 64 * (6 - tiles);
                              EXPECT_TRUE(SetOption("k_tiles", count, c.lowering).ok());
                            }});
    }
  }
  // MRAM of exactly the tiles that the plan needs.
  for (const int buffers : {1, 2}) {
    boundaries.push_back({"mram_exact_" + std::to_string(buffers), [=](LayerCase& c) {
                            c.layer.shape.hidden = 320;
                            c.lowering.buffers = buffers;
                            c.machine.memory.matrix_rows =
                                static_cast<std::uint32_t>(4 * 64 * buffers);
                          }});
    boundaries.push_back({"mram_max_" + std::to_string(buffers), [=](LayerCase& c) {
                            c.layer.shape.hidden = 320;
                            c.lowering.buffers = buffers;
                            c.lowering.k_tiles = 0;  // as many as fit: three
                            c.machine.memory.matrix_rows =
                                static_cast<std::uint32_t>(3 * 64 * buffers);
                          }});
  }
  boundaries.push_back({"accumulate_exact", [](LayerCase& c) {
                          c.layer.shape.hidden = 320;
                          c.lowering.k_add = KAdd::kAccumulate;
                          c.lowering.k_tiles = 2;
                          c.machine.memory.matrix_rows = 5 * 64;
                        }});
  return boundaries;
}

std::vector<Boundary> RowBoundaries() {
  std::vector<Boundary> boundaries;
  for (const std::int64_t tokens : {3, 4, 5, 8, 9}) {
    boundaries.push_back(
        {"tokens_" + std::to_string(tokens), [=](LayerCase& c) { c.tokens = tokens; }});
    // One expert gets all pairs: a slot of `tokens` rows.
    for (const char* gather : {"hbm", "vram"}) {
      boundaries.push_back({"group_of_" + std::to_string(tokens) + "_" + gather, [=](LayerCase& c) {
                              c.tokens = tokens;
                              c.workload = "single";
                              c.lowering.reuse = Reuse::kGroup;
                              EXPECT_TRUE(SetOption("gather", gather, c.lowering).ok());
                            }});
    }
  }
  // More rows in a slot than the tile has.
  for (const std::int64_t tokens : {63, 64, 65}) {
    boundaries.push_back({"group_of_" + std::to_string(tokens), [=](LayerCase& c) {
                            c.tokens = tokens;
                            c.layer.shape = {64, 64, 3, 1};
                            c.workload = "single";
                            c.lowering.reuse = Reuse::kGroup;
                          }});
  }
  return boundaries;
}

std::vector<Boundary> RouterBoundaries() {
  std::vector<Boundary> boundaries;
  for (const int experts : {1, 2, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025}) {
    for (const bool dot : {false, true}) {
      boundaries.push_back(
          {"experts_" + std::to_string(experts) + (dot ? "_dot" : "_matrix"), [=](LayerCase& c) {
             c.layer.shape = {64, 64, experts, std::min(experts, 3)};
             c.lowering.router = dot ? RouterChoice::kDot : RouterChoice::kMatrix;
             c.machine.memory.fp_words = 8192;
           }});
    }
  }
  for (const int top_k : {1, 2, 7, 8}) {
    boundaries.push_back(
        {"top_k_" + std::to_string(top_k), [=](LayerCase& c) { c.layer.shape.top_k = top_k; }});
  }
  struct Groups {
    int experts, groups, kept, top_k;
  };
  for (const Groups g : {Groups{8, 8, 3, 3}, Groups{8, 4, 1, 2}, Groups{8, 4, 4, 8},
                         Groups{8, 2, 2, 5}, Groups{126, 2, 1, 4}, Groups{128, 2, 1, 4},
                         Groups{130, 2, 1, 4}, Groups{128, 64, 2, 4}, Groups{130, 65, 2, 4}}) {
    for (const bool correction : {false, true}) {
      boundaries.push_back({"groups_" + std::to_string(g.groups) + "_of_" +
                                std::to_string(g.experts) + "_keep_" + std::to_string(g.kept) +
                                (correction ? "_corrected" : ""),
                            [=](LayerCase& c) {
                              c.layer.shape = {64, 64, g.experts, g.top_k};
                              c.layer.router = {.mode = RouterMode::kSigmoidGroup,
                                                .norm = correction,
                                                .routed_scale = correction ? 2.5f : 1.0f,
                                                .groups = g.groups,
                                                .topk_group = g.kept,
                                                .correction_bias = correction};
                              c.machine.memory.fp_words = 4096;
                            }});
    }
  }
  for (const bool norm : {false, true}) {
    boundaries.push_back({norm ? "softmax_all_norm" : "softmax_all", [=](LayerCase& c) {
                            c.layer.shape.experts = 100;
                            c.layer.router = {.mode = RouterMode::kSoftmaxAll, .norm = norm};
                          }});
  }
  return boundaries;
}

std::vector<Boundary> LayerBoundaries() {
  std::vector<Boundary> boundaries = {
      {"smallest",
       [](LayerCase& c) {
         c.layer.shape = {64, 64, 1, 1};
       }},
      {"all_masked", [](LayerCase& c) { c.workload = "uniform+masked(1)"; }},
      {"seed_0", [](LayerCase& c) { c.seed = 0; }},
      {"seed_largest", [](LayerCase& c) { c.seed = ~std::uint64_t{0}; }},
      {"clamp_tiny", [](LayerCase& c) { c.layer.clamp = 0x1p-100f; }},
      {"clamp_huge", [](LayerCase& c) { c.layer.clamp = 0x1p100f; }},
      {"duplicate_expert",
       [](LayerCase& c) {
         c.tokens = 1;
         c.routing = Routing{1, 2, 8, {3, 3}, {0.75f, 0.25f}};
       }},
      {"duplicate_expert_grouped",
       [](LayerCase& c) {
         c.tokens = 2;
         c.lowering.reuse = Reuse::kGroup;
         c.routing = Routing{2, 2, 8, {3, 3, 3, -1}, {0.75f, 0.25f, 1.0f, 0.0f}};
       }},
      {"zero_weights",
       [](LayerCase& c) {
         c.routing = Routing{2, 2, 8, {0, 1, 2, 3}, {0.0f, 0.0f, 0.0f, 1.0f}};
       }},
  };
  for (const int width : {64, 128, 320}) {
    for (const bool gate : {false, true}) {
      boundaries.push_back(
          {"shared_" + std::to_string(width) + (gate ? "_gate" : ""), [=](LayerCase& c) {
             c.layer.shared = SharedExpert{width, gate};
           }});
    }
  }
  // What surrounds the layer, with every way to gather.
  for (const char* residual : {"none", "add", "norm"}) {
    for (const char* gather : {"hbm", "vram"}) {
      if (std::string(residual) == "norm" && std::string(gather) == "hbm") continue;
      for (const char* padding : {"zero", "skip"}) {
        for (const bool fixed : {false, true}) {
          boundaries.push_back({std::string("residual_") + residual + "_" + gather + "_" + padding +
                                    (fixed ? "_grouped" : ""),
                                [=](LayerCase& c) {
                                  c.tokens = 5;
                                  c.layer.shared = SharedExpert{64, true};
                                  EXPECT_TRUE(SetOption("residual", residual, c.lowering).ok());
                                  EXPECT_TRUE(SetOption("gather", gather, c.lowering).ok());
                                  EXPECT_TRUE(
                                      SetOption("gather_padding", padding, c.lowering).ok());
                                  if (!fixed) return;
                                  c.workload = "hot(p=1,n=2)+masked(0.2)";
                                  c.lowering.reuse = Reuse::kGroup;
                                }});
        }
      }
    }
  }
  return boundaries;
}

class BoundaryTest : public testing::TestWithParam<Boundary> {};

TEST_P(BoundaryTest, ProgramEqualsTwin) {
  LayerCase c = Base();
  GetParam().change(c);
  RunLayer run(std::move(c));
  ASSERT_TRUE(run.ok());
  run.ExpectEqualToTwin();
}

std::string NameOfBoundary(const testing::TestParamInfo<Boundary>& entry) {
  return entry.param.name;
}

INSTANTIATE_TEST_SUITE_P(Chunks, BoundaryTest, testing::ValuesIn(ChunkBoundaries()),
                         NameOfBoundary);
INSTANTIATE_TEST_SUITE_P(Rows, BoundaryTest, testing::ValuesIn(RowBoundaries()), NameOfBoundary);
INSTANTIATE_TEST_SUITE_P(Routers, BoundaryTest, testing::ValuesIn(RouterBoundaries()),
                         NameOfBoundary);
INSTANTIATE_TEST_SUITE_P(Layers, BoundaryTest, testing::ValuesIn(LayerBoundaries()),
                         NameOfBoundary);

// NaN, infinities, zeros and subnormals in x and in the logits reach the same bits.
TEST(SpecialInputsTest, ProgramEqualsTwin) {
  const std::uint16_t specials[] = {0x7FC0, 0x7F80, 0xFF80, 0x8000, 0x0001, 0x8001, 0x7F7F};
  for (const bool dot : {false, true}) {
    for (const RouterMode mode : {RouterMode::kSoftmaxTopk, RouterMode::kSigmoidGroup}) {
      if (mode == RouterMode::kSigmoidGroup && !dot) continue;
      LayerCase c = Base();
      c.tokens = static_cast<std::int64_t>(std::size(specials)) + 1;
      c.layer.router.mode = mode;
      c.layer.shared = SharedExpert{64, true};
      c.lowering.router = dot ? RouterChoice::kDot : RouterChoice::kMatrix;
      RunLayer run(std::move(c));
      ASSERT_TRUE(run.ok());
      for (std::size_t i = 0; i < std::size(specials); ++i) {
        run.ChangeX().At(static_cast<std::int64_t>(i), static_cast<std::int64_t>(7 * i)) =
            specials[i];
      }
      run.ExpectEqualToTwin();
    }
  }
}

// The token rows of one token never depend on the others.
TEST(TokenIndependenceTest, ATokenAmongOthersIsTheTokenAlone) {
  LayerCase many = Base();
  many.tokens = 5;
  RunLayer all(many);
  ASSERT_TRUE(all.ok());
  const Bf16Matrix y = all.Twin().y;
  for (std::int64_t t = 0; t < 5; ++t) {
    LayerCase one = Base();
    one.tokens = 1;
    RunLayer alone(one);
    ASSERT_TRUE(alone.ok());
    const auto row = all.x().Row(t);
    std::copy(row.begin(), row.end(), alone.ChangeX().Row(0).begin());
    alone.ExpectEqualToTwin();
    const Bf16Matrix own = alone.Read(alone.compiled().map.accumulator, 1);
    EXPECT_TRUE(std::equal(own.values.begin(), own.values.end(), y.Row(t).begin())) << t;
  }
}

// What the program leaves does not depend on experts that no token chose.
TEST(UnusedExpertsTest, ZeroedAndLoadedImagesGiveTheSameMemory) {
  LayerCase c = Base();
  c.workload = "empty(first,3)";
  RunLayer run(c);
  ASSERT_TRUE(run.ok());
  const std::vector<std::int64_t> used = CountPerExpert(*run.fixed());
  ASSERT_EQ(used[0], 0);
  run.Execute();
  const Bf16Matrix full = run.Read(run.compiled().map.accumulator, 2);
  run.Execute([&](int expert) { return used[static_cast<std::size_t>(expert)] > 0; });
  EXPECT_EQ(run.Read(run.compiled().map.accumulator, 2), full);
}

}  // namespace
}  // namespace moescope::moe
