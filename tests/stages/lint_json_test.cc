#include "stages/lint_json.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/diagnostic_json.h"
#include "base/file.h"
#include "base/json.h"
#include "stages/annotate_json.h"
#include "tests/stages/linted.h"
#include "tests/stages/marked_program.h"

namespace moescope::stages {
namespace {

const std::string kText =
    "; @stage=gather pair=0\nH_PREFETCH_V gp1, gp2, a0, 1, 0\nM_MM 0, gp1, gp2\n"
    "; @stage=gather pair=0\nV_ADD_VV gp1, gp2, gp3\n";

TEST(LintJsonTest, DocumentHasTheFieldsInOrder) {
  EXPECT_EQ(LintJson(test::LintText(kText).findings), R"json({
  "schema": "moescope.lint",
  "schema_version": 1,
  "findings": [
    {
      "id": "MS104",
      "severity": "warning",
      "message": "1 instruction of group MAT (first M_MM) in 'gather', where none is plausible",
      "file": "a.asm",
      "line": 3,
      "column": 1,
      "pc": 1,
      "stage": "gather",
      "related": [
        {
          "message": "the marker in force (gather)",
          "file": "a.asm",
          "line": 1,
          "column": 1
        }
      ]
    },
    {
      "id": "MS103",
      "severity": "note",
      "message": "marker 'gather' repeats the one before it",
      "file": "a.asm",
      "line": 4,
      "column": 1,
      "pc": 2,
      "stage": "gather",
      "related": [
        {
          "message": "the marker before it",
          "file": "a.asm",
          "line": 1,
          "column": 1
        }
      ]
    }
  ],
  "counts": {
    "error": 0,
    "warning": 1,
    "note": 1
  }
}
)json");
}

TEST(LintJsonTest, TextAndGithubFormsComeFromTheSameFindings) {
  const test::Linted linted = test::LintText(kText);
  EXPECT_EQ(
      linted.Text(),
      "a.asm:3:1: warning: 1 instruction of group MAT (first M_MM) in 'gather', where none is "
      "plausible [MS104]\n"
      "    3 | M_MM 0, gp1, gp2\n"
      "      | ^\n"
      "a.asm:1:1: note: the marker in force (gather)\n"
      "a.asm:4:1: note: marker 'gather' repeats the one before it [MS103]\n"
      "    4 | ; @stage=gather pair=0\n"
      "      | ^\n"
      "a.asm:1:1: note: the marker before it\n");
  const std::string github = DiagnosticsGithub(ToDiagnostics(linted.findings));
  EXPECT_TRUE(github.starts_with(
      "::warning file=a.asm,line=3,col=1,title=MS104::1 instruction of group MAT (first M_MM) in "
      "'gather', where none is plausible"))
      << github;
  EXPECT_NE(github.find("\n::notice file=a.asm,line=4,col=1,title=MS103::"), std::string::npos);
}

// An outside validator accepts what we write and refuses damaged documents.
class LintSchemaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 -c 'import jsonschema' > /dev/null 2>&1") != 0) {
      GTEST_SKIP() << "python3-jsonschema is not installed";
    }
    folder_ = std::filesystem::path(::testing::TempDir()) / "lint_schema";
    std::filesystem::create_directories(folder_);
    ASSERT_TRUE(WriteFile((folder_ / "schema.json").string(), LintJsonSchema()).ok());
  }

  bool Accepts(const Json& document) {
    EXPECT_TRUE(WriteFile((folder_ / "document.json").string(), JsonText(document)).ok());
    const std::string command =
        "cd '" + folder_.string() +
        "' && python3 -c 'import json, jsonschema\n"
        "schema = json.load(open(\"schema.json\"))\n"
        "jsonschema.Draft202012Validator.check_schema(schema)\n"
        "jsonschema.Draft202012Validator(schema).validate(json.load(open(\"document.json\")))\n'"
        " > /dev/null 2>&1";
    return std::system(command.c_str()) == 0;
  }

  std::filesystem::path folder_;
};

TEST_F(LintSchemaTest, AcceptsOursAndRefusesDamage) {
  const Json good = Json::parse(LintJson(test::LintText(kText).findings));
  EXPECT_TRUE(Accepts(good));
  EXPECT_TRUE(Accepts(Json::parse(LintJson({}))));
  const auto damaged = [&good](const char* pointer, const Json& value) {
    Json document = good;
    document[Json::json_pointer(pointer)] = value;
    return document;
  };
  EXPECT_FALSE(Accepts(damaged("/schema_version", 2)));
  EXPECT_FALSE(Accepts(damaged("/extra", 1)));
  EXPECT_FALSE(Accepts(damaged("/findings/0/severity", "fatal")));
  EXPECT_FALSE(Accepts(damaged("/findings/0/line", 0)));
  EXPECT_FALSE(Accepts(damaged("/findings/0/id", "XX1")));
  EXPECT_FALSE(Accepts(damaged("/findings/0/other", true)));
  EXPECT_FALSE(Accepts(damaged("/counts/note", -1)));
  Json without = good;
  without["findings"][0].erase("line");
  EXPECT_FALSE(Accepts(without));
}

TEST(AnnotateJsonTest, ReportHasEverything) {
  const auto annotated = Annotate(
      "; Router dot token 1\nC_BREAK\n; note 3\n; GPT-OSS true-zero VRAM rows [0] in q\nC_BREAK\n",
      "a.asm", AnnotateRules::Shipped());
  ASSERT_TRUE(annotated.ok());
  const Json report = Json::parse(AnnotateReportJson(annotated->report));
  EXPECT_EQ(report["schema"], "moescope.annotate_report");
  EXPECT_EQ(report["words"], 2);
  EXPECT_EQ(report["decided_words"], 1);
  EXPECT_EQ(report["coverage_ppm"], 500'000);
  EXPECT_EQ(report["markers"], 2);
  EXPECT_EQ(report["rules"].size(), AnnotateRules::Shipped().ids().size());
  EXPECT_EQ(report["rules"][1], Json::parse(R"({"id": "R1", "comments": 1, "words": 1})"));
  EXPECT_EQ(report["stages"][1], Json::parse(R"({"name": "unattributed", "words": 1})"));
  EXPECT_EQ(report["undecided"][0]["line"], 4);
  EXPECT_EQ(report["unmatched"][0],
            Json::parse(R"({"shape": "note {n}", "count": 1, "first_line": 3})"));
  EXPECT_EQ(AnnotateReportText(annotated->report),
            "2 markers for 2 instructions; 50.00 % of them decided by a rule\n"
            "  router_topk                      1\n"
            "  unattributed                     1\n"
            "line 4: rule Z1 has no case for this comment: GPT-OSS true-zero VRAM rows [0] in q\n"
            "no rule for 1 comment like this (first in line 3): note {n}\n");
}

}  // namespace
}  // namespace moescope::stages
