#include "profiler/stage_map.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace moescope::profiler {

namespace {

using Path = std::vector<std::uint32_t>;

void MapStages(const isa::Program& program, StageMap& map) {
  std::vector<bool> marked(program.names.size(), false);
  for (const isa::StageRange& range : program.ranges) marked[range.name] = true;
  std::vector<std::uint32_t> stage_of_name(program.names.size(), 0);
  for (std::uint32_t name = 1; name < program.names.size(); ++name) {
    if (!marked[name]) continue;
    stage_of_name[name] = static_cast<std::uint32_t>(map.stage_names.size());
    map.stage_names.push_back(name);
  }
  stage_of_name[0] = static_cast<std::uint32_t>(map.stage_names.size());
  map.stage_names.push_back(0);

  map.static_instructions.assign(map.stage_names.size(), 0);
  for (const isa::StageRange& range : program.ranges) {
    const std::uint32_t stage = stage_of_name[range.name];
    map.stage_of_range.push_back(stage);
    map.static_instructions[stage] += range.end_pc - range.begin_pc;
  }
}

void MapTriples(const isa::Program& program, StageMap& map) {
  using Triple =
      std::tuple<std::uint32_t, std::optional<std::uint32_t>, std::optional<std::uint32_t>>;
  std::map<Triple, std::uint32_t> triples;
  for (const isa::StageRange& range : program.ranges) {
    const auto next = static_cast<std::uint32_t>(triples.size());
    const auto at = triples.try_emplace({range.name, range.pair, range.expert}, next).first;
    map.triple_of_range.push_back(at->second);
  }
}

// The bucket encloses nothing: a region opened there is a path of its own.
void MapPaths(const isa::Program& program, StageMap& map) {
  std::vector<Path> path_of_range;
  std::map<Path, std::uint32_t> order;
  for (std::size_t i = 0; i < program.ranges.size(); ++i) {
    const std::optional<std::uint32_t>& parent = program.ranges[i].parent;
    Path path;
    if (parent && path_of_range[*parent] != Path{map.bucket()}) path = path_of_range[*parent];
    map.has_regions |= parent.has_value();
    path.push_back(map.stage_of_range[i]);
    order.emplace(path, 0);
    path_of_range.push_back(std::move(path));
  }
  for (auto& [path, index] : order) {
    index = static_cast<std::uint32_t>(map.paths.size());
    map.paths.push_back(path);
  }
  for (const Path& path : path_of_range) map.path_of_range.push_back(order.at(path));
}

void MapPairs(const isa::Program& program, StageMap& map) {
  for (const isa::StageRange& range : program.ranges) {
    if (!range.pair) continue;
    map.pairs.push_back(*range.pair);
    if (range.begin_pc < range.end_pc) {
      map.first_pair_pc = std::min(map.first_pair_pc, range.begin_pc);
    }
  }
  std::sort(map.pairs.begin(), map.pairs.end());
  map.pairs.erase(std::unique(map.pairs.begin(), map.pairs.end()), map.pairs.end());
  for (const isa::StageRange& range : program.ranges) {
    if (!range.pair) {
      map.pair_row_of_range.push_back(kNone);
      continue;
    }
    const auto at = std::lower_bound(map.pairs.begin(), map.pairs.end(), *range.pair);
    map.pair_row_of_range.push_back(static_cast<std::uint32_t>(at - map.pairs.begin()));
  }
}

}  // namespace

StageMap MakeStageMap(const isa::Program& program) {
  StageMap map;
  MapStages(program, map);
  MapTriples(program, map);
  MapPaths(program, map);
  MapPairs(program, map);
  return map;
}

}  // namespace moescope::profiler
