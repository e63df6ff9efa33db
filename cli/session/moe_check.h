#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session/run_request.h"
#include "emulator/event.h"
#include "moe/compare.h"

namespace moescope::session {

struct MoeCheckOptions {
  Comparison tolerance;              // of every BF16 output; ids are always exact
  std::vector<std::string> outputs;  // names to compare; empty = all
  bool cuda = false;                 // also on a CUDA device
};

struct MoeCheckResult {
  emulator::RunEnd end;
  std::vector<moe::ComparisonRecord> records;  // one per output, in the order of the stages

  bool passed() const;
};

// Runs the program of a generated layer's folder on the emulator, without timing, and compares
// everything that the CPU reference in precision `machine` can name, bit for bit unless a tolerance
// is given; then the output with profile `fused`, ideal sums: in tier T2p, which is reported and
// decides nothing, or bit for bit where the layer has one result in every profile. With `cuda` the
// layer runs on a device as well and is compared with the same reference (moe_cuda.h).
// InvalidArgument for a folder that is not one, or an output that does not exist.
absl::StatusOr<MoeCheckResult> CheckLayerFolder(const std::string& folder,
                                                const MoeCheckOptions& options);

// "exact", "ulp:2", "rel_rms:1%".
absl::StatusOr<Comparison> ParseTolerance(std::string_view text);

// One line per record: verdict, name, tier, both sides and summary. The program is not named.
std::string CheckText(const MoeCheckResult& result);

}  // namespace moescope::session
