#include "cli/run_options.h"

#include <initializer_list>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/machine_options.h"
#include "cli/request_options.h"
#include "cli/session/number.h"
#include "cli/session/plena_compat.h"
#include "emulator/dumps.h"

namespace moescope::cli {

namespace {

using session::UsageError;

class RequestReader {
 public:
  RequestReader(const Arguments& arguments, session::RunRequest request)
      : arguments_(arguments), request_(std::move(request)) {}

  absl::StatusOr<session::RunRequest> Read() {
    ReadProgramOptions(arguments_, request_.program);
    Text("opcode", request_.program.file);
    Text("stages", request_.program.stages);
    Text("isa", request_.program.isa);
    if (arguments_.Has("force-isa")) request_.program.force_isa = true;
    RETURN_IF_ERROR(Machine());
    RETURN_IF_ERROR(Images());
    RETURN_IF_ERROR(Limits());
    RETURN_IF_ERROR(Outputs());
    RETURN_IF_ERROR(Trace());
    RETURN_IF_ERROR(CommitLog());
    RETURN_IF_ERROR(Profile());
    if (arguments_.Has("sanitize")) request_.sanitize = true;
    Text("expect-profile", request_.expected_profile);
    if (arguments_.Has("compat")) session::ApplyPlenaDefaults(request_);
    return std::move(request_);
  }

 private:
  void Text(std::string_view option, std::string& target) const {
    if (const std::optional<std::string> text = arguments_.Text(option)) target = *text;
  }

  absl::Status Number(std::string_view option, std::optional<std::uint64_t>& target) const {
    ASSIGN_OR_RETURN(const std::optional<std::uint64_t> number, arguments_.Number(option));
    if (number) target = number;
    return absl::OkStatus();
  }

  absl::Status Machine() {
    session::MachineRequest& machine = request_.machine;
    if (arguments_.Has("machine") && arguments_.Has("settings")) {
      return UsageError("--machine and --settings are the same; give one");
    }
    Text("settings", machine.file);
    Text("machine", machine.file);
    return ReadMachineOptions(arguments_, machine);
  }

  absl::Status Images() {
    session::ImagesRequest& images = request_.images;
    const auto image = [&](std::string_view option, std::optional<session::ImageRequest>& target) {
      if (const std::optional<std::string> file = arguments_.Text(option)) target = {*file, 0};
    };
    image("hbm", images.hbm);
    image("vram", images.vram);
    image("fpsram", images.fpsram);
    image("intsram", images.intsram);
    if (const std::optional<std::string> format = arguments_.Text("fpsram-format")) {
      images.fpsram_is_bf16 = *format == "bf16";
    }
    return Number("hbm-size", images.hbm_size);
  }

  absl::Status Limits() {
    RETURN_IF_ERROR(Number("max-cycles", request_.limits.max_cycles));
    RETURN_IF_ERROR(Number("max-instructions", request_.limits.max_instructions));
    if (const std::optional<std::string> text = arguments_.Text("timeout")) {
      const absl::StatusOr<std::uint64_t> ms = session::ParseSecondsMs(*text);
      if (!ms.ok()) return UsageError(absl::StrCat("--timeout: ", ms.status().message()));
      request_.limits.timeout_ms = *ms;
    }
    return absl::OkStatus();
  }

  absl::Status Outputs() {
    session::OutputsRequest& outputs = request_.outputs;
    for (const std::string& name : arguments_.List("dump")) {
      outputs.dumps.push_back({*emulator::ParseDumpTarget(name), std::nullopt});
    }
    for (const std::string& text : arguments_.All("dump-range")) {
      const absl::StatusOr<emulator::DumpRequest> range = emulator::ParseDumpRange(text);
      if (!range.ok()) return UsageError(absl::StrCat("--dump-range: ", range.status().message()));
      outputs.dumps.push_back(*range);
    }
    Text("dump-dir", outputs.dump_dir);
    if (arguments_.Has("sparse")) outputs.sparse = true;
    Text("expect-report", outputs.expect_report);
    Text("profile", outputs.profile);
    Text("pc-table", outputs.pc_table);
    if (arguments_.Has("host-stats")) outputs.host_stats = true;
    return absl::OkStatus();
  }

  absl::Status Trace() {
    session::OutputsRequest& outputs = request_.outputs;
    Text("trace", outputs.trace);
    RETURN_IF_ERROR(NeedsOutput("trace", {"trace-window", "trace-max-events", "trace-max-bytes"},
                                outputs.trace));
    profiler::TraceOptions& options = outputs.trace_options;
    ASSIGN_OR_RETURN(const auto events, arguments_.Number("trace-max-events"));
    ASSIGN_OR_RETURN(const auto bytes, arguments_.Number("trace-max-bytes"));
    options.max_events = events.value_or(options.max_events);
    options.max_bytes = bytes.value_or(options.max_bytes);
    if (const std::optional<std::string> text = arguments_.Text("trace-window")) {
      const absl::StatusOr<profiler::TraceWindow> window = profiler::ParseTraceWindow(*text);
      if (!window.ok()) return UsageError(std::string(window.status().message()));
      options.window = *window;
    }
    return absl::OkStatus();
  }

  absl::Status CommitLog() {
    session::OutputsRequest& outputs = request_.outputs;
    Text("commit-log", outputs.commit_log);
    RETURN_IF_ERROR(
        NeedsOutput("commit-log", {"commit-log-filter", "commit-log-values"}, outputs.commit_log));
    if (const std::optional<std::string> text = arguments_.Text("commit-log-filter")) {
      const absl::StatusOr<profiler::LogFilter> filter = profiler::ParseLogFilter(*text);
      if (!filter.ok()) return UsageError(std::string(filter.status().message()));
      outputs.commit_log_filter = *filter;
    }
    if (const std::optional<std::string> values = arguments_.Text("commit-log-values")) {
      outputs.commit_log_values = *session::ParseCommitLogValues(*values);
    }
    return absl::OkStatus();
  }

  // Refuses options that say how an output is written when nobody asked for it. A configuration
  // file may hold them all the same.
  absl::Status NeedsOutput(std::string_view output, std::initializer_list<std::string_view> options,
                           const std::string& path) const {
    if (!path.empty()) return absl::OkStatus();
    for (const std::string_view option : options) {
      RETURN_IF_ERROR(arguments_.Needs(option, output));
    }
    return absl::OkStatus();
  }

  absl::Status Profile() {
    ASSIGN_OR_RETURN(const auto labels, arguments_.Pairs("label"));
    for (const auto& [key, value] : labels) request_.labels[key] = value;
    RETURN_IF_ERROR(Number("hot", request_.hot_rows));
    Text("stage-profile-asm", request_.stage_profile.assembly);
    Text("stage-profile-out", request_.stage_profile.output);
    RETURN_IF_ERROR(
        NeedsOutput("stage-profile-out", {"stage-profile-version"}, request_.stage_profile.output));
    if (arguments_.TextOr("stage-profile-version", "1") == "2") request_.stage_profile.version = 2;
    std::optional<std::uint64_t> repeat;
    RETURN_IF_ERROR(Number("repeat", repeat));
    if (repeat == 0) return UsageError("--repeat: must be at least 1");
    if (repeat) request_.repeat = *repeat;
    Text("require-coverage", request_.gates.coverage);
    if (const std::optional<std::string> text = arguments_.Text("max-unattributed")) {
      const absl::StatusOr<std::uint32_t> ppm = session::ParsePercentPpm(*text);
      if (!ppm.ok())
        return UsageError(absl::StrCat("--max-unattributed: ", ppm.status().message()));
      request_.gates.max_unattributed_ppm = *ppm;
    }
    return absl::OkStatus();
  }

  const Arguments& arguments_;
  session::RunRequest request_;
};

}  // namespace

absl::StatusOr<session::RunRequest> ReadRunOptions(const Arguments& arguments,
                                                   session::RunRequest request) {
  return RequestReader(arguments, std::move(request)).Read();
}

}  // namespace moescope::cli
