#pragma once

#include <cstdint>

#include "cuda/device/group_list.cuh"

// The static order of work items: groups ascending, then row blocks of the weights, then token
// tiles, so that tiles that share weights are neighbours in time. Which multiprocessor computes an
// item depends on the grid, what it computes does not.

namespace moescope::cuda::device {

struct WorkItem {
  int expert;           // -1: no more items
  int row;              // first row of the pool
  int rows;             // valid rows of the tile; 0: nothing to store
  int row_block;        // of the weights
  bool shares_weights;  // with the other block of the cluster
};

// Walks the items of a cluster c: c, c + clusters, ... All 32 lanes of a warp call Next together.
// In a cluster of 2 both blocks take two token tiles of one row block of weights, and of the odd
// last tile of a group two row blocks.
template <int kCluster>
class ItemWalker {
 public:
  static_assert(kCluster == 1 || kCluster == 2);

  __device__ __forceinline__ ItemWalker(const GroupList& groups, int row_blocks, int tile)
      : list_(groups), row_blocks_(row_blocks), tile_(tile), item_(blockIdx.x / kCluster) {}

  __device__ __forceinline__ bool Next(WorkItem& item) {
    if (!Advance()) return false;
    const int tiles = list_.prefix[group_ + 1] - list_.prefix[group_];
    const int local = static_cast<int>(item_ - ItemsBefore(group_));
    int tile = 0;
    int row_block = 0;
    bool inside = true;
    item.shares_weights = false;
    if constexpr (kCluster == 1) {
      tile = local % tiles;
      row_block = local / tiles;
    } else {
      const int rank = blockIdx.x % 2;
      const int pairs = tiles / 2;
      item.shares_weights = local < pairs * row_blocks_;
      if (item.shares_weights) {
        tile = 2 * (local % pairs) + rank;
        row_block = local / pairs;
      } else {
        tile = tiles - 1;
        row_block = 2 * (local - pairs * row_blocks_) + rank;
        inside = row_block < row_blocks_;
      }
    }
    item.expert = list_.expert[group_];
    item.row_block = inside ? row_block : 0;
    item.row = list_.base[item.expert] + tile * tile_;
    item.rows = inside ? min(tile_, list_.count[item.expert] - tile * tile_) : 0;
    item_ += gridDim.x / kCluster;
    return true;
  }

 private:
  __device__ __forceinline__ std::int64_t ItemsBefore(int group) const {
    const std::int64_t tiles = list_.prefix[group];
    if constexpr (kCluster == 1) return tiles * row_blocks_;
    const std::int64_t odd = list_.odd[group];
    return (tiles - odd) / 2 * row_blocks_ + odd * ((row_blocks_ + 1) / 2);
  }

  // Moves to the group of the item: 32 groups are compared at once.
  __device__ __forceinline__ bool Advance() {
    const int lane = threadIdx.x % 32;
    const int groups = *list_.size;
    while (group_ < groups) {
      const int candidate = group_ + 1 + lane;
      const bool behind = candidate <= groups && item_ >= ItemsBefore(min(candidate, groups));
      const int passed = __popc(__ballot_sync(0xFFFFFFFFu, behind));
      group_ += passed;
      if (passed < 32) break;
    }
    return group_ < groups;
  }

  const GroupList& list_;
  int row_blocks_;
  int tile_;
  int group_ = 0;
  std::int64_t item_;
};

}  // namespace moescope::cuda::device
