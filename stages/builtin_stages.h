#pragma once

#include <array>
#include <span>
#include <string_view>

#include "stages/group_set.h"
#include "stages/stage.h"

namespace moescope::stages {

// What profile.md 1.1 and 1.2 say about a built-in stage, in the order of kBuiltinStages.
struct BuiltinRules {
  std::string_view belongs;
  std::string_view elsewhere;    // what does not belong, with the stage it goes to instead
  GroupSet plausible;            // INT included
  std::array<GroupSet, 2> must;  // one of the non-empty sets must occur completely
};

std::span<const BuiltinRules, kBuiltinStages.size()> AllBuiltinRules();

// Names that no vocabulary may define.
bool IsReservedStageName(std::string_view name);

}  // namespace moescope::stages
