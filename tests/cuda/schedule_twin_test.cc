// The static schedule of the persistent kernels, on the host: a second ItemWalker over the group
// list. Whatever the grid, every (group, row block, token tile) is computed exactly once, its rows
// are those of the group, and items that share weights are neighbours.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "cuda/plan.h"
#include "moe/dispatch.h"
#include "moe/workload.h"

namespace moescope::cuda {
namespace {

struct Item {
  int expert = 0;
  int row = 0;
  int rows = 0;  // 0: nothing to store
  int row_block = 0;
  bool shares_weights = false;

  auto operator<=>(const Item&) const = default;
};

struct GroupList {
  std::vector<int> expert, prefix, odd;
  const moe::DispatchMap* map = nullptr;
};

GroupList GroupsOf(const moe::DispatchMap& map, int tile) {
  GroupList groups{.prefix = {0}, .odd = {0}, .map = &map};
  for (const std::int32_t e : map.active) {
    const int tiles = (map.count[static_cast<std::size_t>(e)] + tile - 1) / tile;
    groups.expert.push_back(e);
    groups.prefix.push_back(groups.prefix.back() + tiles);
    groups.odd.push_back(groups.odd.back() + tiles % 2);
  }
  return groups;
}

std::int64_t ItemsBefore(const GroupList& list, int group, int row_blocks, int cluster) {
  const std::int64_t tiles = list.prefix[static_cast<std::size_t>(group)];
  if (cluster == 1) return tiles * row_blocks;
  const std::int64_t odd = list.odd[static_cast<std::size_t>(group)];
  return (tiles - odd) / 2 * row_blocks + odd * ((row_blocks + 1) / 2);
}

// The items of one block, found as the device finds them: 32 groups are compared at once.
std::vector<Item> ItemsOfBlock(const GroupList& list, int row_blocks, int tile, int block, int grid,
                               int cluster = 1) {
  std::vector<Item> items;
  const int groups = static_cast<int>(list.expert.size());
  const int rank = block % cluster;
  int group = 0;
  for (std::int64_t item = block / cluster;; item += grid / cluster) {
    while (group < groups) {
      int passed = 0;
      for (int lane = 0; lane < 32; ++lane) {
        const int candidate = group + 1 + lane;
        if (candidate <= groups && item >= ItemsBefore(list, candidate, row_blocks, cluster)) {
          ++passed;
        }
      }
      group += passed;
      if (passed < 32) break;
    }
    if (group >= groups) return items;
    const auto g = static_cast<std::size_t>(group);
    const int tiles = list.prefix[g + 1] - list.prefix[g];
    const auto expert = static_cast<std::size_t>(list.expert[g]);
    const int local = static_cast<int>(item - ItemsBefore(list, group, row_blocks, cluster));
    const int pairs = tiles / 2;
    Item found{.expert = list.expert[g]};
    int at = 0;
    if (cluster == 1) {
      at = local % tiles;
      found.row_block = local / tiles;
    } else if (local < pairs * row_blocks) {
      at = 2 * (local % pairs) + rank;
      found.row_block = local / pairs;
      found.shares_weights = true;
    } else {
      at = tiles - 1;
      found.row_block = 2 * (local - pairs * row_blocks) + rank;
    }
    found.row = list.map->base[expert] + at * tile;
    found.rows = std::min(tile, list.map->count[expert] - at * tile);
    if (found.row_block >= row_blocks) {
      found.row_block = 0;
      found.rows = 0;
    }
    items.push_back(found);
  }
}

moe::DispatchMap MapOf(const char* workload, std::int64_t tokens, int top_k, int experts) {
  return moe::Dispatch(
      *moe::GenerateRouting(*moe::ParseWorkload(workload), {tokens, top_k, experts}, 3),
      kRowAlignment);
}

struct Case {
  const char* workload;
  std::int64_t tokens;
  int top_k, experts;
};
constexpr Case kCases[] = {{"uniform", 1, 1, 1},       {"uniform", 1, 8, 128},
                           {"uniform", 300, 8, 128},   {"ragged", 2000, 4, 1024},
                           {"single", 500, 4, 256},    {"hot(p=1,n=1)", 900, 2, 40},
                           {"empty(first)", 64, 2, 8}, {"uniform+masked(1)", 30, 2, 8},
                           {"balanced", 1024, 6, 96},  {"uniform+masked(0.5)", 33, 3, 33}};

TEST(ScheduleTwinTest, EveryItemExactlyOnceOnEveryGrid) {
  for (const Case& c : kCases) {
    const moe::DispatchMap map = MapOf(c.workload, c.tokens, c.top_k, c.experts);
    for (const int tile : {16, 32, 64, 128}) {
      const GroupList groups = GroupsOf(map, tile);
      for (const int row_blocks : {1, 6, 23}) {
        std::vector<Item> expected;
        for (const int e : groups.expert) {
          const int count = map.count[static_cast<std::size_t>(e)];
          for (int block = 0; block < row_blocks; ++block) {
            for (int first = 0; first < count; first += tile) {
              expected.push_back({e, map.base[static_cast<std::size_t>(e)] + first,
                                  std::min(tile, count - first), block, false});
            }
          }
        }
        std::sort(expected.begin(), expected.end());
        for (const int grid : {1, 8, 131, 132, 264, 396}) {
          std::vector<Item> all;
          for (int block = 0; block < grid; ++block) {
            const auto items = ItemsOfBlock(groups, row_blocks, tile, block, grid);
            all.insert(all.end(), items.begin(), items.end());
          }
          std::sort(all.begin(), all.end());
          ASSERT_EQ(all, expected) << c.workload << " tile " << tile << " grid " << grid;
        }
      }
    }
  }
}

// The same with clusters of two: items without rows aside, and the two blocks of a cluster always
// agree on how many items there are and on whether they share weights.
TEST(ScheduleTwinTest, ClustersComputeEveryItemOnce) {
  for (const Case& c : kCases) {
    const moe::DispatchMap map = MapOf(c.workload, c.tokens, c.top_k, c.experts);
    const int tile = 32;  // small, so that groups have many tiles
    const GroupList groups = GroupsOf(map, tile);
    for (const int row_blocks : {1, 6, 23}) {
      auto expected = ItemsOfBlock(groups, row_blocks, tile, 0, 1);
      std::sort(expected.begin(), expected.end());
      for (const int grid : {2, 8, 132}) {
        std::vector<Item> all;
        for (int block = 0; block < grid; block += 2) {
          const auto first = ItemsOfBlock(groups, row_blocks, tile, block, grid, 2);
          const auto second = ItemsOfBlock(groups, row_blocks, tile, block + 1, grid, 2);
          ASSERT_EQ(first.size(), second.size());
          for (std::size_t i = 0; i < first.size(); ++i) {
            ASSERT_EQ(first[i].shares_weights, second[i].shares_weights);
            if (first[i].shares_weights) {
              ASSERT_EQ(std::pair(first[i].expert, first[i].row_block),
                        std::pair(second[i].expert, second[i].row_block));
            }
            for (Item item : {first[i], second[i]}) {
              item.shares_weights = false;
              if (item.rows > 0) all.push_back(item);
            }
          }
        }
        std::sort(all.begin(), all.end());
        ASSERT_EQ(all, expected) << c.workload << " row blocks " << row_blocks << " grid " << grid;
      }
    }
  }
}

// In time (item number), all tiles of one row block of one group come one after the other.
TEST(ScheduleTwinTest, ItemsThatShareWeightsAreNeighbours) {
  const moe::DispatchMap map = MapOf("ragged", 3000, 4, 64);
  const GroupList groups = GroupsOf(map, 32);
  const auto items = ItemsOfBlock(groups, 6, 32, 0, 1);
  std::set<std::pair<int, int>> finished;
  std::pair<int, int> current{-1, -1};
  for (const Item& item : items) {
    const std::pair<int, int> weights{item.expert, item.row_block};
    if (weights == current) continue;
    EXPECT_TRUE(finished.insert(current).second);
    EXPECT_FALSE(finished.contains(weights)) << "expert " << item.expert << " came before";
    current = weights;
  }
}

TEST(ScheduleTwinTest, NoGroupMeansNoItem) {
  const moe::DispatchMap map = MapOf("uniform+masked(1)", 30, 2, 8);
  EXPECT_TRUE(ItemsOfBlock(GroupsOf(map, 16), 6, 16, 0, 1).empty());
}

// More than 32 groups are passed in one step of a block far behind.
TEST(ScheduleTwinTest, ABlockCanPassManyGroups) {
  const moe::DispatchMap map = MapOf("balanced", 256, 1, 256);
  const auto items = ItemsOfBlock(GroupsOf(map, 16), 1, 16, 255, 1000);
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].expert, 255);
}

}  // namespace
}  // namespace moescope::cuda
