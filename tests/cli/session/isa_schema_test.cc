// The schemas of what `isa validate` and `isa coverage` write accept what they write and nothing
// that differs from it in one place.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cli/session/isa_usage.h"
#include "cli/session/isa_validation.h"
#include "isa/document.h"
#include "isa/document_coverage.h"
#include "isa/instruction_set.h"
#include "nlohmann/json.hpp"
#include "tests/support/outside_validator.h"
#include "tests/support/project_folders.h"

namespace moescope::session {
namespace {

using Document = nlohmann::json;
using Pointer = Document::json_pointer;
using test::OutsideValidator;

// A validation in which every member that may be absent is there.
IsaValidation EverythingChanged() {
  IsaValidation v;
  v.verdict = IsaVerdict::kBreaking;
  v.timing_changed = true;
  v.reasons = {"V_EXP_V means something else"};
  v.failures = {"the verdict is breaking"};
  v.not_judged = {"field imm of S_ADDI_INT"};
  v.findings.push_back({.severity = Severity::kWarning, .id = "IS020", .message = "odd"});
  v.diff.changes.push_back({.mnemonic = "V_EXP_V", .text = "opcode 3 became 4"});
  v.meanings.push_back({.mnemonic = "V_EXP_V", .same = 1, .different = 2, .undefined = 3});
  v.witnesses.push_back({7, "V_EXP_V gp0, gp0", ""});
  v.instructions.push_back({"(undefined)", 1, 0, "one: a.asm:1:1", {9, "", "V_EXP_V gp1, gp0"}});
  using Run = ProgramValidation::Run;
  for (const Run run : {Run::kNotRun, Run::kNewOnly, Run::kEqual, Run::kDifferent}) {
    ProgramValidation program{.name = "one", .before_error = "a", .after_error = "b", .run = run};
    program.words = program.same = 5;
    if (run == Run::kDifferent) program.difference = "gp1 0x1 became 0x2";
    program.stages.push_back({"gather", 10, 12});
    program.most_changed = CyclesChange{"V_EXP_V", 3, 5};
    v.programs.push_back(program);
  }
  return v;
}

IsaValidation ABrokenDocument() {
  IsaValidation v;
  v.problems = 1;
  v.findings.push_back({.id = "IS003", .message = "two rows overlap"});
  v.failures = {"the new document has errors"};
  return v;
}

// Members that may be absent, wherever they stand.
const std::set<std::string>& Optional() {
  static const auto& names =
      *new std::set<std::string>{"before_error", "after_error", "most_changed", "corpus"};
  return names;
}

// Every document that differs from `whole` in one place and must be refused.
void AddMutations(const Document& whole, const Pointer& at, OutsideValidator& validator) {
  const Document& here = whole.at(at);
  if (here.is_array()) {
    for (std::size_t i = 0; i < here.size(); ++i) AddMutations(whole, at / i, validator);
    return;
  }
  if (!here.is_object()) {
    Document changed = whole;
    changed[at] = here.is_string() ? Document(3) : Document("3");
    validator.AddBad(changed.dump());
    return;
  }
  const bool is_map = !at.empty() && at.back() == "fields";  // any name is allowed there
  if (!is_map) {
    Document changed = whole;
    changed[at]["more"] = 1;
    validator.AddBad(changed.dump());
  }
  for (const auto& [name, value] : here.items()) {
    if (!is_map && !Optional().contains(name)) {
      Document changed = whole;
      changed[at].erase(name);
      validator.AddBad(changed.dump());
    }
    AddMutations(whole, at / name, validator);
  }
}

TEST(IsaSchemaTest, Validation) {
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  OutsideValidator validator("isa_validation");
  const std::string examples = moescope::test::SourceFolder() + "/examples";
  for (const char* change : {"moved-opcode", "changed-latency", "new-field"}) {
    IsaValidationRequest request;
    request.before = "builtin";
    request.after = examples + "/02_isa_changes/" + change + ".json";
    request.corpus = {examples + "/01_moe_layer"};
    const auto validation = ValidateIsaChange(request);
    ASSERT_TRUE(validation.ok()) << validation.status();
    validator.AddGood(IsaValidationJson(*validation));
  }
  for (const IsaValidation& v : {EverythingChanged(), ABrokenDocument()}) {
    const std::string text = IsaValidationJson(v);
    validator.AddGood(text);
    AddMutations(Document::parse(text), Pointer(), validator);
  }
  EXPECT_TRUE(validator.Agrees("cli/schema/isa-validation-v1.schema.json"));
}

TEST(IsaSchemaTest, Coverage) {
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  OutsideValidator validator("isa_coverage");
  const isa::InstructionSet& set = isa::InstructionSet::Builtin();
  const isa::DocumentCoverage coverage = isa::CoverDocument(isa::DocumentOf(set));
  const auto use = UseOfCorpus({moescope::test::SourceFolder() + "/examples/01_moe_layer"}, set);
  ASSERT_TRUE(use.ok()) << use.status();
  validator.AddGood(CoverageJson(coverage, std::nullopt));
  CorpusUse small = *use;
  small.instructions.resize(3);
  Document whole = Document::parse(CoverageJson(coverage, small));
  validator.AddGood(CoverageJson(coverage, *use));
  validator.AddGood(whole.dump());
  AddMutations(whole, Pointer(), validator);
  whole["opcodes"].erase(63);
  validator.AddBad(whole.dump());
  EXPECT_TRUE(validator.Agrees("cli/schema/isa-coverage-v1.schema.json"));
}

}  // namespace
}  // namespace moescope::session
