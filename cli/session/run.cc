#include "cli/session/run.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/session/fault_text.h"
#include "cli/session/machine.h"
#include "cli/session/plena_compat.h"
#include "cli/session/program.h"
#include "cli/session/progress.h"
#include "emulator/images.h"
#include "emulator/machine_text.h"
#include "emulator/run.h"
#include "isa/isa_hash.h"
#include "profiler/pc_table.h"
#include "profiler/profile_builder.h"
#include "profiler/profile_json.h"
#include "profiler/ratio.h"
#include "profiler/recorder.h"
#include "profiler/report/report.h"

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

// "convention reference, ..." when the dialect is not moescope's own.
std::string DialectNote(const emulator::Dialect& dialect) {
  emulator::Dialect own;
  own.scale_rule = dialect.scale_rule;
  own.bmm_scale = dialect.bmm_scale;
  own.strict_encoding = dialect.strict_encoding;
  if (dialect == own) return "";
  const bool reference = dialect.convention == isa::Convention::kReference;
  return absl::StrCat(
      "dialect: convention = ", reference ? "reference" : "ocp",
      ", masked_reduction = ", Absl(emulator::MaskedReductionName(dialect.masked_reduction)),
      ", scale_read = ", Absl(emulator::ScaleReadName(dialect.scale_read)), "\n");
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
    if (request_.program.file.empty()) {
      return UsageError("no program: name a manifest, or give one with --opcode");
    }
    RETURN_IF_ERROR(OpenAll());
    RETURN_IF_ERROR(
        CheckStatedShape(program_, request_.program.file, machine_, MachineName(request_.machine)));
    state_ = std::make_unique<emulator::MachineState>(machine_);
    RETURN_IF_ERROR(LoadImages());
    ASSIGN_OR_RETURN(expectations_, PreparedExpectations::Prepare(request_.expect));
    if (!request_.expected_profile.empty()) {
      ASSIGN_OR_RETURN(const std::string text, ReadFile(request_.expected_profile));
      ASSIGN_OR_RETURN(const profiler::Profile earlier, profiler::ReadProfile(text));
      expected_instructions_ = earlier.totals.counters.instructions;
    }
    return absl::OkStatus();
  }

  RunOutcome Run() {
    if (request_.plena_lines) console_.Note(PlenaTopologyLine(machine_));
    Execute();
    outcome_.code = CodeOf(outcome_.end);
    if (const std::optional<Diagnostic> diagnostic = EndDiagnostic(outcome_.end, program_)) {
      console_.Report({&*diagnostic, 1});
    }
    NameFilesFrom(request_.program.file, program_);
    BuildProfile();
    WriteOutputs();
    EvaluateExpectations();
    CheckGates();
    console_.Note(SummaryLine(outcome_.end, outcome_.profile, seconds_));
    if (request_.plena_lines) console_.Note(PlenaClosingLines(outcome_.profile));
    return std::move(outcome_);
  }

 private:
  absl::Status OpenAll() {
    ASSIGN_OR_RETURN(vocabulary_, LoadVocabulary(request_.program.stage_vocabulary));
    ASSIGN_OR_RETURN(instruction_set_, LoadInstructionSet(request_.program.isa));
    ASSIGN_OR_RETURN(assembler::LoadedProgram loaded,
                     OpenProgram(request_.program, *vocabulary_, 20, *instruction_set_));
    console_.Report(loaded.findings);
    program_ = std::move(loaded.program);
    if (!request_.stage_profile.assembly.empty()) {
      ASSIGN_OR_RETURN(const std::string note,
                       TakeStagesFrom(request_.stage_profile.assembly, *vocabulary_,
                                      *instruction_set_, program_));
      console_.Note(note);
    }
    ASSIGN_OR_RETURN(emulator::MachineFile file,
                     OpenMachine(request_.machine, request_.images.hbm_size));
    console_.Report(file.warnings);
    machine_ = std::move(file.machine);
    console_.Note(DialectNote(machine_.dialect));
    AddFailureContext(absl::StrCat("program: ", program_.WordsHash()));
    context_.log->Info(absl::StrCat("program ", request_.program.file, ": ", program_.words.size(),
                                    " words, ", program_.WordsHash()));
    return absl::OkStatus();
  }

  absl::Status LoadImages() {
    const ImagesRequest& images = request_.images;
    RETURN_IF_ERROR(LoadImage(emulator::ImageTarget::kHbm, images.hbm));
    RETURN_IF_ERROR(LoadImage(emulator::ImageTarget::kVram, images.vram));
    RETURN_IF_ERROR(LoadImage(emulator::ImageTarget::kFpSram, images.fpsram));
    return LoadImage(emulator::ImageTarget::kIntSram, images.intsram);
  }

  absl::Status LoadImage(emulator::ImageTarget target, const std::optional<ImageRequest>& image) {
    if (!image) return absl::OkStatus();
    emulator::ImageOptions options;
    options.hbm_offset = image->offset;
    options.fp_format = request_.images.fpsram_is_bf16 ? emulator::FpImageFormat::kBf16
                                                       : emulator::FpImageFormat::kFp16;
    ASSIGN_OR_RETURN(emulator::ImageRecord record,
                     emulator::LoadImage(target, image->file, options, *state_));
    context_.log->Info(absl::StrCat("image ", record.target, " ", image->file, ": ", record.bytes,
                                    " bytes, ", record.sha256));
    AddFailureContext(absl::StrCat("image ", record.target, ": ", record.sha256));
    images_.push_back(std::move(record));
    return absl::OkStatus();
  }

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
    options.images = images_;
    options.instructions = instruction_set_.get();
    return options;
  }

  void Execute() {
    std::optional<std::uint64_t> total = expected_instructions_;
    if (!total) total = request_.limits.max_instructions;
    ProgressLine progress(program_, context_.show_progress, total,
                          [this](std::string_view text) { console_.Note(text); });
    LoggingListener logging(*context_.log, *instruction_set_);
    const std::vector<emulator::Listener*> listeners = {&recorder_, &logging};
    const auto started = std::chrono::steady_clock::now();
    outcome_.end = emulator::Run(program_, machine_, *state_, listeners, Options(progress));
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    progress.Finish();
  }

  void BuildProfile() {
    profiler::ProfileOptions options;
    options.tool = context_.tool;
    const isa::InstructionSet& set = *instruction_set_;
    options.instruction_set = &set;
    options.isa = {"moescope", absl::StrCat(set.version().major, ".", set.version().minor),
                   isa::IsaHash(set)};
    options.labels.assign(request_.labels.begin(), request_.labels.end());
    if (request_.hot_rows) options.hot_rows = *request_.hot_rows;
    if (request_.outputs.host_stats) {
      const auto per_second = [this](std::uint64_t count) {
        return seconds_ > 0 ? static_cast<std::uint64_t>(static_cast<double>(count) / seconds_) : 0;
      };
      options.host =
          profiler::Host{static_cast<std::uint64_t>(seconds_ * 1000),
                         per_second(outcome_.end.instructions), per_second(outcome_.end.cycles), 1};
    }
    outcome_.profile = profiler::MakeProfile(recorder_.recording(), options);
  }

  // Prints what went wrong and goes on: the other outputs are still wanted.
  void Check(const absl::Status& status) {
    if (status.ok()) return;
    console_.Error(status);
    outcome_.code = Worse(outcome_.code, ExitCodeOf(status));
  }

  void WriteOutputs() {
    const OutputsRequest& outputs = request_.outputs;
    if (!outputs.dumps.empty()) {
      const emulator::DumpOptions options{outputs.dump_dir, outputs.sparse};
      std::error_code ignored;  // WriteDumps says what is wrong with the folder
      std::filesystem::create_directories(outputs.dump_dir, ignored);
      Check(emulator::WriteDumps(*state_, machine_, outputs.dumps, options).status());
    }
    const absl::StatusOr<std::string> text = profiler::WriteProfile(outcome_.profile);
    if (!text.ok()) return Check(text.status());
    if (!outputs.profile.empty()) Check(WriteFile(outputs.profile, *text));
    const absl::StatusOr<profiler::Profile> written = profiler::ReadProfile(*text);
    if (!written.ok()) return Check(written.status());
    outcome_.profile = *written;
    WriteTables();
  }

  void WriteTables() {
    const OutputsRequest& outputs = request_.outputs;
    const StageProfileRequest& stage_profile = request_.stage_profile;
    std::optional<profiler::PcTable> table;
    if (!outputs.pc_table.empty() || !stage_profile.output.empty()) {
      table = profiler::MakePcTable(recorder_.recording(), *instruction_set_);
    }
    if (!outputs.pc_table.empty()) {
      Check(WriteFile(outputs.pc_table, profiler::PcTableText(*table)));
    }
    if (!stage_profile.output.empty()) {
      profiler::ReportOptions options;
      options.format = absl::StrCat("stage_profile_v", stage_profile.version);
      options.pc_table = &*table;
      Print(options, stage_profile.output);
    }
    if (outputs.print_table && outputs.profile.empty()) Print({}, "-");
  }

  void Print(const profiler::ReportOptions& options, const std::string& path) {
    const absl::StatusOr<std::string> text = profiler::Report(outcome_.profile, options);
    if (!text.ok()) return Check(text.status());
    if (path == "-") return console_.Out(*text);
    Check(WriteFile(path, *text));
  }

  void EvaluateExpectations() {
    if (request_.expect.empty()) return;
    absl::StatusOr<std::vector<ExpectationResult>> results =
        expectations_.Evaluate(outcome_.profile, *state_, machine_);
    if (!results.ok()) return Check(results.status());
    outcome_.expectations = *std::move(results);
    for (const ExpectationResult& result : outcome_.expectations) {
      if (result.passed) {
        console_.Note(ExpectationLines({&result, 1}));
      } else {
        console_.Error(ExpectationLines({&result, 1}));
        outcome_.code = Worse(outcome_.code, ExitCode::kCheckFailed);
      }
    }
    const std::string& report = request_.outputs.expect_report;
    if (report.empty()) return;
    Check(WriteFile(report, absl::EndsWith(report, ".xml")
                                ? ExpectationsJunit(outcome_.expectations)
                                : ExpectationsJson(outcome_.expectations)));
  }

  void CheckGates() {
    const profiler::Profile& profile = outcome_.profile;
    if (!request_.gates.coverage.empty()) CheckCoverage();
    if (!request_.gates.max_unattributed_ppm) return;
    const profiler::StageEntry* bucket = profiler::FindStage(profile, isa::kUnattributed);
    const std::uint64_t ppm = profiler::Ppm(bucket == nullptr ? 0 : bucket->counters.instructions,
                                            profile.totals.counters.instructions);
    if (ppm > *request_.gates.max_unattributed_ppm) {
      FailGate(
          absl::StrFormat("%d.%04d%% of the instructions belong to no stage, at most "
                          "%d.%04d%% are allowed",
                          ppm / 10000, ppm % 10000, *request_.gates.max_unattributed_ppm / 10000,
                          *request_.gates.max_unattributed_ppm % 10000));
    }
  }

  void CheckCoverage() {
    const std::optional<profiler::Coverage>& coverage = outcome_.profile.model.coverage;
    bool worse = false;
    for (std::size_t i = 0; i < emulator::kCostClassCount; ++i) {
      const std::string_view name = emulator::kCostClassNames[i];
      if (worse && coverage && coverage->classes[i].instructions > 0) {
        FailGate(absl::StrCat(coverage->classes[i].instructions,
                              " instructions have costs that are ", Absl(name), ", worse than ",
                              request_.gates.coverage));
      }
      worse = worse || name == request_.gates.coverage;
    }
  }

  void FailGate(const std::string& text) {
    console_.Error(absl::StrCat("FAILED: ", text, "\n"));
    outcome_.code = Worse(outcome_.code, ExitCode::kCheckFailed);
  }

  const RunRequest& request_;
  const RunContext& context_;
  const Console& console_;
  std::optional<stages::Vocabulary> vocabulary_;
  std::shared_ptr<const isa::InstructionSet> instruction_set_;
  isa::Program program_;
  emulator::MachineDescription machine_;
  std::unique_ptr<emulator::MachineState> state_;
  std::vector<emulator::ImageRecord> images_;
  PreparedExpectations expectations_;
  std::optional<std::uint64_t> expected_instructions_;
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
