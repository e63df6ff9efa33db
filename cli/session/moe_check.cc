#include "cli/session/moe_check.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/session/image_inputs.h"
#include "cli/session/moe_cuda.h"
#include "cli/session/moe_folder.h"
#include "cli/session/number.h"
#include "cli/session/program.h"
#include "emulator/run.h"
#include "emulator/state/machine_state.h"
#include "isa/bfloat16.h"

namespace moescope::session {
namespace {

using emulator::MachineState;
using moe::Bf16Matrix;
using moe::ComparisonRecord;
using moe::NamedOutput;

// What the machine holds where the output says.
Bf16Matrix ReadValues(const NamedOutput& output, const MachineState& state) {
  Bf16Matrix actual(output.expected.rows, output.expected.columns);
  for (std::int64_t r = 0; r < actual.rows; ++r) {
    for (std::int64_t c = 0; c < actual.columns; ++c) {
      const auto column = static_cast<std::uint32_t>(c);
      if (output.space == NamedOutput::Space::kFp) {
        actual.At(r, c) = state.fp_mem.Read(output.address + column);
        continue;
      }
      const moe::VramMatrix& place = output.rows[static_cast<std::size_t>(r)];
      const std::uint32_t row = place.Row(column / place.m, 0) / place.m;
      actual.At(r, c) = state.vram.Read(row)[column % place.m];
    }
  }
  return actual;
}

// Integers are compared as the bits of f32, so that the first difference is found like any other.
moe::Metrics CompareWords(const NamedOutput& output, const MachineState& state) {
  const auto count = static_cast<std::int64_t>(output.words.size());
  moe::F32Matrix actual(1, count);
  moe::F32Matrix expected(1, count);
  for (std::size_t i = 0; i < output.words.size(); ++i) {
    actual.values[i] =
        static_cast<float>(static_cast<std::int32_t>(state.int_mem.Read(output.address + i)));
    expected.values[i] = static_cast<float>(static_cast<std::int32_t>(output.words[i]));
  }
  return moe::Compare(actual, expected);
}

bool Within(const Comparison& tolerance, const moe::Metrics& metrics) {
  switch (tolerance.kind) {
    case Comparison::Kind::kUlp:
      return metrics.max_ulp <= static_cast<std::int64_t>(tolerance.ulp);
    case Comparison::Kind::kRelativeRms:
      return metrics.broken == 0 && metrics.relative_l2 * 1e6 <= tolerance.rel_rms_ppm;
    default:
      return moe::Passes(moe::Tier::kBitwise, metrics, false);
  }
}

ComparisonRecord CompareOutput(const NamedOutput& output, const MachineState& state,
                               const Comparison& tolerance, const ComparisonRecord& base) {
  ComparisonRecord record = base;
  record.subject = output.name;
  if (output.space == NamedOutput::Space::kInt) {
    record.metrics = CompareWords(output, state);
    record.passed = Within({}, *record.metrics);
  } else {
    record.metrics = moe::Compare(ReadValues(output, state), output.expected);
    record.passed = Within(tolerance, *record.metrics);
  }
  return record;
}

absl::Status CheckNames(const std::vector<NamedOutput>& outputs,
                        const std::vector<std::string>& wanted) {
  for (const std::string& name : wanted) {
    if (std::any_of(outputs.begin(), outputs.end(),
                    [&](const NamedOutput& output) { return output.name == name; })) {
      continue;
    }
    const std::string known = absl::StrJoin(
        outputs, ", ",
        [](std::string* out, const NamedOutput& output) { out->append(output.name); });
    return absl::InvalidArgumentError(
        absl::StrCat("no output '", name, "' (--stages); this layer has: ", known, " [RC092]"));
  }
  return absl::OkStatus();
}

// T2p is reported and decides nothing; where there is one result, its bits decide.
absl::StatusOr<ComparisonRecord> CompareWithFused(const LayerFolder& folder,
                                                  const moe::reference::StepwiseOutputs& twin,
                                                  const MachineState& state,
                                                  const ComparisonRecord& base) {
  ComparisonRecord record = base;
  record.subject = "y";
  record.expected = "fused ideal given";
  record.tier = folder.layer.has_one_result() ? moe::Tier::kBitwise : moe::Tier::kProgram;
  if (folder.layer.request().lowering.residual != moe::Residual::kNone) {
    record.skipped = "the program adds a residual, profile fused does not";
    return record;
  }
  ASSIGN_OR_RETURN(const Bf16Matrix fused, folder.layer.FusedOutput(twin.routing, 0));
  NamedOutput y = moe::NamedOutputs(folder.layer.compiled(), twin).back();
  record.metrics = moe::Compare(ReadValues(y, state), fused);
  record.passed = moe::Passes(record.tier, *record.metrics, true);
  return record;
}

}  // namespace

bool MoeCheckResult::passed() const {
  return std::all_of(records.begin(), records.end(), [](const ComparisonRecord& record) {
    const bool skipped = !record.metrics.has_value();
    return record.passed || skipped || record.tier == moe::Tier::kProgram;
  });
}

absl::StatusOr<MoeCheckResult> CheckLayerFolder(const std::string& path,
                                                const MoeCheckOptions& options) {
  ASSIGN_OR_RETURN(const LayerFolder folder, ReadLayerFolder(path));
  ASSIGN_OR_RETURN(const stages::Vocabulary vocabulary,
                   LoadVocabulary(folder.run.program.stage_vocabulary));
  ASSIGN_OR_RETURN(const assembler::LoadedProgram loaded,
                   OpenProgram(folder.run.program, vocabulary));
  ASSIGN_OR_RETURN(const moe::reference::StepwiseOutputs twin, folder.layer.Machine());
  const std::vector<NamedOutput> outputs = moe::NamedOutputs(folder.layer.compiled(), twin);
  RETURN_IF_ERROR(CheckNames(outputs, options.outputs));
  MachineState state(folder.machine);
  RETURN_IF_ERROR(LoadImages(folder.run.images, state).status());
  MoeCheckResult result{.end =
                            emulator::Run(loaded.program, folder.machine, state, nullptr, {}, {})};
  if (!result.end.complete()) return result;
  ASSIGN_OR_RETURN(const std::string manifest, ReadFile(path + "/run.json"));
  const std::string profile = absl::StrFormat("stepwise tile(%d)", folder.layer.compiled().map.m);
  const ComparisonRecord base{
      .fixture = Sha256Name(manifest), .actual = "program", .expected = profile, .policy = "given"};
  for (const NamedOutput& output : outputs) {
    const bool wanted = options.outputs.empty() ||
                        std::find(options.outputs.begin(), options.outputs.end(), output.name) !=
                            options.outputs.end();
    if (wanted) {
      result.records.push_back(CompareOutput(output, state, options.tolerance, base));
    }
  }
  ASSIGN_OR_RETURN(ComparisonRecord fused, CompareWithFused(folder, twin, state, base));
  result.records.push_back(std::move(fused));
  if (options.cuda) {
    ASSIGN_OR_RETURN(std::vector<ComparisonRecord> cuda,
                     CheckGeneratedOnCuda(folder.layer, twin.routing));
    std::move(cuda.begin(), cuda.end(), std::back_inserter(result.records));
  }
  return result;
}

absl::StatusOr<Comparison> ParseTolerance(std::string_view text) {
  Comparison tolerance;
  if (text == "exact") return tolerance;
  if (text.starts_with("ulp:") && absl::SimpleAtoi(Absl(text.substr(4)), &tolerance.ulp)) {
    tolerance.kind = Comparison::Kind::kUlp;
    return tolerance;
  }
  if (text.starts_with("rel_rms:")) {
    const absl::StatusOr<std::uint32_t> ppm = ParsePercentPpm(text.substr(8));
    if (ppm.ok()) {
      tolerance.kind = Comparison::Kind::kRelativeRms;
      tolerance.rel_rms_ppm = *ppm;
      return tolerance;
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "tolerance '", Absl(text), "': expected exact, ulp:N or rel_rms:P% (--tolerance) [RC093]"));
}

std::string CheckText(const MoeCheckResult& result) {
  std::string text;
  for (const ComparisonRecord& record : result.records) {
    const bool informative = record.tier == moe::Tier::kProgram;
    const std::string verdict = !record.metrics.has_value() ? "skip"
                                : record.passed             ? "pass"
                                : informative               ? "note"
                                                            : "FAIL";
    const std::string summary =
        record.metrics.has_value() ? moe::Summary(*record.metrics) : record.skipped;
    const std::string actual = record.actual == "program" ? "" : record.actual + " ";
    absl::StrAppendFormat(&text, "%-4s  %-7s  %-3s  %sagainst %s: %s\n", verdict, record.subject,
                          Absl(moe::Name(record.tier)), actual, record.expected, summary);
  }
  return text;
}

}  // namespace moescope::session
