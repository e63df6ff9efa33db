#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/session/run_request.h"
#include "emulator/event.h"
#include "isa/instruction_set.h"

namespace moescope::session {

// The commit log and the trace of a run, as far as they are asked for: their listeners and the
// files that they end up in.
class RunRecording {
 public:
  // Opens the files. The commit log is written while the program runs. `set` outlives the
  // recording.
  static absl::StatusOr<RunRecording> Open(const OutputsRequest& outputs,
                                           const isa::InstructionSet& set);
  RunRecording(RunRecording&&) noexcept;
  RunRecording& operator=(RunRecording&&) noexcept;
  ~RunRecording();

  void AddListeners(std::vector<emulator::Listener*>& listeners) const;

  // After the run, whatever its end: completes the files.
  absl::Status FinishCommitLog();
  absl::Status WriteTrace();
  // What the trace leaves out, for the user; empty when it is complete or not asked for.
  std::string TraceNote() const;

 private:
  struct Parts;
  explicit RunRecording(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace moescope::session
