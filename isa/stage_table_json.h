#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "isa/program.h"

namespace moescope::isa {

// The stage table of a program as a file beside its bare words, NAME.stages.json (profile.md, 2.5):
// `moescope.stage_table` v1. It names the words it belongs to by number and hash.
std::string WriteStageTableJson(const Program& program);

// Gives the words of `program` the stage table of a sidecar; the attribution becomes kSidecar. On
// an error, a diagnostic about `path`, nothing changes: PC010 malformed, PC011 another schema or
// version, PC012 another number of words, PC013 another hash, PC014 an inconsistent table.
absl::Status ReadStageTableJson(std::string_view text, const std::string& path, Program& program);

}  // namespace moescope::isa
