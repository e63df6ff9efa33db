// annotate, lint, explain, the stage listings and JSON pointers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "asm/assembler.h"
#include "cli/session/annotate.h"
#include "cli/session/exit_code.h"
#include "cli/session/explanations.h"
#include "cli/session/json_pointer_json.h"
#include "cli/session/lint.h"
#include "cli/session/program.h"
#include "cli/session/stage_listing.h"
#include "tests/support/scratch_folder.h"

namespace moescope::session {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kProse[] =
    "; GPT-OSS gather token rows\nS_ADDI_INT gp1, gp0, 5\n"
    "; some unknown comment\nS_ADDI_INT gp2, gp0, 5\n";

TEST(AnnotateFileTest, WritesMarkersAndReports) {
  const test::ScratchFolder folder;
  AnnotateRequest request;
  request.input = folder.Write("old.asm", kProse);
  request.output = folder.Path("new.asm");
  const auto outcome = AnnotateFile(request);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_THAT(folder.Read("new.asm"), HasSubstr("; @stage=gather\n"));
  EXPECT_THAT(outcome->text_report, HasSubstr("some unknown comment"));
  EXPECT_THAT(outcome->json_report, HasSubstr("\"schema\": \"moescope.annotate_report\""));
  EXPECT_EQ(outcome->failure, "");

  request.input = folder.Path("new.asm");
  EXPECT_EQ(ExitCodeOf(AnnotateFile(request).status()), ExitCode::kInput);
  request.options.replace = true;
  request.output = folder.Path("again.asm");
  ASSERT_TRUE(AnnotateFile(request).ok());
  EXPECT_EQ(folder.Read("again.asm"), folder.Read("new.asm"));
}

TEST(AnnotateFileTest, LowCoverageIsAFailureThatIsNoError) {
  const test::ScratchFolder folder;
  AnnotateRequest request;
  request.input = folder.Write("old.asm", kProse);
  request.min_coverage = "50%";
  EXPECT_EQ(AnnotateFile(request)->failure, "");
  request.min_coverage = "50.0001";
  EXPECT_EQ(AnnotateFile(request)->failure,
            request.input +
                ": 50.0000% of the instructions are decided by a rule, --min-coverage "
                "asks for 50.0001%\n");
  request.min_coverage = "most";
  EXPECT_EQ(ExitCodeOf(AnnotateFile(request).status()), ExitCode::kUsage);
}

TEST(AnnotateFileTest, ReadsRuleFiles) {
  const test::ScratchFolder folder;
  AnnotateRequest request;
  request.input = folder.Write("old.asm", kProse);
  request.rules = folder.Path("missing.toml");
  EXPECT_EQ(ExitCodeOf(AnnotateFile(request).status()), ExitCode::kInput);
  request.rules = "";
  request.stage_vocabulary = {"decoder"};
  EXPECT_EQ(AnnotateFile(request).status().message(), "--stage-vocabulary needs --rules");
}

TEST(LintFilesTest, FindsAndSorts) {
  const test::ScratchFolder folder;
  LintRequest request;
  request.inputs = {
      folder.Write("a.asm", "S_ADDI_INT gp1, gp0, 5\n; @stage=gather\nS_ADDI_INT gp1, gp0, 5\n"),
      folder.Write("b.asm", "; @stage=expert_bias\nV_TOPK gp1, gp2, gp3, 0\n")};
  const auto findings = LintFiles(request);
  ASSERT_TRUE(findings.ok()) << findings.status();
  std::set<std::string> ids;
  for (const stages::LintFinding& finding : *findings) ids.insert(finding.diagnostic.id);
  EXPECT_TRUE(ids.contains("MS101"));
  EXPECT_TRUE(ids.contains("MS104"));
  EXPECT_EQ(findings->front().diagnostic.location.file, request.inputs[0]);
  EXPECT_EQ(findings->back().diagnostic.location.file, request.inputs[1]);

  request.rules = {"MS104=off"};
  const auto without = LintFiles(request);
  ASSERT_TRUE(without.ok());
  for (const stages::LintFinding& finding : *without) EXPECT_NE(finding.diagnostic.id, "MS104");
  request.rules = {"MS104"};
  EXPECT_EQ(ExitCodeOf(LintFiles(request).status()), ExitCode::kUsage);
  request.rules = {};
  request.max_unattributed = "5";
  EXPECT_EQ(ExitCodeOf(LintFiles(request).status()), ExitCode::kUsage);
  request.max_unattributed = "";
  request.profile = request.inputs[0];
  EXPECT_EQ(ExitCodeOf(LintFiles(request).status()), ExitCode::kInput);
  request.profile = "";
  request.inputs = {folder.Write("bad.asm", "FOO\n")};
  EXPECT_EQ(ExitCodeOf(LintFiles(request).status()), ExitCode::kInput);
  request.inputs = {"-", "-"};
  EXPECT_EQ(ExitCodeOf(LintFiles(request).status()), ExitCode::kUsage);
}

TEST(LintFilesTest, MacrosAndIncludesAreTold) {
  const test::ScratchFolder folder;
  folder.Write("inc.asm", "S_ADDI_INT gp1, gp0, 1\n");
  LintRequest request;
  request.inputs = {folder.Write("a.asm", "; @stage=gather\n.include \"inc.asm\"\n")};
  const auto findings = LintFiles(request);
  ASSERT_TRUE(findings.ok());
  bool found = false;
  for (const stages::LintFinding& finding : *findings) {
    found = found || finding.diagnostic.id == "MS106";
  }
  EXPECT_TRUE(found) << "MS106 inherited-into-helper";
}

TEST(ExplainTest, EveryIdHasAPageAndIsUnique) {
  std::set<std::string_view> ids;
  for (const Explanation& explanation : AllExplanations()) {
    EXPECT_TRUE(ids.insert(explanation.id).second) << explanation.id;
    EXPECT_FALSE(explanation.cause.empty()) << explanation.id;
    EXPECT_FALSE(explanation.example.empty()) << explanation.id;
    EXPECT_FALSE(explanation.fix.empty()) << explanation.id;
    EXPECT_THAT(*Explain(explanation.id), StartsWith(std::string(explanation.id)));
  }
  for (const char* id : {"AS001", "MS001", "MS104", "CF501", "MF007"}) {
    EXPECT_TRUE(ids.contains(id)) << id;
  }
}

TEST(ExplainTest, AcceptsAnyCaseAndSuggests) {
  EXPECT_EQ(*Explain("mf001"), *Explain("MF001"));
  const auto unknown = Explain("MF00");
  EXPECT_EQ(ExitCodeOf(unknown.status()), ExitCode::kUsage);
  EXPECT_THAT(std::string(unknown.status().message()),
              StartsWith("no finding has the ID 'MF00'; did you mean 'MF001'"));
}

isa::Program Marked() {
  return assembler::Assemble(
             "C_BREAK\n; @stage=expert_projection pair=1 expert=7\nC_BREAK\n"
             "; @stage_push=expert_bias\nC_BREAK\n; @stage_pop\n",
             "a,\"b\".asm")
      ->program;
}

TEST(StageListingTest, TableHasARowPerMarker) {
  EXPECT_EQ(
      StageTableText(Marked()),
      "pc                 words  stage                              pair expert  marker\n"
      "0..1                   1  unattributed                          -      -  \n"
      "1..2                   1  expert_projection                     1      7  a,\"b\".asm:2\n"
      "2..3                   1  expert_projection/expert_bias         1      7  a,\"b\".asm:4\n"
      "3..3                   0  expert_projection                     1      7  a,\"b\".asm:6\n"
      "\n"
      "stage                               words\n"
      "expert_projection                       1\n"
      "expert_bias                             1\n"
      "unattributed                            1\n"
      "total                                   3\n");
}

TEST(StageListingTest, CsvQuotesWhatNeedsIt) {
  EXPECT_THAT(StageTableCsv(Marked()),
              StartsWith("begin_pc,end_pc,stage,pair,expert,file,line\r\n"
                         "0,1,unattributed,,,,\r\n"
                         "1,2,expert_projection,1,7,\"a,\"\"b\"\".asm\",2\r\n"));
}

TEST(StageListingTest, VocabularyInBothForms) {
  const auto vocabulary = LoadVocabulary(std::vector<std::string>{"plena_detail"});
  ASSERT_TRUE(vocabulary.ok());
  const std::string text = VocabularyText(*vocabulary, 100);
  EXPECT_THAT(text, HasSubstr(" 18  shared_combine"));
  EXPECT_THAT(text, HasSubstr("ksplit_add"));
  EXPECT_THAT(text, HasSubstr("Inside expert_projection."));
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    EXPECT_LE(end - begin, 100u);
  }
  const std::string json = VocabularyJson(*vocabulary);
  EXPECT_THAT(json, HasSubstr("\"parent\": \"expert_projection\""));
  EXPECT_THAT(json, HasSubstr("\"origin\": \"extension\""));
}

TEST(JsonPointerTest, NamesPartsAndSaysWhereItEnds) {
  constexpr char kText[] = R"({"a": {"b/c": [1, "x"], "~": null}, "t": 7})";
  const auto at = [&](const char* pointer) {
    const auto part = AtPointer(kText, "f.json", pointer);
    return part.ok() ? *part : std::string(part.status().message());
  };
  EXPECT_EQ(at("/t"), "7\n");
  EXPECT_EQ(at("/a/b~1c/1"), "x\n");
  EXPECT_EQ(at("/a/b~1c"), "[\n  1,\n  \"x\"\n]\n");
  EXPECT_EQ(at("/a/~0"), "null\n");
  EXPECT_THAT(at(""), StartsWith("{\n  \"a\": {"));
  EXPECT_EQ(at("/a/b~1c/2"), "f.json: nothing at '/a/b~1c/2'; it has 2 elements, from 0");
  EXPECT_EQ(at("/a/b~1c/x"), "f.json: nothing at '/a/b~1c/x'; it has 2 elements, from 0");
  EXPECT_EQ(at("/t/u"), "f.json: nothing at '/t/u'; it is a single value");
  EXPECT_EQ(at("/abc"), "f.json: nothing at '/abc'; did you mean 'a'?");
  EXPECT_EQ(at("a"), "'a': a JSON pointer starts with '/'");
}

}  // namespace
}  // namespace moescope::session
