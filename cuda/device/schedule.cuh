#pragma once

#include <cstdint>

#include "cuda/device/group_list.cuh"

// The static order of work items: groups ascending, then row blocks of the weights, then token
// tiles, so that tiles that share weights are neighbours in time. Which multiprocessor computes an
// item depends on the grid, what it computes does not.

namespace moescope::cuda::device {

struct WorkItem {
  int expert;
  int row;        // first row of the pool
  int rows;       // valid rows of the tile
  int row_block;  // of the weights
};

// Walks the items blockIdx.x, blockIdx.x + gridDim.x, ... All 32 lanes of a warp call Next
// together.
class ItemWalker {
 public:
  __device__ __forceinline__ ItemWalker(const GroupList& groups, int row_blocks, int tile)
      : list_(groups),
        row_blocks_(row_blocks),
        tile_(tile),
        groups_(*groups.size),
        item_(blockIdx.x) {}

  __device__ __forceinline__ bool Next(WorkItem& item) {
    if (!Advance()) return false;
    const int first = list_.prefix[group_];
    const int tiles = list_.prefix[group_ + 1] - first;
    const int expert = list_.expert[group_];
    const int local = static_cast<int>(item_ - static_cast<std::int64_t>(first) * row_blocks_);
    const int tile = local % tiles;
    item.expert = expert;
    item.row_block = local / tiles;
    item.row = list_.base[expert] + tile * tile_;
    item.rows = min(tile_, list_.count[expert] - tile * tile_);
    item_ += gridDim.x;
    return true;
  }

 private:
  // Moves to the group of the item: 32 groups are compared at once.
  __device__ __forceinline__ bool Advance() {
    const int lane = threadIdx.x % 32;
    while (group_ < groups_) {
      const int candidate = group_ + 1 + lane;
      const bool behind =
          candidate <= groups_ &&
          item_ >= static_cast<std::int64_t>(list_.prefix[min(candidate, groups_)]) * row_blocks_;
      const int passed = __popc(__ballot_sync(0xFFFFFFFFu, behind));
      group_ += passed;
      if (passed < 32) break;
    }
    return group_ < groups_;
  }

  const GroupList& list_;
  int row_blocks_;
  int tile_;
  int groups_;
  int group_ = 0;
  std::int64_t item_;
};

}  // namespace moescope::cuda::device
