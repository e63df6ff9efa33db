#include "stages/reference.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/string_view.h"
#include "isa/instruction_set.h"
#include "stages/lint.h"
#include "stages/shipped.h"
#include "stages/vocabulary.h"

namespace moescope::stages {

namespace {

std::string Groups(const GroupSet& groups) {
  if (groups == GroupSet::All()) return "anything";
  std::string text;
  for (std::size_t i = 1; i < isa::kGroupCount; ++i) {  // INT is plausible everywhere
    const auto group = static_cast<isa::Group>(i);
    if (!groups.Contains(group)) continue;
    absl::StrAppend(&text, text.empty() ? "" : " ", Absl(isa::GroupName(group)));
  }
  return text;
}

std::string Must(const std::vector<GroupSet>& must) {
  std::string text;
  for (const GroupSet& alternative : must) {
    absl::StrAppend(&text, text.empty() ? "" : " or ", ToString(alternative, "+"));
  }
  return text.empty() ? "-" : text;
}

std::string_view ScopeName(isa::StageScope scope) {
  return scope == isa::StageScope::kLayer ? "layer" : "pair";
}

void AppendBuiltinStages(std::string& out) {
  const Vocabulary vocabulary;
  absl::StrAppend(
      &out,
      "## Built-in stages\n\n"
      "In display order. Scope `layer`: once per layer, without pair. Scope `pair`: may "
      "carry `pair=` and `expert=`;\na pair is one (token, chosen expert) slot, numbered "
      "`token * top_k + rank`. INT is plausible everywhere.\n\n");
  for (std::uint32_t i = 0; i < vocabulary.names().size(); ++i) {
    const isa::StageName& name = vocabulary.names()[i];
    const StageRules& rules = vocabulary.rules(i);
    absl::StrAppend(&out, "### ", i + 1, ". `", name.name, "`\n\n", rules.summary, "\n\n",
                    "* Scope: ", Absl(ScopeName(name.scope)), "\n",
                    "* Elsewhere: ", rules.elsewhere, "\n",
                    "* Plausible groups: ", Groups(rules.plausible), "\n",
                    "* Must hold: ", Must(rules.must), "\n\n");
  }
  absl::StrAppend(&out,
                  "Code that no marker covers is counted in the bucket `unattributed`, which is no "
                  "stage.\n\n");
}

void AppendGroups(std::string& out) {
  absl::StrAppend(&out, "## Instruction groups\n\n| group | instructions |\n|---|---|\n");
  for (std::size_t i = 0; i < isa::kGroupCount; ++i) {
    const auto group = static_cast<isa::Group>(i);
    absl::StrAppend(&out, "| ", Absl(isa::GroupName(group)), " |");
    for (const isa::Instruction& row : isa::InstructionSet::Builtin().instructions()) {
      if (row.group == group) absl::StrAppend(&out, " `", Absl(row.mnemonic), "`");
    }
    absl::StrAppend(&out, " |\n");
  }
  out += '\n';
}

void AppendVocabularies(std::string& out) {
  absl::StrAppend(&out,
                  "## Shipped vocabularies\n\nLoaded with `--stage-vocabulary`. A stage with a "
                  "parent is used only as a region inside it.\n\n");
  for (const ShippedVocabulary& shipped : ShippedVocabularies()) {
    Vocabulary vocabulary;
    CHECK(vocabulary.Extend(shipped.toml, std::string(shipped.name)).ok());
    absl::StrAppend(&out, "### `", Absl(shipped.name),
                    "`\n\n| stage | scope | parent | meaning | plausible | must |\n"
                    "|---|---|---|---|---|---|\n");
    for (std::uint32_t i = 0; i < vocabulary.names().size(); ++i) {
      const isa::StageName& name = vocabulary.names()[i];
      if (name.origin == isa::StageOrigin::kBuiltin) continue;
      const StageRules& rules = vocabulary.rules(i);
      absl::StrAppend(&out, "| `", name.name, "` | ", Absl(ScopeName(name.scope)), " | ",
                      name.parent.empty() ? "-" : name.parent, " | ", rules.summary, " | ",
                      Groups(rules.plausible), " | ", Must(rules.must), " |\n");
    }
    out += '\n';
  }
}

void AppendLintRules(std::string& out) {
  absl::StrAppend(&out,
                  "## Lint rules\n\n`moescope explain ID` describes each with an example.\n\n"
                  "| id | name | default |\n|---|---|---|\n");
  for (const LintRule& rule : LintRules()) {
    absl::StrAppend(&out, "| ", Absl(rule.id), " | ", Absl(rule.name), " | ",
                    Absl(SeverityName(rule.severity)), " |\n");
  }
}

}  // namespace

std::string StageReferenceMarkdown() {
  std::string out =
      "<!-- Generated from stages/ by MOESCOPE_REGENERATE=1 ctest -R stages/reference. Do not "
      "edit. "
      "-->\n# Stages\n\n"
      "A stage says what an instruction is for. A marker line sets it for the instructions that "
      "follow:\n\n"
      "    ; @stage=expert_projection pair=3     until the next marker; expert=<n> may follow\n"
      "    ; @stage_end                          back to no stage\n"
      "    ; @stage_push=ksplit_add              a region inside the stage in force\n"
      "    ; @stage_pop                          the end of the innermost region\n\n";
  AppendBuiltinStages(out);
  AppendGroups(out);
  AppendVocabularies(out);
  AppendLintRules(out);
  return out;
}

}  // namespace moescope::stages
