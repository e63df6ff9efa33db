#pragma once

#include "cli/session/run.h"
#include "cli/session/run_inputs.h"
#include "profiler/recorder.h"

namespace moescope::session {

// Makes the profile of a finished run and writes what the request asks for: dumps, profile, tables,
// then judges expectations and gates. `outcome` has the end of the run and the exit code that
// follows from it; it receives the profile, the results, and a worse code where something failed. A
// failure is printed and does not keep the other outputs from being written.
void WriteRunOutputs(const RunRequest& request, const RunContext& context, const RunInputs& inputs,
                     const profiler::Recorder& recorder, double seconds, RunOutcome& outcome);

}  // namespace moescope::session
