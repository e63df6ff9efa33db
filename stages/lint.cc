#include "stages/lint.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "stages/lint_program.h"
#include "stages/lint_rules.h"
#include "stages/lint_suppression.h"

namespace moescope::stages {

namespace {

constexpr std::array<LintRule, 17> kRules = {{
    {"MS101", "code-before-marker", Severity::kWarning},
    {"MS102", "empty-marker", Severity::kWarning},
    {"MS103", "duplicate-marker", Severity::kNote},
    {"MS104", "implausible-instruction", Severity::kWarning},
    {"MS105", "implausible-idiom", Severity::kWarning},
    {"MS106", "inherited-into-helper", Severity::kWarning},
    {"MS107", "leaks-from-helper", Severity::kWarning},
    {"MS108", "mid-loop-marker", Severity::kWarning},
    {"MS109", "pair-inconsistent", Severity::kWarning},
    {"MS110", "expert-inconsistent", Severity::kError},
    {"MS111", "never-executed", Severity::kNote},
    {"MS112", "mostly-unattributed", Severity::kWarning},
    {"MS113", "order", Severity::kNote},
    {"MS114", "mixed-range", Severity::kWarning},
    {"MS115", "prose-only", Severity::kNote},
    {"MS116", "missing-must", Severity::kNote},
    {"MS199", "unused-suppression", Severity::kWarning},
}};

const LintRule& RuleOf(std::string_view id) {
  const auto* const rule =
      std::find_if(kRules.begin(), kRules.end(), [id](const LintRule& r) { return r.id == id; });
  CHECK(rule != kRules.end());
  return *rule;
}

auto SortKey(const LintFinding& finding) {
  const Diagnostic& d = finding.diagnostic;
  return std::tie(d.location.file, d.location.line, d.id, d.location.column, finding.pc, d.message);
}

void CheckInput(const LintInput& input) {
  CHECK(input.program != nullptr && input.vocabulary != nullptr);
  CHECK(!input.expansions.empty());
  CHECK(input.word_origins.size() == input.program->words.size());
  CHECK(input.range_origins.size() == input.program->ranges.size());
  CHECK(input.program->positions.size() == input.program->words.size());
}

}  // namespace

std::span<const LintRule> LintRules() { return kRules; }

std::vector<std::string_view> LintRuleIds() {
  std::vector<std::string_view> ids;
  for (const LintRule& rule : kRules) ids.push_back(rule.id);
  return ids;
}

std::vector<LintFinding> Lint(const LintInput& input, const LintOptions& options) {
  CheckInput(input);
  if (input.program->words.empty()) return {};
  LintProgram program(input);
  LintSuppressions suppressions(program);
  LintMarkerPlaces(program);
  LintAttributes(program);
  LintInstructions(program);
  LintExpansions(program);
  LintCoverage(program, options);
  std::erase_if(program.findings(),
                [&](const RawFinding& finding) { return suppressions.Covers(finding); });
  suppressions.ReportUnused();

  std::vector<LintFinding> findings;
  for (RawFinding& raw : program.findings()) {
    const std::optional<Severity> severity =
        options.rules.SeverityOf(raw.id, RuleOf(raw.id).severity);
    if (!severity) continue;
    raw.finding.diagnostic.severity = *severity;
    raw.finding.diagnostic.source_line = program.SourceLineOf(raw.finding.diagnostic.location);
    findings.push_back(std::move(raw.finding));
  }
  std::stable_sort(
      findings.begin(), findings.end(),
      [](const LintFinding& a, const LintFinding& b) { return SortKey(a) < SortKey(b); });
  return findings;
}

LintCounts CountFindings(std::span<const LintFinding> findings) {
  LintCounts counts;
  for (const LintFinding& finding : findings) {
    switch (finding.diagnostic.severity) {
      case Severity::kError:
        ++counts.errors;
        break;
      case Severity::kWarning:
        ++counts.warnings;
        break;
      case Severity::kNote:
        ++counts.notes;
        break;
    }
  }
  return counts;
}

std::vector<Diagnostic> ToDiagnostics(std::span<const LintFinding> findings) {
  std::vector<Diagnostic> diagnostics;
  for (const LintFinding& finding : findings) diagnostics.push_back(finding.diagnostic);
  return diagnostics;
}

}  // namespace moescope::stages
