#include "cli/session/run_all.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "cli/session/log.h"
#include "cli/session/progress.h"
#include "cli/session/repeat.h"
#include "cli/session/run.h"

namespace moescope::session {

namespace {

// One thing that a run printed.
struct Printed {
  bool is_out;
  std::string text;
};

// A console with the settings of `like` that appends to `printed`.
Console Capture(const Console& like, std::vector<Printed>& printed) {
  return like.WithSinks(
      [&printed](std::string_view text) {
        printed.push_back({true, std::string(text)});
      },
      [&printed](std::string_view text) {
        printed.push_back({false, std::string(text)});
      });
}

std::string ResultLine(const std::string& name, const RunOutcome& outcome) {
  const auto failed = std::count_if(outcome.expectations.begin(), outcome.expectations.end(),
                                    [](const ExpectationResult& result) { return !result.passed; });
  return absl::StrCat(name, ": ", outcome.code == ExitCode::kSuccess ? "ok" : "FAILED", ", ",
                      Absl(emulator::Name(outcome.end.reason)), ", ",
                      Thousands(outcome.end.instructions), " instructions, ",
                      Thousands(outcome.end.cycles), " cycles, ", outcome.expectations.size(),
                      " expectations, ", failed, " failed\n");
}

class BatchRunner {
 public:
  // `file_log` is where all runs log to; null = each to its console.
  BatchRunner(const RunBatch& batch, const Console& console, const Log* file_log)
      : batch_(batch), console_(console), file_log_(file_log), finished_(batch.runs.size()) {}

  ExitCode RunInOrder() {
    const std::size_t threads = std::clamp<std::size_t>(batch_.jobs, 1, batch_.runs.size());
    if (threads == 1) {
      for (const RunBatch::NamedRun& run : batch_.runs) {
        if (IsInterrupted()) break;
        code_ = Worse(code_, Execute(run, console_, batch_.runs.size() == 1));
      }
      return code_;
    }
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < threads; ++i) workers.emplace_back([this] { Work(); });
    for (std::thread& worker : workers) worker.join();
    return code_;
  }

 private:
  bool IsInterrupted() const { return batch_.interrupt != nullptr && *batch_.interrupt != 0; }

  void Work() {
    for (;;) {
      const std::size_t index = next_++;
      if (index >= batch_.runs.size()) return;
      std::vector<Printed> printed;
      const Console capture = Capture(console_, printed);
      ExitCode code = ExitCode::kSuccess;
      if (!IsInterrupted()) code = Execute(batch_.runs[index], capture, false);
      const std::lock_guard lock(mutex_);
      code_ = Worse(code_, code);
      finished_[index] = std::move(printed);
      for (; shown_ < finished_.size() && finished_[shown_]; ++shown_) {
        for (const Printed& text : *finished_[shown_]) console_.Replay(text.is_out, text.text);
        finished_[shown_]->clear();
      }
    }
  }

  ExitCode Execute(const RunBatch::NamedRun& run, const Console& console, bool alone) const {
    const Log own_log = Log::ToConsole(batch_.log_level, batch_.log_time, console);
    RunContext context;
    context.console = &console;
    context.log = file_log_ != nullptr ? file_log_ : &own_log;
    context.tool = batch_.tool;
    context.interrupt = batch_.interrupt;
    context.show_progress = batch_.show_progress && alone && ::isatty(STDERR_FILENO) == 1;
    RunRequest request = run.request;
    const bool repeated = request.repeat > 1;
    if (!alone || repeated || console.quiet() > 0) request.outputs.print_table = false;
    const absl::StatusOr<RunOutcome> outcome =
        repeated ? ExecuteRepeated(request, context, OwnCommandLine())
                 : ExecuteRun(request, context);
    if (!outcome.ok()) {
      console.Error(outcome.status());
      return ExitCodeOf(outcome.status());
    }
    if (!alone) console.Out(ResultLine(run.name, *outcome));
    return outcome->code;
  }

  const RunBatch& batch_;
  const Console& console_;
  const Log* file_log_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::vector<std::optional<std::vector<Printed>>> finished_;  // by run; what it printed
  std::size_t shown_ = 0;
  ExitCode code_ = ExitCode::kSuccess;
};

}  // namespace

ExitCode RunAll(const RunBatch& batch, const Console& console) {
  if (batch.log_file.empty()) return BatchRunner(batch, console, nullptr).RunInOrder();
  const absl::StatusOr<Log> log = Log::ToFile(batch.log_level, batch.log_file, batch.log_time);
  if (!log.ok()) {
    console.Error(log.status());
    return ExitCodeOf(log.status());
  }
  return BatchRunner(batch, console, &*log).RunInOrder();
}

}  // namespace moescope::session
