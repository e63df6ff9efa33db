#include "cli/session/run_outputs.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/file.h"
#include "base/string_view.h"
#include "cli/session/run_files.h"
#include "isa/isa_hash.h"
#include "profiler/pc_table.h"
#include "profiler/profile_builder.h"
#include "profiler/profile_json.h"
#include "profiler/ratio.h"
#include "profiler/report/report.h"

namespace moescope::session {

namespace {

class OutputWriter {
 public:
  OutputWriter(const RunRequest& request, const RunContext& context, const RunInputs& inputs,
               const profiler::Recorder& recorder, RunOutcome& outcome)
      : request_(request),
        context_(context),
        console_(*context.console),
        inputs_(inputs),
        recorder_(recorder),
        outcome_(outcome) {}

  void Write(double seconds) {
    BuildProfile(seconds);
    WriteFiles();
    EvaluateExpectations();
    CheckGates();
  }

 private:
  void BuildProfile(double seconds) {
    profiler::ProfileOptions options;
    options.tool = context_.tool;
    const isa::InstructionSet& set = *inputs_.instruction_set;
    options.instruction_set = &set;
    options.isa = {"moescope", absl::StrCat(set.version().major, ".", set.version().minor),
                   isa::IsaHash(set)};
    options.labels.assign(request_.labels.begin(), request_.labels.end());
    if (request_.hot_rows) options.hot_rows = *request_.hot_rows;
    if (request_.outputs.host_stats) {
      const auto per_second = [seconds](std::uint64_t count) {
        return seconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(count) / seconds) : 0;
      };
      options.host =
          profiler::Host{static_cast<std::uint64_t>(seconds * 1000),
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

  void WriteFiles() {
    const OutputsRequest& outputs = request_.outputs;
    if (!outputs.dumps.empty()) {
      const emulator::DumpOptions options{outputs.dump_dir, outputs.sparse};
      std::error_code ignored;  // WriteDumps says what is wrong with the folder
      std::filesystem::create_directories(outputs.dump_dir, ignored);
      Check(emulator::WriteDumps(*inputs_.state, inputs_.machine, outputs.dumps, options).status());
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
      table = profiler::MakePcTable(recorder_.recording(), *inputs_.instruction_set);
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
    if (outputs.print_table && outputs.profile.empty() && !WritesToStandardOutput(request_))
      Print({}, "-");
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
        inputs_.expectations.Evaluate(outcome_.profile, *inputs_.state, inputs_.machine);
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
  const RunInputs& inputs_;
  const profiler::Recorder& recorder_;
  RunOutcome& outcome_;
};

}  // namespace

void WriteRunOutputs(const RunRequest& request, const RunContext& context, const RunInputs& inputs,
                     const profiler::Recorder& recorder, double seconds, RunOutcome& outcome) {
  OutputWriter(request, context, inputs, recorder, outcome).Write(seconds);
}

}  // namespace moescope::session
