#include "base/json.h"
#include "cli/session/stage_listing.h"

namespace moescope::session {

std::string VocabularyJson(const stages::Vocabulary& vocabulary) {
  Json list = Json::array();
  std::uint32_t index = 0;
  for (const isa::StageName& stage : vocabulary.names()) {
    const stages::StageRules& rules = vocabulary.rules(index++);
    Json entry;
    entry["name"] = stage.name;
    entry["scope"] = stage.scope == isa::StageScope::kPair ? "pair" : "layer";
    entry["origin"] = stage.origin == isa::StageOrigin::kExtension ? "extension" : "builtin";
    if (!stage.parent.empty()) entry["parent"] = stage.parent;
    entry["summary"] = rules.summary;
    if (!rules.elsewhere.empty()) entry["belongs_elsewhere"] = rules.elsewhere;
    list.push_back(std::move(entry));
  }
  return JsonText(list);
}

}  // namespace moescope::session
