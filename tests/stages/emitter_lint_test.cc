#include "tests/stages/emitter_lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "stages/explanations.h"
#include "tests/stages/source_tokens.h"
#include "tests/support/project_folders.h"

// The source lint of emitters (profile.md, 3.2) on its fixtures and, with the same functions, on
// the tree.

namespace moescope::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char* const kScannedFolders[] = {"moe", "asm", "examples"};

// EM005: files whose macros or templates may carry a stage, with the reason.
const std::set<std::string> kMayCarryStages = {};

// EM006: folders whose sources only look like tests.
const std::set<std::string> kNoTests = {
    "tests/stages/emitter_lint/em006_offending",  // a fixture of this test
};

std::string Fixture(const std::string& name) {
  return SourceFolder() + "/tests/stages/emitter_lint/" + name;
}

std::vector<std::string> Short(const std::vector<EmitterFinding>& findings) {
  std::vector<std::string> texts;
  for (const EmitterFinding& f : findings) {
    texts.push_back(std::to_string(f.line) + " " + f.id + " " + f.message);
  }
  return texts;
}

std::vector<std::string> LintFixture(const std::string& name) {
  const auto text = ReadFile(Fixture(name));
  EXPECT_TRUE(text.ok()) << text.status();
  return Short(LintEmitters({{name, text.value_or("")}}));
}

std::string Relative(const std::string& path) {
  return std::filesystem::relative(path, SourceFolder()).generic_string();
}

TEST(EmitterLintTest, OffendingFixturesAreReported) {
  EXPECT_THAT(
      LintFixture("em001_offending.cc"),
      ElementsAre("2 EM001 a default argument", "3 EM001 a default argument",
                  "4 EM001 a default argument", "8 EM001 a default member initialiser",
                  "9 EM001 a default member initialiser", "10 EM001 a default member initialiser"));
  EXPECT_THAT(LintFixture("em002_offending.cc"),
              ElementsAre("4 EM002 'emit_row' fixes a stage for an emitter",
                          "5 EM002 'bound' binds a stage", "6 EM002 'other' binds a stage",
                          "7 EM002 'stored' fixes a stage for an emitter"));
  EXPECT_THAT(LintFixture("em003_offending.cc"),
              ElementsAre("5 EM003 'EmitRow' drops the stage and forwards",
                          "6 EM003 'EmitRow' drops the stage and forwards"));
  EXPECT_THAT(
      LintFixture("em004_offending.cc"),
      ElementsAre("2 EM004 'gahter' is in no vocabulary", "2 EM004 'ksplit_ad' is in no vocabulary",
                  "7 EM004 'expert_bais' is in no vocabulary",
                  "8 EM004 'nothing' is in no vocabulary",
                  "9 EM004 'scater_combine' is in no vocabulary"));
  EXPECT_THAT(LintFixture("em005_offending.cc"),
              ElementsAre("2 EM005 a macro carries a stage", "4 EM005 a macro carries a stage",
                          "5 EM005 a template parameter carries a stage",
                          "7 EM005 a template argument carries a stage"));
}

TEST(EmitterLintTest, CleanFixturesAreNot) {
  for (const char* name :
       {"em001_clean.cc", "em002_clean.cc", "em003_clean.cc", "em004_clean.cc", "em005_clean.cc"}) {
    EXPECT_THAT(LintFixture(name), IsEmpty()) << name;
  }
}

TEST(EmitterLintTest, WhatOneFileDeclaresIsKnownInTheOthers) {
  const SourceFile header{"a.h", "void EmitRow(Builder& b, Stage stage, int row);\n"};
  const SourceFile use{"b.cc", "auto f = [&](int row) { EmitRow(b, kGather, row); };\n"};
  EXPECT_THAT(LintEmitters({use}), IsEmpty());
  EXPECT_EQ(LintEmitters({header, use}).size(), 1u);
}

TEST(EmitterLintTest, ExamplesOfTheExplanationsAreReported) {
  for (const Explanation& explanation : stages::Explanations()) {
    if (!explanation.id.starts_with("EM") || explanation.id == "EM006") continue;
    const std::string context =
        "void EmitRow(Writer& writer, Stage stage, int row);\n"
        "void Use(const Vocabulary& vocabulary);\n";
    const std::vector<EmitterFinding> findings =
        LintEmitters({{"a.cc", context + std::string(explanation.example)}});
    ASSERT_EQ(findings.size(), 1u) << explanation.id;
    EXPECT_EQ(findings[0].id, explanation.id);
  }
}

TEST(EmitterLintTest, TheTreeIsClean) {
  std::vector<SourceFile> sources;
  for (const char* folder : kScannedFolders) {
    for (SourceFile& file : ReadSources(SourceFolder() + "/" + folder, {".h", ".cc"})) {
      sources.push_back(std::move(file));
    }
  }
  EXPECT_GT(sources.size(), 20u);
  std::set<std::string> allowed_and_used;
  for (const EmitterFinding& finding : LintEmitters(sources)) {
    const std::string path = Relative(finding.path);
    if (finding.id == "EM005" && kMayCarryStages.contains(path)) {
      allowed_and_used.insert(path);
      continue;
    }
    ADD_FAILURE() << path << ":" << finding.line << ": " << finding.message << " [" << finding.id
                  << "]";
  }
  EXPECT_EQ(allowed_and_used, kMayCarryStages) << "an entry of the list is not needed any more";
}

std::vector<SourceFile> CiScripts() {
  std::vector<SourceFile> scripts;
  for (const char* path : {".ci/run", "scripts/test"}) {
    if (auto text = ReadFile(SourceFolder() + "/" + path); text.ok()) {
      scripts.push_back({path, *std::move(text)});
    }
  }
  return scripts;
}

TEST(TestTargetLintTest, FixturesAreJudged) {
  const std::vector<SourceFile> ci = {{"run", "ctest -L slow\n# ctest\nctest -LE slow|weekly\n"}};
  const std::vector<EmitterFinding> findings =
      LintTestTargets(ReadSources(Fixture("em006_offending"), {"_test.cc", "CMakeLists.txt"}), ci);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].message, "no CI step runs the label 'weekly'");
  EXPECT_EQ(findings[1].message, "is in no test target");
  EXPECT_TRUE(findings[1].path.ends_with("forgotten_test.cc"));
  EXPECT_THAT(
      LintTestTargets(ReadSources(Fixture("em006_clean"), {"_test.cc", "CMakeLists.txt"}), ci),
      IsEmpty());
}

TEST(TestTargetLintTest, EveryTestOfTheTreeRuns) {
  const std::vector<SourceFile> files =
      ReadSources(SourceFolder() + "/tests", {"_test.cc", "CMakeLists.txt"});
  EXPECT_GT(files.size(), 20u);
  std::set<std::string> excepted_and_found;
  for (const EmitterFinding& finding : LintTestTargets(files, CiScripts())) {
    const std::string path = Relative(finding.path);
    const std::string folder = path.substr(0, path.rfind('/'));
    if (kNoTests.contains(folder)) {
      excepted_and_found.insert(folder);
      continue;
    }
    ADD_FAILURE() << path << ": " << finding.message << " [" << finding.id << "]";
  }
  EXPECT_EQ(excepted_and_found, kNoTests) << "an entry of the list is not needed any more";
}

TEST(SourceTokensTest, CommentsStringsAndDefinesAreToldApart) {
  const SourceTokens tokens = Tokenize(
      "#include <a>\nint a = 1; // x\n/* \"y\" */ auto s = R\"q(a)\" )q\" \"b\\\"c\" 'd';\n"
      "#define M(x) \\\n  x\nf::g");
  std::vector<std::string> texts;
  for (const SourceToken& token : tokens) texts.push_back(token.text);
  EXPECT_THAT(texts, ElementsAre("int", "a", "=", "1", ";", "auto", "s", "=", "a)\" ", "b\\\"c",
                                 "d", ";", "#define M(x) \\\n  x", "f", "::", "g"));
  EXPECT_EQ(tokens[5].line, 3);
  EXPECT_EQ(tokens.back().line, 6);
  EXPECT_EQ(tokens[12].kind, SourceToken::Kind::kDefine);
}

TEST(SourceTokensTest, AnyBytesEnd) {
  for (const char* text :
       {"\"", "'", "R\"", "R\"(", "/*", "#", "#define \\", "(((", "\\", "\"\\"}) {
    const SourceTokens tokens = Tokenize(text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].Is("(")) {
        EXPECT_EQ(BehindMatch(tokens, i), tokens.size());
      }
    }
    LintEmitters({{"a.cc", text}});
  }
}

}  // namespace
}  // namespace moescope::test
