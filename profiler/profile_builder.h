#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/instruction_set.h"
#include "profiler/profile.h"
#include "profiler/recorder.h"

namespace moescope::profiler {

// What a profile states besides the run.
struct ProfileOptions {
  Tool tool;
  IsaIdentity isa;
  std::vector<NamedText> labels;
  std::size_t hot_rows = 20;
  std::optional<Host> host;
  const isa::InstructionSet* instruction_set = &isa::InstructionSet::Builtin();
};

// The profile of a recorded run; profile_sha256 is left to the writer. Call after Recorder::OnEnd.
Profile MakeProfile(const Recording& recording, const ProfileOptions& options);

}  // namespace moescope::profiler
