#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/string_view.h"
#include "cuda/plan.h"
#include "moe/layer_names.h"

// The edge matrix of the forward (cuda.md, 13) as a covering array: every possible pair of values
// of two dimensions occurs in some case. Token counts are made from the tile table in force.

namespace moescope::cuda::test {

inline constexpr int kDimensions = 13;

// Value numbers of one case, one per dimension, in the order of the accessors below.
using EdgePoint = std::array<int, kDimensions>;

struct EdgeValues {
  static constexpr std::array<std::pair<int, int>, 12> kWidths = {{{16, 16},
                                                                   {48, 64},
                                                                   {64, 48},
                                                                   {192, 144},
                                                                   {1024, 512},
                                                                   {1792, 768},
                                                                   {768, 1408},
                                                                   {2048, 64},
                                                                   {2880, 80},
                                                                   {4096, 48},
                                                                   {7168, 16},
                                                                   {64, 1792}}};
  static constexpr std::array<int, 8> kExperts = {1, 8, 60, 128, 256, 384, 512, 1024};
  static constexpr std::array<int, 7> kTopK = {1, 2, 4, 6, 8, 10, 32};
  static constexpr std::array<moe::Activation, 4> kActivations = {
      moe::Activation::kSwiglu, moe::Activation::kGptOss, moe::Activation::kGegluTanh,
      moe::Activation::kGegluErf};
  static constexpr std::array<moe::WeightFormat::Kind, 4> kFormats = {
      moe::WeightFormat::kBf16, moe::WeightFormat::kMxfp8B8, moe::WeightFormat::kMxfp8B32,
      moe::WeightFormat::kMxfp4B32};
  static constexpr std::array<moe::Weighting::Kind, 3> kWeightings = {
      moe::Weighting::kPre, moe::Weighting::kPost, moe::Weighting::kInput};
  static constexpr std::array<int, 5> kSmLimits = {0, 1, 8, 131, 132};
  static constexpr std::array<const char*, 9> kWorkloads = {
      "balanced", "uniform", "uniform+masked(0.2)", "uniform+masked(1)", "hot(p=1,n=1)",
      "ragged",   "single",  "empty(first)",        "empty(last)"};
  // Small counts, then both sides of every threshold of the table.
  static int TokenCounts() {
    return 5 + 2 * static_cast<int>(TileTable(moe::WeightFormat::kBf16).size() - 1);
  }
};

struct EdgeCase {
  EdgePoint point{};

  int hidden() const { return EdgeValues::kWidths[At(0)].first; }
  int intermediate() const { return EdgeValues::kWidths[At(0)].second; }
  int experts() const { return EdgeValues::kExperts[At(1)]; }
  int top_k() const { return EdgeValues::kTopK[At(2)]; }
  std::int64_t tokens() const {
    constexpr std::int64_t kSmall[] = {0, 1, 15, 16, 17};
    const std::size_t value = At(3);
    if (value < 5) return kSmall[value];
    const TileRule& rule = TileTable(format())[(value - 5) / 2];
    return rule.rows_per_expert * experts() / top_k() + static_cast<std::int64_t>((value - 5) % 2);
  }
  moe::Activation activation() const { return EdgeValues::kActivations[At(4)]; }
  bool clamp() const { return At(5) == 1; }
  bool bias() const { return At(6) == 1; }
  moe::WeightFormat::Kind format() const { return EdgeValues::kFormats[At(7)]; }
  moe::Weighting::Kind weighting() const { return EdgeValues::kWeightings[At(8)]; }
  bool fast_math() const { return At(9) == 1; }
  bool save() const { return At(10) == 1; }
  const char* workload() const { return EdgeValues::kWorkloads[At(11)]; }
  int sm_limit() const { return EdgeValues::kSmLimits[At(12)]; }

  moe::Layer layer() const {
    moe::Layer layer{.shape = {hidden(), intermediate(), experts(), top_k()},
                     .activation = activation(),
                     .expert_bias = bias(),
                     .weighting = weighting(),
                     .weights = format()};
    if (clamp()) layer.clamp = 0.5f;  // active on both sides of random values
    return layer;
  }
  Options options() const {
    Options options = OptionsFor(layer());
    options.fast_math_forward = fast_math();
    options.save_gate_up = save();
    options.sm_limit = sm_limit();
    return options;
  }
  std::string name() const {
    return absl::StrFormat("H%d_I%d_E%d_K%d_T%d_%s_%s_%s%s%s%s%s_sm%d_%s", hidden(), intermediate(),
                           experts(), top_k(), tokens(), Absl(moe::Name(activation())),
                           Absl(moe::Name(moe::WeightFormat(format()))),
                           Absl(moe::Name(moe::Weighting(weighting()))), clamp() ? "_clamp" : "",
                           bias() ? "_bias" : "", fast_math() ? "_fast" : "", save() ? "_save" : "",
                           sm_limit(), workload());
  }

 private:
  std::size_t At(int dimension) const {
    return static_cast<std::size_t>(point[static_cast<std::size_t>(dimension)]);
  }
};

inline std::array<int, kDimensions> EdgeSizes() {
  using V = EdgeValues;
  return {std::size(V::kWidths),
          std::size(V::kExperts),
          std::size(V::kTopK),
          V::TokenCounts(),
          std::size(V::kActivations),
          2,
          2,
          std::size(V::kFormats),
          std::size(V::kWeightings),
          2,
          2,
          std::size(V::kWorkloads),
          std::size(V::kSmLimits)};
}

// What a CPU reference can still do in a moment: multiplications, and weights to generate.
inline constexpr std::int64_t kMostProducts = 250'000'000;
inline constexpr std::int64_t kMostWeights = 13'000'000;

inline bool IsPossible(const EdgeCase& c) {
  if (c.top_k() > c.experts()) return false;
  if (c.weighting() == moe::Weighting::kInput && (c.top_k() != 1 || c.bias())) return false;
  if (c.fast_math() && c.activation() != moe::Activation::kSwiglu &&
      c.activation() != moe::Activation::kGptOss) {
    return false;
  }
  // A workload that leaves an expert out needs K others; hot needs one more.
  const std::string workload = c.workload();
  if (workload.rfind("empty", 0) == 0 && c.top_k() >= c.experts()) return false;
  const std::int64_t weights = std::int64_t{3} * c.hidden() * c.intermediate();
  return weights * c.experts() <= kMostWeights && weights * c.tokens() * c.top_k() <= kMostProducts;
}

using EdgePair = std::tuple<int, int, int, int>;  // dimension, value, dimension, value

inline void ForEachPair(const EdgePoint& point, const auto& visit) {
  for (int a = 0; a < kDimensions; ++a) {
    for (int b = a + 1; b < kDimensions; ++b) {
      visit(EdgePair{a, point[static_cast<std::size_t>(a)], b, point[static_cast<std::size_t>(b)]});
    }
  }
}

inline EdgePoint RandomPoint(std::mt19937& random) {
  EdgePoint point{};
  const auto sizes = EdgeSizes();
  for (std::size_t d = 0; d < point.size(); ++d) {
    point[d] = static_cast<int>(random() % static_cast<unsigned>(sizes[d]));
  }
  return point;
}

// A possible case with the pair in it, if a search finds one.
inline bool CompletePair(const EdgePair& pair, std::mt19937& random, EdgePoint& point) {
  const auto [a, value_a, b, value_b] = pair;
  for (int attempt = 0; attempt < 3000; ++attempt) {
    point = RandomPoint(random);
    point[static_cast<std::size_t>(a)] = value_a;
    point[static_cast<std::size_t>(b)] = value_b;
    if (IsPossible({point})) return true;
  }
  return false;
}

struct EdgeMatrix {
  std::vector<EdgeCase> cases;
  std::vector<EdgePair> impossible;
};

// Takes the pairs that are still open one after the other; of several cases with the pair, the one
// that closes most others. Deterministic: equal tables give equal matrices.
inline EdgeMatrix MakeEdgeMatrix() {
  EdgeMatrix matrix;
  std::mt19937 random(20);
  std::set<EdgePair> closed;
  const auto sizes = EdgeSizes();
  for (int a = 0; a < kDimensions; ++a) {
    for (int b = a + 1; b < kDimensions; ++b) {
      for (int i = 0; i < sizes[static_cast<std::size_t>(a)]; ++i) {
        for (int j = 0; j < sizes[static_cast<std::size_t>(b)]; ++j) {
          const EdgePair pair{a, i, b, j};
          if (closed.contains(pair)) continue;
          EdgePoint best{};
          int most = 0;
          for (int candidate = 0; candidate < 12; ++candidate) {
            EdgePoint point{};
            if (!CompletePair(pair, random, point)) break;
            int open = 0;
            ForEachPair(point, [&](const EdgePair& p) { open += closed.contains(p) ? 0 : 1; });
            if (open > most) {
              most = open;
              best = point;
            }
          }
          if (most == 0) {
            matrix.impossible.push_back(pair);
            continue;
          }
          ForEachPair(best, [&](const EdgePair& p) { closed.insert(p); });
          matrix.cases.push_back({best});
        }
      }
    }
  }
  return matrix;
}

}  // namespace moescope::cuda::test
