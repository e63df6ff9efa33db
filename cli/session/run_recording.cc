#include "cli/session/run_recording.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cli/session/output_file.h"
#include "isa/isa_hash.h"
#include "profiler/log/commit_log.h"
#include "profiler/trace/trace.h"

namespace moescope::session {

struct RunRecording::Parts {
  std::optional<OutputFile> log_file;
  std::unique_ptr<profiler::CommitLog> log;
  std::optional<OutputFile> trace_file;
  std::unique_ptr<profiler::Trace> trace;
};

RunRecording::RunRecording(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
RunRecording::RunRecording(RunRecording&&) noexcept = default;
RunRecording& RunRecording::operator=(RunRecording&&) noexcept = default;
RunRecording::~RunRecording() = default;

std::optional<profiler::CommitLogOptions::Values> ParseCommitLogValues(std::string_view name) {
  using Values = profiler::CommitLogOptions::Values;
  if (name == "none") return Values::kNone;
  if (name == "hash") return Values::kHash;
  if (name == "full") return Values::kFull;
  return std::nullopt;
}

absl::StatusOr<RunRecording> RunRecording::Open(const OutputsRequest& outputs,
                                                const isa::InstructionSet& set) {
  auto parts = std::make_unique<Parts>();
  if (!outputs.commit_log.empty()) {
    ASSIGN_OR_RETURN(parts->log_file, OutputFile::Create(outputs.commit_log));
    profiler::CommitLogOptions options;
    options.values = outputs.commit_log_values;
    options.filter = outputs.commit_log_filter;
    options.isa_sha256 = isa::IsaHash(set);
    options.instruction_set = &set;
    parts->log = std::make_unique<profiler::CommitLog>(
        [file = &*parts->log_file](std::string_view bytes) { return file->Write(bytes); }, options);
  }
  if (!outputs.trace.empty()) {
    // Opened now as well, so that a folder that is not there is known before a long run.
    ASSIGN_OR_RETURN(parts->trace_file, OutputFile::Create(outputs.trace));
    parts->trace = std::make_unique<profiler::Trace>(outputs.trace_options, set);
  }
  return RunRecording(std::move(parts));
}

void RunRecording::AddListeners(std::vector<emulator::Listener*>& listeners) const {
  if (parts_->log != nullptr) listeners.push_back(parts_->log.get());
  if (parts_->trace != nullptr) listeners.push_back(parts_->trace.get());
}

absl::Status RunRecording::FinishCommitLog() {
  if (parts_->log == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(parts_->log->status());
  return parts_->log_file->Commit();
}

absl::Status RunRecording::WriteTrace() {
  if (parts_->trace == nullptr) return absl::OkStatus();
  OutputFile& file = *parts_->trace_file;
  RETURN_IF_ERROR(
      parts_->trace->Write([&file](std::string_view bytes) { return file.Write(bytes); }));
  return file.Commit();
}

std::string RunRecording::TraceNote() const {
  if (parts_->trace == nullptr) return "";
  const std::string summary = parts_->trace->Summary();
  return summary.empty() ? "" : absl::StrCat("trace: ", summary, "\n");
}

}  // namespace moescope::session
