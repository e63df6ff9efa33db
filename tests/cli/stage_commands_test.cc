// stages, lint and annotate: every option honoured or refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tests/cli/source_command_fixture.h"

namespace moescope::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Document = nlohmann::json;
using Words = std::vector<std::string>;
using test::SourceCommandsTest;

TEST_F(SourceCommandsTest, DiagnosticsHaveThreeForms) {
  const Document json =
      Document::parse(Error({"asm", bad_, "--diagnostics-format=json"}, ExitCode::kInput));
  EXPECT_EQ(json["schema"], "moescope.diagnostics");
  ASSERT_EQ(json["diagnostics"].size(), 3u);
  EXPECT_EQ(json["diagnostics"][1]["id"], "AS001");
  EXPECT_EQ(json["diagnostics"][1]["line"], 2);
  EXPECT_EQ(json["diagnostics"][2]["notes"].size(), 1u);
  EXPECT_THAT(Error({"asm", bad_, "--diagnostics-format=github"}, ExitCode::kInput),
              HasSubstr(absl::StrCat("::error file=", bad_,
                                     ",line=2,col=1,endColumn=4,title=AS001::unknown mnemonic "
                                     "'FOO'\n")));
  EXPECT_EQ(Error({"asm", bad_, "--diagnostics-format=text"}, ExitCode::kInput),
            Error({"asm", bad_}, ExitCode::kInput));
  // -q leaves out the warning, -qq everything, in every form.
  for (const char* format : {"text", "json", "sarif", "github"}) {
    const std::string form = absl::StrCat("--diagnostics-format=", format);
    EXPECT_THAT(Error({"asm", bad_, form, "-q"}, ExitCode::kInput), Not(HasSubstr("AS101")));
    EXPECT_THAT(Error({"asm", bad_, form, "-q"}, ExitCode::kInput), HasSubstr("AS001"));
    EXPECT_EQ(Error({"asm", bad_, form, "-qq"}, ExitCode::kInput), "");
  }
}

TEST_F(SourceCommandsTest, StagesListAndShow) {
  EXPECT_THAT(Out({"stages", "list"}), HasSubstr("  1  residual_setup"));
  EXPECT_THAT(Out({"stages", "list"}), Not(HasSubstr("ksplit_add")));
  EXPECT_THAT(Out({"stages", "list", "--stage-vocabulary=plena_detail"}), HasSubstr("ksplit_add"));
  const Document list = Document::parse(Out({"stages", "list", "--format=json"}));
  EXPECT_THAT(list.dump(), HasSubstr("shared_combine"));
  EXPECT_THAT(Out({"stages", "show", program_}),
              HasSubstr("accumulator_init                        5\n"));
  EXPECT_EQ(Out({"stages", "show", program_, "--format=csv"}),
            absl::StrCat("begin_pc,end_pc,stage,pair,expert,file,line\r\n0,1,unattributed,,,,\r\n"
                         "1,6,accumulator_init,,,",
                         program_, ",2\r\n6,7,scatter_combine,0,,", program_, ",8\r\n"));
  Out({"asm", program_, "--emit=mem", "--stages-out"});
  EXPECT_EQ(Out({"stages", "show", folder_.Path("p.mem"), "--format=json",
                 "--stages=" + folder_.Path("p.stages.json")}),
            File("p.stages.json"));
  EXPECT_THAT(Error({"stages", "show", bad_}, ExitCode::kInput), HasSubstr("[AS001]"));
  const std::string defined = folder_.Write("d.asm", "S_ADDI_INT gp1, gp0, N\n");
  EXPECT_THAT(Error({"stages", "show", defined}, ExitCode::kInput), HasSubstr("'N'"));
  Out({"stages", "show", defined, "-D", "N=1"});
}

TEST_F(SourceCommandsTest, StagesStripLeavesEveryOtherByte) {
  std::string expected;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(test::kMarkedProgram, '\n'))) {
    if (!line.empty() && line.find("@stage") == std::string::npos) expected += line + "\n";
  }
  EXPECT_EQ(Out({"stages", "strip", program_, "-o", folder_.Path("plain.asm")}), "");
  EXPECT_EQ(File("plain.asm"), expected);
  // Without markers nothing changes.
  Out({"stages", "strip", folder_.Path("plain.asm"), "-o", folder_.Path("again.asm")});
  EXPECT_EQ(File("again.asm"), expected);
  EXPECT_THAT(Error({"stages", "strip", program_, "-o", "/nonexistent/x"}, ExitCode::kInput),
              StartsWith("moescope: cannot create '/nonexistent/x'"));
}

constexpr char kFindings[] =
    "; @stage=gather pair=1\nV_ADD_VV gp1, gp1, gp1\n; @stage=expert_bias pair=1\n"
    "V_TOPK gp1, gp2, gp3, 0\n";

std::set<std::string> IdsOf(const std::string& json) {
  std::set<std::string> ids;
  const Document document = Document::parse(json);
  for (const Document& finding : document["findings"]) ids.insert(finding["id"]);
  return ids;
}

TEST_F(SourceCommandsTest, LintFormatsAndLevels) {
  const std::string file = folder_.Write("l.asm", kFindings);
  const std::set<std::string> all = {"MS104", "MS109", "MS116"};
  EXPECT_EQ(IdsOf(Out({"lint", file, "--format=json"})), all);
  EXPECT_THAT(Out({"lint", file}), HasSubstr("note: 'expert_bias' is marked but holds no VAL "
                                             "instruction [MS116]\n"));
  EXPECT_EQ(Out({"lint", file}), Out({"lint", file, "--format=text"}));
  EXPECT_THAT(Out({"lint", file, "--format=github"}),
              HasSubstr(absl::StrCat("::notice file=", file, ",line=3,col=1,title=MS116::")));
  EXPECT_THAT(Out({"lint", file, "--color=always"}), HasSubstr("\033[1;35mwarning:\033[0m"));
  EXPECT_EQ(Call({"lint", file, "--werror"}).code, ExitCode::kCheckFailed);
  EXPECT_EQ(Call({"lint", file, "--rule=MS116=error"}).code, ExitCode::kCheckFailed);
  EXPECT_EQ(IdsOf(Out({"lint", file, "--format=json", "--rule=MS104=off", "--rule=MS109=off"})),
            std::set<std::string>{"MS116"});
  EXPECT_THAT(Error({"lint", file, "--rule=MS104=loud"}, ExitCode::kUsage),
              StartsWith("moescope: --rule: "));
}

TEST_F(SourceCommandsTest, LintThresholdsAndProfiles) {
  // Half of the instructions belong to no stage.
  const std::string file = folder_.Write(
      "h.asm", "S_ADDI_INT gp1, gp0, 1\n; @stage=gather\nV_ADD_VV gp1, gp1, gp1, 0\n");
  EXPECT_TRUE(IdsOf(Out({"lint", file, "--format=json"})).contains("MS112"));
  EXPECT_FALSE(
      IdsOf(Out({"lint", file, "--format=json", "--max-unattributed=50%"})).contains("MS112"));
  EXPECT_TRUE(
      IdsOf(Out({"lint", file, "--format=json", "--max-unattributed=49.9999%"})).contains("MS112"));
  EXPECT_EQ(Error({"lint", file, "--max-unattributed=many"}, ExitCode::kUsage),
            "moescope: --max-unattributed: 'many' is not a percentage: write it as 5% or 0.25%\n");
  // A stage behind C_BREAK is marked and never executed.
  const std::string dead =
      "; @stage=gather\nC_BREAK\n; @stage=router_topk\nS_ADDI_INT gp1, gp0, 1\n";
  const std::string profile = test::WriteProfile(folder_, "dead.json", {}, dead);
  const std::string source = folder_.Path("dead.json.asm");
  EXPECT_FALSE(IdsOf(Out({"lint", source, "--format=json"})).contains("MS111"));
  EXPECT_TRUE(
      IdsOf(Out({"lint", source, "--format=json", "--profile=" + profile})).contains("MS111"));
  EXPECT_THAT(Error({"lint", source, "--profile=" + source}, ExitCode::kInput),
              StartsWith(absl::StrCat("moescope: ", source, ": ")));
}

TEST_F(SourceCommandsTest, LintReadsWhatAsmReads) {
  EXPECT_THAT(Error({"lint", bad_}, ExitCode::kInput), HasSubstr("[AS001]"));
  const std::string defined = folder_.Write("d.asm", "; @stage=gather\nS_ADDI_INT gp1, gp0, N\n");
  EXPECT_THAT(Error({"lint", defined}, ExitCode::kInput), HasSubstr("'N'"));
  EXPECT_EQ(Call({"lint", defined, "-D", "N=4"}).code, ExitCode::kSuccess);
  const std::string stage = folder_.Write("s.asm", "; @stage=attention_qk\nC_BREAK\n");
  EXPECT_EQ(Call({"lint", stage}).code, ExitCode::kInput);
  EXPECT_EQ(Call({"lint", stage, "--stage-vocabulary=decoder"}).code, ExitCode::kSuccess);
  EXPECT_EQ(Call({"lint", stage, "--stage-errors=warn"}).code, ExitCode::kSuccess);
  EXPECT_EQ(Error({"lint", "-", "-"}, ExitCode::kUsage),
            "moescope: at most one input may be '-'\n");
}

constexpr char kProse[] =
    "; GPT-OSS gather token rows\nS_ADDI_INT gp1, gp0, 5\n; a comment of nobody\n"
    "S_ADDI_INT gp1, gp0, 5\n";

TEST_F(SourceCommandsTest, AnnotateWritesAndReports) {
  const std::string prose = folder_.Write("prose.asm", kProse);
  const std::string marked = absl::StrCat("; @stage=gather\n", kProse);
  EXPECT_EQ(Error({"annotate", prose, "-o", folder_.Path("m.asm")}, ExitCode::kSuccess),
            "1 markers for 2 instructions; 50.00 % of them decided by a rule\n"
            "  gather                           2\n"
            "no rule for 1 comment like this (first in line 3): a comment of nobody\n");
  EXPECT_EQ(File("m.asm"), marked);
  EXPECT_EQ(Error({"annotate", prose, "-o", folder_.Path("m.asm"), "-q"}, ExitCode::kSuccess), "");
  EXPECT_EQ(Document::parse(Out({"annotate", prose, "--check", "--report=json"}))["coverage_ppm"],
            500000);
  EXPECT_EQ(Out({"annotate", prose, "--check", "--report=text"}), "");
  EXPECT_EQ(Error({"annotate", prose, "--check", "--output=x"}, ExitCode::kUsage),
            "moescope: --check writes nothing, so --output has no meaning\n");
}

TEST_F(SourceCommandsTest, AnnotateRefusesMarkedFilesUnlessToldToReplace) {
  const std::string prose = folder_.Write("prose.asm", kProse);
  Out({"annotate", prose, "-q", "-o", folder_.Path("m.asm")});
  EXPECT_THAT(Error({"annotate", folder_.Path("m.asm"), "--check"}, ExitCode::kInput),
              EndsWith("m.asm:1: error: the file has stage markers; use --replace to make them "
                       "anew\n"));
  Out({"annotate", folder_.Path("m.asm"), "--replace", "-q", "-o", folder_.Path("again.asm")});
  EXPECT_EQ(File("again.asm"), File("m.asm"));
}

TEST_F(SourceCommandsTest, AnnotateGatesAndRules) {
  const std::string prose = folder_.Write("prose.asm", kProse);
  EXPECT_EQ(Call({"annotate", prose, "--check", "--min-coverage=50%"}).code, ExitCode::kSuccess);
  EXPECT_EQ(Call({"annotate", prose, "--check", "--min-coverage=50"}).code, ExitCode::kSuccess);
  const test::Outcome low = Call({"annotate", prose, "--check", "-q", "--min-coverage=50.0001%"});
  EXPECT_EQ(low.code, ExitCode::kCheckFailed);
  EXPECT_EQ(low.err, absl::StrCat(prose,
                                  ": 50.0000% of the instructions are decided by a rule, "
                                  "--min-coverage asks for 50.0001%\n"));
  EXPECT_EQ(Error({"annotate", prose, "--check", "--min-coverage=lots"}, ExitCode::kUsage),
            "moescope: --min-coverage: 'lots%' is not a number: unexpected 'l'\n");
  EXPECT_EQ(Error({"annotate", prose, "--check", "--stage-vocabulary=decoder"}, ExitCode::kUsage),
            "moescope: --stage-vocabulary needs --rules\n");
  const std::string rules =
      folder_.Write("r.toml",
                    "schema = \"moescope.annotate\"\nversion = 1\n\n[[rule]]\nid = \"X1\"\n"
                    "match = [\"a comment of {*}\"]\nstage = \"router_topk\"\n");
  Out({"annotate", prose, "--rules=" + rules, "-q", "-o", folder_.Path("x.asm")});
  EXPECT_THAT(File("x.asm"), HasSubstr("; @stage=router_topk\n; a comment of nobody\n"));
  EXPECT_EQ(
      Call({"annotate", prose, "--check", "--rules=" + rules, "--stage-vocabulary=decoder"}).code,
      ExitCode::kSuccess);
}

TEST_F(SourceCommandsTest, AnnotateDetailOpensRegions) {
  const std::string prose = folder_.Write(
      "k.asm",
      "; VRAM Block Add: x\nC_LOOP_START gp1, 2\nV_ADD_VV gp1, gp1, gp1, 0\nC_LOOP_END gp1\n"
      "; GPT-OSS dynamic expert bias add b\nV_ADD_VV gp1, gp1, gp1, 0\n");
  Out({"annotate", prose, "-q", "-o", folder_.Path("plain.asm")});
  Out({"annotate", prose, "-q", "--detail", "-o", folder_.Path("detail.asm")});
  EXPECT_THAT(File("plain.asm"), Not(HasSubstr("ksplit_add")));
  EXPECT_THAT(File("detail.asm"), HasSubstr("; @stage_push=ksplit_add\n"));
}

TEST_F(SourceCommandsTest, FilesThatCannotBeReadAreNamed) {
  const std::string missing = folder_.Path("missing.asm");
  const Words kCalls[] = {{"asm", missing},
                          {"dis", missing},
                          {"stages", "show", missing},
                          {"stages", "strip", missing},
                          {"lint", missing},
                          {"annotate", missing}};
  for (const Words& words : kCalls) {
    EXPECT_EQ(Error(words, ExitCode::kInput),
              absl::StrCat("moescope: cannot open '", missing, "': No such file or directory\n"));
  }
  for (Words words : kCalls) {
    words.back() = folder_.path();
    EXPECT_EQ(Error(words, ExitCode::kInput),
              absl::StrCat("moescope: cannot read '", folder_.path(), "': Is a directory\n"));
  }
}

}  // namespace
}  // namespace moescope::cli
