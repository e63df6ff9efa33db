#include "cli/session/lint.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "asm/assembler.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/session/exit_code.h"
#include "cli/session/number.h"
#include "cli/session/program.h"
#include "profiler/profile_json.h"

namespace moescope::session {

namespace {

stages::Expansion ExpansionOf(const assembler::Origin& origin) {
  stages::Expansion expansion;
  switch (origin.kind) {
    case assembler::Origin::Kind::kInput:
      expansion.kind = stages::Expansion::Kind::kInput;
      break;
    case assembler::Origin::Kind::kInclude:
      expansion.kind = stages::Expansion::Kind::kInclude;
      break;
    case assembler::Origin::Kind::kMacro:
      expansion.kind = stages::Expansion::Kind::kMacro;
      break;
    case assembler::Origin::Kind::kRepetition:
      expansion.kind = stages::Expansion::Kind::kRepetition;
      break;
  }
  expansion.parent = origin.parent;
  expansion.at = origin.at;
  return expansion;
}

// What the profile counted per (stage, pair); nothing when it dropped the stages of its pairs.
absl::StatusOr<std::optional<std::vector<stages::ExecutedStage>>> ReadExecuted(
    const std::string& path) {
  if (path.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  absl::StatusOr<profiler::Profile> profile = profiler::ReadProfile(text);
  if (!profile.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", profile.status().message()));
  }
  if (profile->pairs && profile->pairs->detail != "stages") return std::nullopt;
  std::map<std::string, std::uint64_t> without_pair;
  for (const profiler::StageEntry& stage : profile->stages) {
    without_pair[stage.name] = stage.counters.instructions;
  }
  std::vector<stages::ExecutedStage> executed;
  for (const profiler::PairRow& row :
       profile->pairs ? profile->pairs->rows : std::vector<profiler::PairRow>()) {
    for (const profiler::PairStage& stage : row.stages) {
      executed.push_back({stage.name, static_cast<std::uint32_t>(row.pair), stage.instructions});
      without_pair[stage.name] -= std::min(without_pair[stage.name], stage.instructions);
    }
  }
  for (const auto& [name, instructions] : without_pair) {
    executed.push_back({name, std::nullopt, instructions});
  }
  return executed;
}

absl::StatusOr<stages::LintOptions> OptionsOf(const LintRequest& request) {
  stages::LintOptions options;
  const std::vector<std::string_view> ids = stages::LintRuleIds();
  for (const std::string& rule : request.rules) {
    const absl::Status set = options.rules.Set(rule, ids);
    if (!set.ok()) return UsageError(absl::StrCat("--rule: ", set.message()));
  }
  options.rules.SetWarningsAreErrors(request.warnings_are_errors);
  if (request.max_unattributed.empty()) return options;
  const absl::StatusOr<std::uint32_t> ppm = ParsePercentPpm(request.max_unattributed);
  if (!ppm.ok()) return UsageError(absl::StrCat("--max-unattributed: ", ppm.status().message()));
  options.max_unattributed_ppm = *ppm;
  return options;
}

class Linter {
 public:
  Linter(const LintRequest& request, const stages::Vocabulary& vocabulary,
         stages::LintOptions options, std::optional<std::vector<stages::ExecutedStage>> executed)
      : request_(request),
        vocabulary_(vocabulary),
        options_(std::move(options)),
        executed_(std::move(executed)) {}

  absl::StatusOr<std::vector<stages::LintFinding>> LintFile(const std::string& path) const {
    assembler::AssembleOptions options;
    options.vocabulary = &vocabulary_;
    options.unknown_stage = request_.program.stage_errors;
    options.include_folders = request_.program.include_folders;
    for (const auto& [name, value] : request_.program.definitions) {
      options.definitions.push_back({name, value});
    }
    ASSIGN_OR_RETURN(std::string text, ReadFile(path));
    ASSIGN_OR_RETURN(const assembler::Assembly assembly,
                     assembler::Assemble(text, path == "-" ? request_.stdin_name : path, options));
    return LintAssembly(assembly);
  }

 private:
  std::vector<stages::LintFinding> LintAssembly(const assembler::Assembly& assembly) const {
    std::vector<std::string> sources;
    for (const assembler::SourceText& source : assembly.sources) sources.push_back(source.text);
    std::vector<stages::Expansion> expansions;
    for (const assembler::Origin& origin : assembly.origins) {
      expansions.push_back(ExpansionOf(origin));
    }
    stages::LintInput input;
    input.program = &assembly.program;
    input.sources = sources;
    input.expansions = expansions;
    input.word_origins = assembly.word_origins;
    input.range_origins = assembly.range_origins;
    input.vocabulary = &vocabulary_;
    input.executed = executed_;
    return stages::Lint(input, options_);
  }

  const LintRequest& request_;
  const stages::Vocabulary& vocabulary_;
  stages::LintOptions options_;
  std::optional<std::vector<stages::ExecutedStage>> executed_;
};

}  // namespace

absl::StatusOr<std::vector<stages::LintFinding>> LintFiles(const LintRequest& request) {
  if (std::count(request.inputs.begin(), request.inputs.end(), "-") > 1) {
    return UsageError("at most one input may be '-'");
  }
  ASSIGN_OR_RETURN(stages::LintOptions options, OptionsOf(request));
  ASSIGN_OR_RETURN(const stages::Vocabulary vocabulary,
                   LoadVocabulary(request.program.stage_vocabulary));
  ASSIGN_OR_RETURN(std::optional<std::vector<stages::ExecutedStage>> executed,
                   ReadExecuted(request.profile));
  const Linter linter(request, vocabulary, std::move(options), std::move(executed));
  std::vector<stages::LintFinding> all;
  for (const std::string& path : request.inputs) {
    ASSIGN_OR_RETURN(std::vector<stages::LintFinding> findings, linter.LintFile(path));
    all.insert(all.end(), std::make_move_iterator(findings.begin()),
               std::make_move_iterator(findings.end()));
  }
  return all;
}

}  // namespace moescope::session
