#include "profiler/profile.h"

#include <algorithm>

namespace moescope::profiler {

const StageEntry* FindStage(const Profile& profile, std::string_view name) {
  const auto at = std::find_if(profile.stages.begin(), profile.stages.end(),
                               [name](const StageEntry& stage) { return stage.name == name; });
  return at == profile.stages.end() ? nullptr : &*at;
}

}  // namespace moescope::profiler
