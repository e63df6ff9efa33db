#include <map>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "profiler/document_json.h"
#include "profiler/report/formats.h"
#include "profiler/report/stacks.h"

namespace moescope::profiler {

// A "sampled" profile of the speedscope file format: one sample per stack.
absl::StatusOr<std::string> SpeedscopeReport(const Profile& profile, std::string_view weight,
                                             const PcTable* table) {
  ASSIGN_OR_RETURN(const std::vector<Stack> stacks, StacksOf(profile, weight, table));
  Json frames = Json::array();
  Json samples = Json::array();
  Json weights = Json::array();
  std::map<std::string, std::size_t> frame_numbers;
  std::uint64_t total = 0;
  for (const Stack& stack : stacks) {
    Json sample = Json::array();
    for (const std::string& frame : stack.frames) {
      const auto [at, is_new] = frame_numbers.try_emplace(frame, frame_numbers.size());
      if (is_new) frames.push_back(Json{{"name", frame}});
      sample.push_back(at->second);
    }
    samples.push_back(std::move(sample));
    weights.push_back(stack.weight);
    total += stack.weight;
  }
  const std::string name = absl::StrCat(profile.machine.name, " ", profile.machine.timing_model);
  const Json sampled = {{"type", "sampled"},
                        {"name", absl::StrCat(name, ": ", std::string(weight))},
                        {"unit", weight == "bytes" ? "bytes" : "none"},
                        {"startValue", 0},
                        {"endValue", total},
                        {"samples", std::move(samples)},
                        {"weights", std::move(weights)}};
  const Json document = {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                         {"shared", {{"frames", std::move(frames)}}},
                         {"profiles", Json::array({sampled})},
                         {"name", name},
                         {"activeProfileIndex", 0},
                         {"exporter", absl::StrCat(profile.tool.name, " ", profile.tool.version)}};
  return PrettyText(document);
}

}  // namespace moescope::profiler
