#include "cli/session/run.h"

#include <chrono>
#include <csignal>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "cli/session/fault_text.h"
#include "cli/session/plena_compat.h"
#include "cli/session/progress.h"
#include "cli/session/run_inputs.h"
#include "cli/session/run_outputs.h"
#include "cli/session/run_recording.h"
#include "emulator/run.h"
#include "profiler/recorder.h"

namespace moescope::session {

namespace {

using emulator::EndReason;

ExitCode CodeOf(const emulator::RunEnd& end) {
  switch (end.reason) {
    case EndReason::kEnd:
    case EndReason::kBreak:
      return ExitCode::kSuccess;
    case EndReason::kFault:
    case EndReason::kDeadlock:
      return ExitCode::kFault;
    case EndReason::kMaxCycles:
    case EndReason::kMaxInstructions:
    case EndReason::kTimeout:
      return ExitCode::kLimit;
    case EndReason::kInterrupt:
      break;
  }
  return end.signal == SIGTERM ? ExitCode::kTerminated : ExitCode::kInterrupted;
}

// Names the source files of a program as seen from the folder of its main file, so that a profile
// does not tell where the program lay.
void NameFilesFrom(const std::string& main_file, isa::Program& program) {
  const std::string folder = main_file.substr(0, main_file.rfind('/') + 1);  // npos + 1 = 0
  for (std::string& file : program.files) {
    if (!folder.empty() && file.starts_with(folder)) {
      file.erase(0, folder.size());
    } else if (file.starts_with('/')) {
      file.erase(0, file.rfind('/') + 1);
    }
  }
}

class RunSession {
 public:
  RunSession(const RunRequest& request, const RunContext& context)
      : request_(request), context_(context), console_(*context.console) {}

  // Everything that can fail before the first instruction.
  absl::Status Prepare() {
    ASSIGN_OR_RETURN(inputs_, OpenRunInputs(request_, context_));
    ASSIGN_OR_RETURN(recording_, RunRecording::Open(request_.outputs, *inputs_.instruction_set));
    return absl::OkStatus();
  }

  RunOutcome Run() {
    if (request_.plena_lines) console_.Note(PlenaTopologyLine(inputs_.machine));
    Execute();
    outcome_.code = CodeOf(outcome_.end);
    if (const std::optional<Diagnostic> diagnostic = EndDiagnostic(outcome_.end, inputs_.program)) {
      console_.Report({&*diagnostic, 1});
    }
    FinishRecording();
    NameFilesFrom(request_.program.file, inputs_.program);
    WriteRunOutputs(request_, context_, inputs_, recorder_, seconds_, outcome_);
    console_.Note(SummaryLine(outcome_.end, outcome_.profile, seconds_));
    if (request_.plena_lines) console_.Note(PlenaClosingLines(outcome_.profile));
    return std::move(outcome_);
  }

 private:
  emulator::RunOptions Options(ProgressLine& progress) const {
    emulator::RunOptions options;
    options.limits.max_cycles = request_.limits.max_cycles;
    options.limits.max_instructions = request_.limits.max_instructions;
    if (request_.limits.timeout_ms) {
      options.limits.timeout = std::chrono::milliseconds(*request_.limits.timeout_ms);
    }
    options.limits.interrupt = context_.interrupt;
    options.on_progress = [&progress](const emulator::Progress& now) { progress.Update(now); };
    options.sanitize = request_.sanitize;
    options.images = inputs_.images;
    options.instructions = inputs_.instruction_set.get();
    return options;
  }

  void Execute() {
    std::optional<std::uint64_t> total = inputs_.expected_instructions;
    if (!total) total = request_.limits.max_instructions;
    ProgressLine progress(inputs_.program, context_.show_progress, total,
                          [this](std::string_view text) { console_.Note(text); });
    LoggingListener logging(*context_.log, *inputs_.instruction_set);
    std::vector<emulator::Listener*> listeners = {&recorder_, &logging};
    recording_->AddListeners(listeners);
    const auto started = std::chrono::steady_clock::now();
    outcome_.end = emulator::Run(inputs_.program, inputs_.machine, *inputs_.state, listeners,
                                 Options(progress));
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    progress.Finish();
  }

  void FinishRecording() {
    for (const absl::Status& status : {recording_->FinishCommitLog(), recording_->WriteTrace()}) {
      if (status.ok()) continue;
      console_.Error(status);
      outcome_.code = Worse(outcome_.code, ExitCodeOf(status));
    }
    console_.Note(recording_->TraceNote());
  }

  const RunRequest& request_;
  const RunContext& context_;
  const Console& console_;
  RunInputs inputs_;
  std::optional<RunRecording> recording_;
  profiler::Recorder recorder_;
  RunOutcome outcome_;
  double seconds_ = 0;
};

}  // namespace

std::string SummaryLine(const emulator::RunEnd& end, const profiler::Profile& profile,
                        double seconds) {
  const auto period = static_cast<double>(profile.machine.clock_period_ps);
  const double speed = seconds > 0 ? static_cast<double>(end.instructions) / seconds * 1e-6 : 0;
  return absl::StrFormat(
      "ran %s instructions, %s cycles (%g ms at %g GHz), %s, in %.2f s: %.1f M instr/s\n",
      Thousands(end.instructions), Thousands(end.cycles),
      static_cast<double>(end.cycles) * period * 1e-9, 1000 / period, profile.machine.timing_model,
      seconds, speed);
}

absl::StatusOr<RunOutcome> ExecuteRun(const RunRequest& request, const RunContext& context) {
  RunSession session(request, context);
  RETURN_IF_ERROR(session.Prepare());
  return session.Run();
}

}  // namespace moescope::session
