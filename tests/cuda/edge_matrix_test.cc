// The edge matrix itself: it covers every possible pair, what it leaves out is impossible for a
// reason given here a second time, and plans, layouts and checks take every case.

#include "tests/cuda/edge_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "cuda/buffer_layout.h"
#include "cuda/host/preconditions.h"
#include "moe/dispatch.h"
#include "moe/workload.h"

namespace moescope::cuda::test {
namespace {

const EdgeMatrix& Matrix() {
  static const EdgeMatrix& matrix = *new EdgeMatrix(MakeEdgeMatrix());
  return matrix;
}

TEST(EdgeMatrixTest, EveryPairIsCoveredOrImpossible) {
  std::set<EdgePair> covered;
  for (const EdgeCase& c : Matrix().cases) {
    EXPECT_TRUE(IsPossible(c)) << c.name();
    ForEachPair(c.point, [&](const EdgePair& pair) { covered.insert(pair); });
  }
  const auto sizes = EdgeSizes();
  std::size_t pairs = 0;
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    for (std::size_t b = a + 1; b < sizes.size(); ++b) {
      pairs += static_cast<std::size_t>(sizes[a] * sizes[b]);
    }
  }
  EXPECT_EQ(covered.size() + Matrix().impossible.size(), pairs);
  for (const EdgePair& pair : Matrix().impossible) EXPECT_FALSE(covered.contains(pair));
  std::printf("%zu cases cover %zu pairs; %zu pairs are impossible\n", Matrix().cases.size(),
              covered.size(), Matrix().impossible.size());
}

// Names of dimensions by number, for the rule below.
enum Dimension {
  kWidth,
  kExpert,
  kTop,
  kToken,
  kActivation,
  kClamp,
  kBias,
  kFormat,
  kWeighting,
  kFast,
  kSave,
  kWorkload,
  kSms
};

bool IsExplained(const EdgePair& pair) {
  const auto [a, i, b, j] = pair;
  const auto experts = [&] { return EdgeValues::kExperts[static_cast<std::size_t>(i)]; };
  if (a == kExpert && b == kTop) {
    return EdgeValues::kTopK[static_cast<std::size_t>(j)] > experts();
  }
  if (a == kTop && b == kWeighting) return j == 2 && i != 0;            // INPUT needs K = 1
  if (a == kBias && b == kWeighting) return j == 2 && i == 1;           // and takes no bias
  if (a == kActivation && b == kFast) return j == 1 && i >= 2;          // geglu has no fast form
  if (a == kExpert && b == kWorkload) return experts() == 1 && j >= 7;  // one expert, left out
  // So wide that only one expert fits: none can be left out.
  if (a == kWidth && b == kWorkload) {
    const auto [hidden, intermediate] = EdgeValues::kWidths[static_cast<std::size_t>(i)];
    return j >= 7 && std::int64_t{3} * hidden * intermediate * 8 > kMostWeights;
  }
  // Size: weights of all experts, or the products of all rows.
  return (a == kWidth && (b == kExpert || b == kTop || b == kToken)) ||
         (a == kExpert && b == kToken) || (a == kTop && b == kToken);
}

TEST(EdgeMatrixTest, WhatIsImpossibleIsExplained) {
  for (const EdgePair& pair : Matrix().impossible) {
    EXPECT_TRUE(IsExplained(pair)) << std::get<0>(pair) << "=" << std::get<1>(pair) << " with "
                                   << std::get<2>(pair) << "=" << std::get<3>(pair);
  }
}

// Whether a pair is too large whatever else: K = 1, no tokens, the smallest of the others.
TEST(EdgeMatrixTest, SizesAreLeftOutOnlyWhenTheyMustBe) {
  for (const auto& [a, i, b, j] : Matrix().impossible) {
    if (a != kWidth || b != kExpert) continue;
    const auto [hidden, intermediate] = EdgeValues::kWidths[static_cast<std::size_t>(i)];
    const int experts = EdgeValues::kExperts[static_cast<std::size_t>(j)];
    EXPECT_GT(std::int64_t{3} * hidden * intermediate * experts, kMostWeights);
  }
}

TEST(EdgeMatrixTest, EveryValueOccurs) {
  const auto sizes = EdgeSizes();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::set<int> values;
    for (const EdgeCase& c : Matrix().cases) values.insert(c.point[d]);
    EXPECT_EQ(static_cast<int>(values.size()), sizes[d]) << "dimension " << d;
  }
}

TEST(EdgeMatrixTest, IsTheSameEveryTime) {
  const EdgeMatrix again = MakeEdgeMatrix();
  ASSERT_EQ(again.cases.size(), Matrix().cases.size());
  for (std::size_t i = 0; i < again.cases.size(); ++i) {
    EXPECT_EQ(again.cases[i].point, Matrix().cases[i].point);
  }
}

TEST(EdgeMatrixTest, TokenCountsSitOnBothSidesOfEverySwitch) {
  std::map<int, std::set<int>> tiles;  // by token value
  for (const EdgeCase& c : Matrix().cases) {
    const auto plan = MakePlan(c.layer().shape, c.tokens(), c.options(), DesignTraits());
    ASSERT_TRUE(plan.ok()) << c.name() << ": " << plan.status();
    if (c.point[kToken] >= 5) tiles[c.point[kToken]].insert(plan->token_tile);
  }
  const auto rules = TileTable(moe::WeightFormat::kBf16);  // the other table has the same tiles
  int value = 5;
  for (std::size_t rule = 0; rule + 1 < rules.size(); ++rule) {
    EXPECT_EQ(tiles[value++], std::set<int>{rules[rule].token_tile});
    for (const int tile : tiles[value]) EXPECT_GT(tile, rules[rule].token_tile);
    ++value;
  }
}

TEST(EdgeMatrixTest, PlansLayoutsAndChecksTakeEveryCase) {
  for (const EdgeCase& c : Matrix().cases) {
    SCOPED_TRACE(c.name());
    const auto plan = MakePlan(c.layer().shape, c.tokens(), c.options(), DesignTraits());
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->layer(), c.layer());
    const BufferLayout work = LayoutOf(*plan, Buffer::kWorkspace);
    const auto at = [](int buffer) {
      return reinterpret_cast<void*>(std::uintptr_t{0x100000000} *
                                     static_cast<std::uintptr_t>(buffer));
    };
    ForwardTensors tensors{
        .x = Tensor::Dense(at(1), ElementType::kBf16, c.tokens(), c.hidden()),
        .topk_idx = Tensor::Dense(at(2), ElementType::kInt32, c.tokens(), c.top_k()),
        .topk_w = Tensor::Dense(at(3), ElementType::kFloat32, c.tokens(), c.top_k()),
        .weights = {at(4), LayoutOf(*plan, Buffer::kPackedWeights).bytes},
        .y = Tensor::Dense(at(5), ElementType::kBf16, c.tokens(), c.hidden())};
    if (c.save()) {
      tensors.gate = Tensor::Dense(at(6), ElementType::kBf16, plan->rows_max, c.intermediate());
      tensors.up = Tensor::Dense(at(7), ElementType::kBf16, plan->rows_max, c.intermediate());
    }
    EXPECT_TRUE(CheckForward(*plan, tensors, {at(8), work.bytes}).ok())
        << CheckForward(*plan, tensors, {at(8), work.bytes});
  }
}

// Every routing of the matrix fits the rows of its plan.
TEST(EdgeMatrixTest, RoutingsFitTheRows) {
  for (const EdgeCase& c : Matrix().cases) {
    const auto routing = moe::GenerateRouting(*moe::ParseWorkload(c.workload()),
                                              {c.tokens(), c.top_k(), c.experts()}, 1);
    ASSERT_TRUE(routing.ok()) << c.name() << ": " << routing.status();
    const auto plan = MakePlan(c.layer().shape, c.tokens(), c.options(), DesignTraits());
    const auto rows = moe::Dispatch(*routing, kRowAlignment).row_src.size();
    EXPECT_LE(static_cast<std::int64_t>(rows), plan->rows_max) << c.name();
  }
}

}  // namespace
}  // namespace moescope::cuda::test
