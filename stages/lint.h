#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/rule.h"
#include "isa/program.h"
#include "stages/vocabulary.h"

namespace moescope::stages {

// A rule of profile.md 3.1.
struct LintRule {
  std::string_view id;
  std::string_view name;  // "code-before-marker"
  Severity severity;      // unless --rule says otherwise
};

// All rules, by id.
std::span<const LintRule> LintRules();
std::vector<std::string_view> LintRuleIds();

// How code came to be assembled, as the assembler tells it: the first is the input itself, every
// other stands in a line of its parent, whose index is smaller.
struct Expansion {
  enum class Kind : std::uint8_t { kInput, kInclude, kMacro, kRepetition };
  Kind kind = Kind::kInput;
  std::uint32_t parent = 0;
  isa::SourcePosition at;  // the .include, the use of the macro, the .rept
};

// What a profile says about one stage with one pair (or without).
struct ExecutedStage {
  std::string stage;
  std::optional<std::uint32_t> pair;
  std::uint64_t instructions = 0;
};

// An assembled program with its sources. The views must outlive the call.
struct LintInput {
  const isa::Program* program = nullptr;               // with positions
  std::span<const std::string> sources;                // texts, by index into Program::files
  std::span<const Expansion> expansions;               // at least the input
  std::span<const std::uint32_t> word_origins;         // one per word: index into `expansions`
  std::span<const std::uint32_t> range_origins;        // one per stage range
  const Vocabulary* vocabulary = nullptr;              // the one in force
  std::optional<std::vector<ExecutedStage>> executed;  // --profile, for MS111
};

struct LintOptions {
  RuleLevels rules;
  std::uint32_t max_unattributed_ppm = 50'000;  // --max-unattributed, for MS112
};

struct LintFinding {
  Diagnostic diagnostic;  // its notes are the related places
  std::optional<std::uint32_t> pc;
  std::string stage;  // in force there; empty for findings about the whole program
};

// The findings sorted by (file, line, id). Suppressed ones are left out.
std::vector<LintFinding> Lint(const LintInput& input, const LintOptions& options = {});

struct LintCounts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t notes = 0;
};
LintCounts CountFindings(std::span<const LintFinding> findings);
std::vector<Diagnostic> ToDiagnostics(std::span<const LintFinding> findings);

}  // namespace moescope::stages
