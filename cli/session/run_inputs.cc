#include "cli/session/run_inputs.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/session/machine.h"
#include "cli/session/plena_compat.h"
#include "cli/session/program.h"
#include "emulator/images.h"
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

class ImageLoader {
 public:
  ImageLoader(const ImagesRequest& request, const Log& log, RunInputs& inputs)
      : request_(request), log_(log), inputs_(inputs) {}

  absl::Status LoadAll() {
    RETURN_IF_ERROR(Load(emulator::ImageTarget::kHbm, request_.hbm));
    RETURN_IF_ERROR(Load(emulator::ImageTarget::kVram, request_.vram));
    RETURN_IF_ERROR(Load(emulator::ImageTarget::kFpSram, request_.fpsram));
    return Load(emulator::ImageTarget::kIntSram, request_.intsram);
  }

 private:
  absl::Status Load(emulator::ImageTarget target, const std::optional<ImageRequest>& image) {
    if (!image) return absl::OkStatus();
    emulator::ImageOptions options;
    options.hbm_offset = image->offset;
    options.fp_format =
        request_.fpsram_is_bf16 ? emulator::FpImageFormat::kBf16 : emulator::FpImageFormat::kFp16;
    ASSIGN_OR_RETURN(emulator::ImageRecord record,
                     emulator::LoadImage(target, image->file, options, *inputs_.state));
    log_.Info(absl::StrCat("image ", record.target, " ", image->file, ": ", record.bytes,
                           " bytes, ", record.sha256));
    AddFailureContext(absl::StrCat("image ", record.target, ": ", record.sha256));
    inputs_.images.push_back(std::move(record));
    return absl::OkStatus();
  }

  const ImagesRequest& request_;
  const Log& log_;
  RunInputs& inputs_;
};

}  // namespace

absl::StatusOr<RunInputs> OpenRunInputs(const RunRequest& request, const RunContext& context) {
  if (request.program.file.empty()) {
    return UsageError("no program: name a manifest, or give one with --opcode");
  }
  RunInputs inputs;
  RETURN_IF_ERROR(OpenProgramAndMachine(request, context, inputs));
  inputs.state = std::make_unique<emulator::MachineState>(inputs.machine);
  RETURN_IF_ERROR(ImageLoader(request.images, *context.log, inputs).LoadAll());
  ASSIGN_OR_RETURN(inputs.expectations, PreparedExpectations::Prepare(request.expect));
  if (!request.expected_profile.empty()) {
    ASSIGN_OR_RETURN(const std::string text, ReadFile(request.expected_profile));
    ASSIGN_OR_RETURN(const profiler::Profile earlier, profiler::ReadProfile(text));
    inputs.expected_instructions = earlier.totals.counters.instructions;
  }
  return inputs;
}

}  // namespace moescope::session
