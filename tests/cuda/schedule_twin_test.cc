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
  int rows = 0;
  int row_block = 0;

  auto operator<=>(const Item&) const = default;
};

struct GroupList {
  std::vector<int> expert, prefix;
  const moe::DispatchMap* map = nullptr;
};

GroupList GroupsOf(const moe::DispatchMap& map, int tile) {
  GroupList groups{.prefix = {0}, .map = &map};
  for (const std::int32_t e : map.active) {
    groups.expert.push_back(e);
    groups.prefix.push_back(groups.prefix.back() +
                            (map.count[static_cast<std::size_t>(e)] + tile - 1) / tile);
  }
  return groups;
}

// The items of one block, found as the device finds them: 32 groups are compared at once.
std::vector<Item> ItemsOfBlock(const GroupList& list, int row_blocks, int tile, int block,
                               int grid) {
  std::vector<Item> items;
  const int groups = static_cast<int>(list.expert.size());
  int group = 0;
  for (std::int64_t item = block;; item += grid) {
    while (group < groups) {
      int passed = 0;
      for (int lane = 0; lane < 32; ++lane) {
        const int candidate = group + 1 + lane;
        const auto prefix = list.prefix[static_cast<std::size_t>(std::min(candidate, groups))];
        if (candidate <= groups && item >= std::int64_t{prefix} * row_blocks) ++passed;
      }
      group += passed;
      if (passed < 32) break;
    }
    if (group >= groups) return items;
    const auto g = static_cast<std::size_t>(group);
    const int tiles = list.prefix[g + 1] - list.prefix[g];
    const auto expert = static_cast<std::size_t>(list.expert[g]);
    const int local = static_cast<int>(item - std::int64_t{list.prefix[g]} * row_blocks);
    const int first = local % tiles * tile;
    items.push_back({list.expert[g], list.map->base[expert] + first,
                     std::min(tile, list.map->count[expert] - first), local / tiles});
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
                                  std::min(tile, count - first), block});
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
