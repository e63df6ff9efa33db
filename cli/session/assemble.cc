#include "cli/session/assemble.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "asm/listing.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/session/exit_code.h"
#include "cli/session/program.h"
#include "isa/stage_table_json.h"

namespace moescope::session {

namespace {

using assembler::OutputFormat;

// `path` with `suffix` instead of the suffix of its file name.
std::string WithSuffix(const std::string& path, std::string_view suffix) {
  const std::size_t slash = path.rfind('/') + 1;  // npos + 1 = 0
  const std::size_t dot = path.rfind('.');
  const bool has_suffix = dot != std::string::npos && dot > slash;
  return path.substr(0, has_suffix ? dot : path.size()).append(suffix);
}

bool HoldsStageTable(OutputFormat format) {
  return format == OutputFormat::kContainer || format == OutputFormat::kJson;
}

absl::StatusOr<std::vector<assembler::SourceText>> ReadInputs(const AssembleRequest& request) {
  std::vector<assembler::SourceText> inputs;
  for (const std::string& path : request.inputs) {
    ASSIGN_OR_RETURN(std::string text, ReadFile(path));
    inputs.push_back({path == "-" ? request.stdin_name : path, std::move(text)});
  }
  return inputs;
}

absl::StatusOr<assembler::AssembleOptions> OptionsOf(const AssembleRequest& request) {
  assembler::AssembleOptions options;
  options.unknown_stage = request.stage_errors;
  options.include_folders = request.include_folders;
  for (const auto& [name, value] : request.definitions)
    options.definitions.push_back({name, value});
  for (const std::string& rule : request.rules) {
    const absl::Status set = options.rules.Set(rule, assembler::AssemblerRules());
    if (!set.ok()) return UsageError(absl::StrCat("--rule: ", set.message()));
  }
  options.rules.SetWarningsAreErrors(request.warnings_are_errors);
  options.max_errors = request.max_errors;
  return options;
}

absl::Status CheckRequest(const AssembleRequest& request) {
  if (std::count(request.inputs.begin(), request.inputs.end(), "-") > 1) {
    return UsageError("at most one input may be '-'");
  }
  if (request.formats.size() > 1 && request.output == "-") {
    return UsageError("-o - takes one --emit format");
  }
  return absl::OkStatus();
}

}  // namespace

std::string OutputName(const AssembleRequest& request, OutputFormat format) {
  if (!request.output.empty()) {
    return request.formats.size() == 1
               ? request.output
               : WithSuffix(request.output, assembler::FileSuffixOf(format));
  }
  const std::string& input = request.inputs.front();
  return input == "-" ? input : WithSuffix(input, assembler::FileSuffixOf(format));
}

absl::StatusOr<std::vector<Diagnostic>> AssembleFiles(const AssembleRequest& request) {
  RETURN_IF_ERROR(CheckRequest(request));
  ASSIGN_OR_RETURN(assembler::AssembleOptions options, OptionsOf(request));
  ASSIGN_OR_RETURN(const stages::Vocabulary vocabulary, LoadVocabulary(request.stage_vocabulary));
  options.vocabulary = &vocabulary;
  ASSIGN_OR_RETURN(const std::shared_ptr<const isa::InstructionSet> loaded,
                   LoadInstructionSet(request.isa));
  const isa::InstructionSet& set = *loaded;
  options.instruction_set = &set;
  ASSIGN_OR_RETURN(std::vector<assembler::SourceText> inputs, ReadInputs(request));
  ASSIGN_OR_RETURN(assembler::Assembly assembly, assembler::Assemble(std::move(inputs), options));
  if (request.check) return std::move(assembly.findings);

  for (const OutputFormat format : request.formats) {
    const std::string name = OutputName(request, format);
    RETURN_IF_ERROR(WriteFile(name, assembler::Emit(assembly, format, set)));
    if (request.stages_out && !HoldsStageTable(format) && name != "-") {
      RETURN_IF_ERROR(
          WriteFile(WithSuffix(name, ".stages.json"), isa::WriteStageTableJson(assembly.program)));
    }
  }
  if (!request.listing.empty()) {
    RETURN_IF_ERROR(WriteFile(request.listing, assembler::WriteListing(assembly, set)));
  }
  return std::move(assembly.findings);
}

}  // namespace moescope::session
