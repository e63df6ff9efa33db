#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session/run_request.h"
#include "emulator/machine.h"
#include "emulator/state/machine_state.h"
#include "profiler/profile.h"

namespace moescope::session {

struct ExpectationResult {
  std::string name;  // "cycles", "stages.gather.calls", "vram at 4096"
  bool passed = false;
  std::string detail;  // "= 196", or "expected 196, got 197"

  friend bool operator==(const ExpectationResult&, const ExpectationResult&) = default;
};

// Expectations whose files are read, so that a missing file is known before the run. Values are
// doubles; words, bytes and f32 fit exactly.
class PreparedExpectations {
 public:
  static absl::StatusOr<PreparedExpectations> Prepare(const Expectations& expect);

  // One result per expectation, in the order of the manifest: end, totals, stages, memory, hashes.
  // Expected values are rounded to the memory's element type first; two NaNs are equal.
  absl::StatusOr<std::vector<ExpectationResult>> Evaluate(
      const profiler::Profile& profile, const emulator::MachineState& state,
      const emulator::MachineDescription& machine) const;

 private:
  Expectations expect_;
  std::vector<std::vector<double>> values_;  // by expect_.memory
};

// One line per result: "passed: NAME DETAIL" or "FAILED: NAME: DETAIL".
std::string ExpectationLines(std::span<const ExpectationResult> results);

// [{"name", "passed", "detail"}], and the same as JUnit XML.
std::string ExpectationsJson(std::span<const ExpectationResult> results);
std::string ExpectationsJunit(std::span<const ExpectationResult> results);

}  // namespace moescope::session
