#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "cuda/device.h"
#include "cuda/options.h"
#include "moe/layer.h"

namespace moescope::cuda {

// Limits of cuda.md, 1.
inline constexpr int kMaxTopK = 32;
inline constexpr int kMaxExperts = 1024;
inline constexpr int kMaxWidth = 32768;
inline constexpr int kWidthUnit = 16;
inline constexpr int kRowAlignment = 16;  // A of moe.md, 4

// One row of the tile table: the token tile for at most `rows_per_expert` = T K / E.
struct TileRule {
  std::int64_t rows_per_expert;
  int token_tile;
};
// In force for every plan, ascending and monotone; the last row has no bound. Both tables have the
// same tiles: packed weights are expanded once per tile, which makes wide tiles pay earlier and
// narrow ones later.
std::span<const TileRule> TileTable(moe::WeightFormat weights);

// Everything that decides which instructions run on which bytes. A value: no pointer, no device
// state; equal inputs give equal plans on every host.
struct Plan {
  moe::LayerShape shape;
  std::int64_t tokens = 0;
  Options options;
  int token_tile = 0;       // N of the expert kernels
  int warpgroups = 0;       // consumer warpgroups of the expert kernels; 64 rows each
  int multiprocessors = 0;  // SMs that the persistent kernels occupy
  std::int64_t rows_max = 0;
  std::string fingerprint;  // SHA-256 over all of the above

  std::int64_t pairs() const { return tokens * shape.top_k; }
  moe::Layer layer() const;
};

// Blocks of a cluster that share weights: 2 where the traffic of weights limits the products, with
// BF16 weights, the widest tile and an even number of multiprocessors; else 1.
int ClusterBlocks(const Plan& plan, moe::WeightFormat weights);

// Pure: needs no GPU. InvalidArgument with value and limit; Unimplemented for a combination that no
// kernel computes.
absl::StatusOr<Plan> MakePlan(const moe::LayerShape& shape, std::int64_t tokens,
                              const Options& options, const DeviceTraits& device);

}  // namespace moescope::cuda
