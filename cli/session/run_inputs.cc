#include "cli/session/run_inputs.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/session/image_inputs.h"
#include "cli/session/machine.h"
#include "cli/session/plena_compat.h"
#include "cli/session/program.h"
#include "emulator/machine_text.h"
#include "profiler/profile_json.h"

namespace moescope::session {

namespace {

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

absl::Status OpenProgramAndMachine(const RunRequest& request, const RunContext& context,
                                   RunInputs& inputs) {
  const Console& console = *context.console;
  ASSIGN_OR_RETURN(inputs.vocabulary, LoadVocabulary(request.program.stage_vocabulary));
  ASSIGN_OR_RETURN(inputs.instruction_set, LoadInstructionSet(request.program.isa));
  const isa::InstructionSet& set = *inputs.instruction_set;
  ASSIGN_OR_RETURN(assembler::LoadedProgram loaded,
                   OpenProgram(request.program, *inputs.vocabulary, 20, set));
  console.Report(loaded.findings);
  inputs.program = std::move(loaded.program);
  if (!request.stage_profile.assembly.empty()) {
    ASSIGN_OR_RETURN(
        const std::string note,
        TakeStagesFrom(request.stage_profile.assembly, *inputs.vocabulary, set, inputs.program));
    console.Note(note);
  }
  ASSIGN_OR_RETURN(emulator::MachineFile file,
                   OpenMachine(request.machine, request.images.hbm_size));
  console.Report(file.warnings);
  inputs.machine = std::move(file.machine);
  console.Note(DialectNote(inputs.machine.dialect));
  AddFailureContext(absl::StrCat("program: ", inputs.program.WordsHash()));
  context.log->Info(absl::StrCat("program ", request.program.file, ": ",
                                 inputs.program.words.size(), " words, ",
                                 inputs.program.WordsHash()));
  return CheckStatedShape(inputs.program, request.program.file, inputs.machine,
                          MachineName(request.machine));
}

absl::Status LoadAndReportImages(const RunRequest& request, const Log& log, RunInputs& inputs) {
  const auto report = [&](const ImageRequest& image, const emulator::ImageRecord& record) {
    log.Info(absl::StrCat("image ", record.target, " ", image.file, ": ", record.bytes, " bytes, ",
                          record.sha256));
    AddFailureContext(absl::StrCat("image ", record.target, ": ", record.sha256));
  };
  ASSIGN_OR_RETURN(inputs.images, LoadImages(request.images, *inputs.state, report));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RunInputs> OpenRunInputs(const RunRequest& request, const RunContext& context) {
  if (request.program.file.empty()) {
    return UsageError("no program: name a manifest, or give one with --opcode");
  }
  RunInputs inputs;
  RETURN_IF_ERROR(OpenProgramAndMachine(request, context, inputs));
  inputs.state = std::make_unique<emulator::MachineState>(inputs.machine);
  RETURN_IF_ERROR(LoadAndReportImages(request, *context.log, inputs));
  ASSIGN_OR_RETURN(inputs.expectations, PreparedExpectations::Prepare(request.expect));
  if (!request.expected_profile.empty()) {
    ASSIGN_OR_RETURN(const std::string text, ReadFile(request.expected_profile));
    ASSIGN_OR_RETURN(const profiler::Profile earlier, profiler::ReadProfile(text));
    inputs.expected_instructions = earlier.totals.counters.instructions;
  }
  return inputs;
}

}  // namespace moescope::session
