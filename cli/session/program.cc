#include "cli/session/program.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/number.h"
#include "base/status.h"
#include "isa/document.h"
#include "isa/stage_table_json.h"
#include "stages/shipped.h"

namespace moescope::session {

absl::StatusOr<stages::Vocabulary> LoadVocabulary(std::span<const std::string> files) {
  stages::Vocabulary vocabulary;
  for (const std::string& file : files) {
    const std::optional<std::string_view> shipped = stages::FindShippedVocabulary(file);
    if (shipped && ::access(file.c_str(), F_OK) != 0) {
      RETURN_IF_ERROR(vocabulary.Extend(*shipped, absl::StrCat(file, ".toml")));
      continue;
    }
    ASSIGN_OR_RETURN(const std::string toml, ReadFile(file));
    RETURN_IF_ERROR(vocabulary.Extend(toml, file));
  }
  return vocabulary;
}

absl::StatusOr<std::shared_ptr<const isa::InstructionSet>> LoadInstructionSet(
    const std::string& file) {
  if (file.empty()) {
    return std::shared_ptr<const isa::InstructionSet>(&isa::InstructionSet::Builtin(),
                                                      [](const isa::InstructionSet*) {});
  }
  ASSIGN_OR_RETURN(std::unique_ptr<const isa::InstructionSet> set, isa::OpenInstructionSet(file));
  return std::shared_ptr<const isa::InstructionSet>(std::move(set));
}

absl::StatusOr<assembler::LoadedProgram> OpenProgram(const ProgramRequest& request,
                                                     const stages::Vocabulary& vocabulary,
                                                     std::size_t max_errors,
                                                     const isa::InstructionSet& set) {
  assembler::AssembleOptions options;
  options.instruction_set = &set;
  options.vocabulary = &vocabulary;
  options.unknown_stage = request.stage_errors;
  options.include_folders = request.include_folders;
  options.max_errors = max_errors;
  for (const auto& [name, value] : request.definitions)
    options.definitions.push_back({name, value});
  ASSIGN_OR_RETURN(std::string bytes, ReadFile(request.file));
  const assembler::ProgramFormat format = request.is_raw
                                              ? assembler::ProgramFormat::kBinary
                                              : assembler::DetectProgramFormat(bytes, request.file);
  ASSIGN_OR_RETURN(
      assembler::LoadedProgram loaded,
      assembler::LoadProgram(std::move(bytes), request.file, format, options, request.force_isa));
  if (!request.stages.empty()) {
    ASSIGN_OR_RETURN(const std::string sidecar, ReadFile(request.stages));
    RETURN_IF_ERROR(isa::ReadStageTableJson(sidecar, request.stages, loaded.program));
  }
  return loaded;
}

std::optional<PcRange> ParsePcRange(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const absl::StatusOr<std::uint64_t> begin = ParseNumber(text.substr(0, dots));
  const absl::StatusOr<std::uint64_t> end = ParseNumber(text.substr(dots + 2));
  if (!begin.ok() || !end.ok() || *begin > *end || *end > UINT32_MAX) return std::nullopt;
  return PcRange{static_cast<std::uint32_t>(*begin), static_cast<std::uint32_t>(*end)};
}

KeyValue ParseDefinition(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, "1"};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace moescope::session
