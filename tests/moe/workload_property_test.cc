#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "isa/functions.h"
#include "moe/generator.h"
#include "moe/routing_statistics.h"
#include "moe/workload.h"

// Workloads as distributions: frequencies over many draws against the probabilities of moe.md, 13,
// the exact sets that the definitions fix, and independence of order and length.

namespace moescope::moe {
namespace {

Routing Generate(const std::string& text, const RoutingShape& shape, std::uint64_t seed = 1) {
  absl::StatusOr<Routing> routing = GenerateRouting(*ParseWorkload(text), shape, seed);
  EXPECT_TRUE(routing.ok()) << routing.status();
  return *std::move(routing);
}

std::vector<std::int32_t> TokenIds(const Routing& routing, std::int64_t token) {
  const auto first = routing.topk_idx.begin() + token * routing.top_k;
  return {first, first + routing.top_k};
}

// The permutation of the experts that all workloads share: `balanced` with one slot walks it.
std::vector<std::int32_t> Permutation(int experts, std::uint64_t seed) {
  return Generate("balanced", {experts, 1, experts}, seed).topk_idx;
}

TEST(PermutationTest, IsOneAndChangesWithTheSeed) {
  std::set<std::vector<std::int32_t>> seen;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<std::int32_t> perm = Permutation(12, seed);
    seen.insert(perm);
    std::sort(perm.begin(), perm.end());
    for (std::int32_t e = 0; e < 12; ++e) EXPECT_EQ(perm[static_cast<std::size_t>(e)], e);
  }
  EXPECT_EQ(seen.size(), 20u);
}

TEST(BalancedTest, WalksThePermutation) {
  const std::vector<std::int32_t> perm = Permutation(7, 3);
  const Routing routing = Generate("balanced", {20, 3, 7}, 3);
  for (std::size_t pair = 0; pair < routing.topk_idx.size(); ++pair) {
    EXPECT_EQ(routing.topk_idx[pair], perm[pair % 7]);
  }
}

TEST(SingleTest, IsTheBeginningOfThePermutation) {
  const std::vector<std::int32_t> perm = Permutation(7, 3);
  const Routing routing = Generate("single", {5, 3, 7}, 3);
  for (std::int64_t t = 0; t < 5; ++t) {
    EXPECT_EQ(TokenIds(routing, t), std::vector<std::int32_t>(perm.begin(), perm.begin() + 3));
  }
}

// Every expert is chosen with probability K/E; the deviation is within five sigma.
TEST(UniformTest, FrequenciesAreFlat) {
  constexpr std::int64_t kTokens = 20000;
  const Routing routing = Generate("uniform", {kTokens, 2, 10});
  const double p = 0.2;
  const double sigma = std::sqrt(kTokens * p * (1 - p));
  for (const std::int64_t count : CountPerExpert(routing)) {
    EXPECT_NEAR(static_cast<double>(count), kTokens * p, 5 * sigma);
  }
}

TEST(UniformTest, EveryPairOfExpertsHappens) {
  const Routing routing = Generate("uniform", {2000, 2, 6});
  std::set<std::vector<std::int32_t>> seen;
  for (std::int64_t t = 0; t < 2000; ++t) seen.insert(TokenIds(routing, t));
  EXPECT_EQ(seen.size(), 30u);  // ordered pairs of different experts
}

TEST(HotTest, SlotZeroHasTheProbabilityAsked) {
  constexpr std::int64_t kTokens = 20000;
  for (const double p : {0.0, 0.25, 0.75, 1.0}) {
    const Routing routing = Generate("hot(p=" + std::to_string(p) + ",n=2)", {kTokens, 3, 16});
    const std::vector<std::int32_t> perm = Permutation(16, 1);
    std::int64_t hot = 0;
    for (std::int64_t t = 0; t < kTokens; ++t) {
      const std::int32_t first = TokenIds(routing, t).front();
      hot += first == perm[0] || first == perm[1] ? 1 : 0;
    }
    const double expected = p + (1 - p) * 2 / 16;
    const double sigma = std::sqrt(kTokens * expected * (1 - expected));
    EXPECT_NEAR(static_cast<double>(hot), kTokens * expected, 5 * sigma + 1e-9) << p;
  }
}

TEST(RaggedTest, FirstSlotsFollowTheZipfWeights) {
  constexpr std::int64_t kTokens = 20000;
  const Routing routing = Generate("ragged", {kTokens, 1, 8});
  const std::vector<std::int32_t> perm = Permutation(8, 1);
  const std::vector<std::int64_t> counts = CountPerExpert(routing);
  double total = 0;
  for (int rank = 0; rank < 8; ++rank) total += std::floor(1048576.0 / (1 + rank));
  for (int rank = 0; rank < 8; ++rank) {
    const double p = std::floor(1048576.0 / (1 + rank)) / total;
    const double sigma = std::sqrt(kTokens * p * (1 - p));
    const auto expert = static_cast<std::size_t>(perm[static_cast<std::size_t>(rank)]);
    EXPECT_NEAR(static_cast<double>(counts[expert]), kTokens * p, 5 * sigma) << rank;
  }
}

TEST(RaggedTest, WithoutReplacementEverySlotDiffers) {
  const Routing routing = Generate("ragged", {500, 8, 8});
  for (std::int64_t t = 0; t < 500; ++t) {
    const std::vector<std::int32_t> ids = TokenIds(routing, t);
    EXPECT_EQ(std::set<std::int32_t>(ids.begin(), ids.end()).size(), 8u);
  }
}

// The hot set of token t is perm[first, first + n), first = floor(t / period) n.
TEST(RotatingTest, HotSetsAreTheWindowsOfThePermutation) {
  for (const int hot : {1, 2, 3, 5}) {
    for (const std::int64_t period : {1, 2, 7}) {
      const std::string text =
          "rotating(n=" + std::to_string(hot) + ",period=" + std::to_string(period) + ")";
      const Routing routing = Generate(text, {40, 3, 9}, 5);
      const std::vector<std::int32_t> perm = Permutation(9, 5);
      for (std::int64_t t = 0; t < 40; ++t) {
        std::set<std::int32_t> window;
        for (int i = 0; i < hot; ++i) {
          window.insert(perm[static_cast<std::size_t>((t / period % 9 * hot + i) % 9)]);
        }
        const std::vector<std::int32_t> ids = TokenIds(routing, t);
        const int from_window = std::min(hot, 3);
        for (int slot = 0; slot < from_window; ++slot) {
          EXPECT_TRUE(window.contains(ids[static_cast<std::size_t>(slot)])) << text << " " << t;
        }
      }
    }
  }
}

TEST(BurstTest, RunsShareASetAndGapsDoNot) {
  for (const std::int64_t length : {1, 3, 4}) {
    for (const std::int64_t gap : {0, 2, 5}) {
      const std::string text =
          "burst(length=" + std::to_string(length) + ",gap=" + std::to_string(gap) + ")";
      const Routing routing = Generate(text, {60, 4, 40}, 2);
      const Routing uniform = Generate("uniform", {60, 4, 40}, 2);
      for (std::int64_t t = 0; t < 60; ++t) {
        const std::int64_t inside = t % (length + gap);
        const std::int64_t source = inside < length ? t - inside : t;
        EXPECT_EQ(TokenIds(routing, t), TokenIds(uniform, source)) << text << " " << t;
      }
    }
  }
}

TEST(EmptyTest, NamesAndNumbersMeanTheSame) {
  EXPECT_EQ(Generate("empty(first,middle,last)", {50, 2, 9}), Generate("empty(0,4,8)", {50, 2, 9}));
  EXPECT_EQ(Generate("empty(first,first,0)", {50, 2, 9}), Generate("empty(0)", {50, 2, 9}));
  EXPECT_EQ(*ParseWorkload("empty"), *ParseWorkload("empty(first)"));
  // Exactly K experts are left: every token takes them all.
  const Routing all = Generate("empty(0,1,2)", {20, 2, 5});
  for (std::int64_t t = 0; t < 20; ++t) {
    const std::vector<std::int32_t> ids = TokenIds(all, t);
    EXPECT_EQ(std::set<std::int32_t>(ids.begin(), ids.end()), (std::set<std::int32_t>{3, 4}));
  }
}

TEST(MaskTest, SharesFollowTheProbabilityAndLieOverAnyKind) {
  constexpr std::int64_t kTokens = 10000;
  for (const char* kind : {"balanced", "single", "ragged", "hot(p=1,n=1)"}) {
    for (const double p : {0.1, 0.5}) {
      const std::string text = std::string(kind) + "+masked(" + std::to_string(p) + ")";
      const Routing masked = Generate(text, {kTokens, 2, 6});
      const Routing bare = Generate(kind, {kTokens, 2, 6});
      std::int64_t count = 0;
      for (std::size_t pair = 0; pair < masked.topk_idx.size(); ++pair) {
        if (masked.topk_idx[pair] < 0) {
          ++count;
          EXPECT_EQ(masked.topk_w[pair], 0.0f);
        } else {
          EXPECT_EQ(masked.topk_idx[pair], bare.topk_idx[pair]);
          EXPECT_EQ(masked.topk_w[pair], bare.topk_w[pair]);
        }
      }
      const double n = 2 * kTokens;
      EXPECT_NEAR(static_cast<double>(count), n * p, 5 * std::sqrt(n * p * (1 - p))) << text;
    }
  }
}

// "Softmax of K sorted normals, correctly rounded FP32."
TEST(WeightsTest, AreTheSoftmaxOfTheTokensNormals) {
  const Routing routing = Generate("uniform", {30, 5, 11}, 9);
  for (std::int64_t t = 0; t < 30; ++t) {
    std::vector<float> normals;
    for (int k = 0; k < 5; ++k) {
      normals.push_back(Normal(9, Stream::kRouteWeight, static_cast<std::uint64_t>(5 * t + k)));
    }
    std::sort(normals.rbegin(), normals.rend());
    float sum = 0;
    for (const float normal : normals) sum += isa::Exp(normal - normals[0]);
    for (int k = 0; k < 5; ++k) {
      EXPECT_EQ(routing.topk_w[static_cast<std::size_t>(5 * t + k)],
                isa::Exp(normals[static_cast<std::size_t>(k)] - normals[0]) / sum);
    }
  }
}

TEST(SeedTest, EverythingRandomChangesWithIt) {
  for (const char* text : {"balanced", "uniform", "hot(p=0.5,n=2)", "ragged", "empty(first)",
                           "single", "rotating(n=2,period=3)", "burst(length=2,gap=1)"}) {
    const Routing a = Generate(text, {30, 3, 20}, 1);
    const Routing b = Generate(text, {30, 3, 20}, 2);
    EXPECT_NE(a.topk_idx, b.topk_idx) << text;
    EXPECT_NE(a.topk_w, b.topk_w) << text;
  }
}

// Parsing and printing, over a grid of parameters.
TEST(TextTest, EveryParameterRoundTrips) {
  std::vector<std::string> texts;
  for (const char* p : {"0", "0.125", "1"}) {
    for (const char* n : {"1", "7", "65535"}) {
      texts.push_back(std::string("hot(p=") + p + ",n=" + n + ")");
    }
  }
  for (const char* n : {"1", "30"}) {
    for (const char* period : {"1", "1000"}) {
      texts.push_back(std::string("rotating(n=") + n + ",period=" + period + ")");
      texts.push_back(std::string("burst(length=") + period + ",gap=" + n + ")");
    }
  }
  texts.insert(texts.end(), {"balanced", "uniform", "ragged", "single", "empty(first)",
                             "empty(last,3,middle)", "replay(a/b.json)"});
  for (const std::string& text : texts) {
    for (const char* mask : {"", "+masked(0.25)", "+masked(1)"}) {
      const absl::StatusOr<Workload> workload = ParseWorkload(text + mask);
      ASSERT_TRUE(workload.ok()) << text << workload.status();
      EXPECT_EQ(Format(*workload), text + mask);
    }
  }
}

TEST(TextTest, ParametersMayBeLeftOutAndReordered) {
  EXPECT_EQ(*ParseWorkload("hot"), (Workload{.kind = WorkloadKind::kHot}));
  EXPECT_EQ(*ParseWorkload("hot(n=3)"), (Workload{.kind = WorkloadKind::kHot, .hot_experts = 3}));
  EXPECT_EQ(*ParseWorkload("hot(n=3,p=0.25)"), *ParseWorkload("hot(p=0.25,n=3)"));
  EXPECT_EQ(*ParseWorkload("burst()"), *ParseWorkload("burst"));
  EXPECT_EQ(*ParseWorkload("replay(a,b.json)"),
            (Workload{.kind = WorkloadKind::kReplay, .file = "a,b.json"}));
}

TEST(TextTest, MalformedTexts) {
  const auto problem = [](const std::string& text) {
    const std::string message(ParseWorkload(text).status().message());
    EXPECT_EQ(message.rfind("workload '" + text, 0), 0u) << message;
    EXPECT_TRUE(message.ends_with("(--workload) [RC050]")) << message;
    return message;
  };
  for (const char* text :
       {"", "hot(", "hot(p)", "hot(p=)", "hot(p=-0.1)", "hot(p=1.1)", "hot(n=-1)", "hot(period=1)",
        "rotating(p=1)", "rotating(gap=1)", "burst(n=1)", "burst(length=x)", "ragged(p=1)",
        "uniform+masked(2)", "uniform+masked()", "uniform+masked(0.1,0.2)", "+masked(0.1)",
        "replay()", "uniform +masked(0.1)"}) {
    EXPECT_NE(problem(text), "") << text;
  }
}

}  // namespace
}  // namespace moescope::moe
