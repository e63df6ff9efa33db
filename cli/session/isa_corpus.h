#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session/run_request.h"

namespace moescope::session {

// One program of a corpus.
struct CorpusEntry {
  std::string name;       // of the manifest or program, seen from the folder that was named
  RunRequest request;     // what the manifest says; of a bare program the file alone
  bool can_run = false;   // there is a manifest, so machine and images are known
  bool has_text = false;  // the program is assembly, not words
};

// The programs under `places`, each a folder, a run manifest or a program. A folder is walked to
// the bottom. Of each folder in it count the manifests; where there is none, the .asm files, and
// the .mem, .bin and .moe files that have no .asm beside them. In order of names. Errors:
// NotFound for a place that does not exist or holds no program, and those of ReadManifest.
absl::StatusOr<std::vector<CorpusEntry>> FindCorpus(std::span<const std::string> places);

}  // namespace moescope::session
