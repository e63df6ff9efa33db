#include "moe/layer_manifest_json.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace moescope::moe {
namespace {

using Json = nlohmann::ordered_json;

Json Expectations(const CompiledLayer& compiled) {
  const ProgramMap& map = compiled.map;
  Json memory = Json::array();
  if (map.router.has_value() && map.tokens > 0) {
    memory.push_back({{"space", "intsram"}, {"address", map.ids}, {"file", LayerFiles::kIds}});
    memory.push_back(
        {{"space", "fpsram"}, {"address", map.weights}, {"file", LayerFiles::kWeights}});
  }
  if (map.tokens > 0) {
    memory.push_back({{"space", "vram"},
                      {"matrix",
                       {{"base", map.accumulator.base},
                        {"rows", map.tokens},
                        {"columns", compiled.layer.shape.hidden},
                        {"physical_rows", map.accumulator.physical_rows}}},
                      {"file", LayerFiles::kOutput},
                      {"compare", "exact"}});
  }
  return {{"end", "end"}, {"memory", std::move(memory)}};
}

}  // namespace

std::string FormatLayerManifest(const GeneratedLayer& layer) {
  const Json document{{"schema", "moescope.run"},
                      {"schema_version", 1},
                      {"program", {{"file", LayerFiles::kProgram}}},
                      {"machine", {{"file", LayerFiles::kMachine}}},
                      {"images",
                       {{"hbm", LayerFiles::kHbm},
                        {"vram", LayerFiles::kVram},
                        {"fpsram", LayerFiles::kFp},
                        {"fpsram_format", "bf16"},
                        {"intsram", LayerFiles::kInt}}},
                      {"expect", Expectations(layer.compiled())},
                      {"labels", Labels(layer.request())}};
  return document.dump(2) + "\n";
}

}  // namespace moescope::moe
