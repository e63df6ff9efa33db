// What other programs read, checked by a validator that is not ours: traces and speedscope files of
// whole runs of the built command, and every JSON document that it prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/support/child_process.h"
#include "tests/support/outside_validator.h"
#include "tests/support/scratch_folder.h"

namespace moescope {
namespace {

using test::Moescope;
using test::OutsideValidator;
using Document = nlohmann::json;
using Words = std::vector<std::string>;

class OutsideFormatsTest : public ::testing::Test {
 protected:
  OutsideFormatsTest() {
    const test::ProcessResult made =
        Moescope({"moe", "gen", "--tokens=2", "--hidden=64", "--inter=64", "--experts=8",
                  "--top-k=2", "--seed=3", "-q", "-o", folder_.Path("layer")});
    EXPECT_EQ(made.code, 0) << made.err;
  }

  void Run(Words options) const {
    options.insert(options.begin(), {"run", folder_.Path("layer/run.json"), "-q"});
    const test::ProcessResult result = Moescope(options);
    EXPECT_EQ(result.code, 0) << result.err;
  }

  test::ScratchFolder folder_;
};

// The events of a lane begin when the one before has ended, and end before the run does.
void ExpectOrderedLanes(const Document& trace) {
  const std::uint64_t cycles = trace["otherData"]["cycles"];
  std::map<int, std::uint64_t> ends;
  for (const Document& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    std::uint64_t& end = ends[event["tid"].get<int>()];
    const std::uint64_t begin = event["ts"];
    EXPECT_GE(begin, end);
    end = begin + event["dur"].get<std::uint64_t>();
    EXPECT_LE(end, cycles);
  }
  EXPECT_FALSE(ends.empty());
}

TEST_F(OutsideFormatsTest, TracesOfEveryTimingModel) {
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  OutsideValidator validator("e2e_trace");
  for (const char* model : {"serial", "pipelined", "rtl"}) {
    const Words kForms[] = {{},
                            {"--trace-window=100..5000"},
                            {"--trace-window=stage=expert_projection"},
                            {"--trace-max-events=200"},
                            {"--trace-max-bytes=20K"}};
    for (const Words& form : kForms) {
      if (!form.empty() && std::string_view(model) != "pipelined") continue;
      Words options = form;
      options.insert(options.end(), {absl::StrCat("--timing=", model),
                                     "--trace=" + folder_.Path("t.json"), "--profile=/dev/null"});
      // The expectations of the manifest hold for its own timing model.
      options.insert(options.begin(), {"run", folder_.Path("layer/run.json"), "-q"});
      EXPECT_LE(Moescope(options).code, 1);
      const std::string text = folder_.Read("t.json");
      validator.AddGood(text);
      ExpectOrderedLanes(Document::parse(text));
      if (form == Words{"--trace-max-bytes=20K"}) {
        EXPECT_LE(text.size(), 20480u) << model;
      }
    }
  }
  std::string bad = folder_.Read("t.json");
  bad.replace(bad.find("\"ph\":\"X\""), 8, "\"ph\":\"Q\"");
  validator.AddBad(bad);
  EXPECT_TRUE(validator.Agrees("tests/data/chrome_trace.schema.json"));
}

TEST_F(OutsideFormatsTest, SpeedscopeOfEveryWeight) {
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  Run({"--profile=" + folder_.Path("p.json"), "--pc-table=" + folder_.Path("pc.csv")});
  OutsideValidator validator("e2e_speedscope");
  std::string text;
  for (const char* weight : {"cycles", "instructions", "bytes"}) {
    for (const bool with_table : {false, true}) {
      Words words = {"report", folder_.Path("p.json"), "--format=speedscope",
                     absl::StrCat("--weight=", weight)};
      if (with_table) words.push_back("--pc-table=" + folder_.Path("pc.csv"));
      const test::ProcessResult result = Moescope(words);
      EXPECT_EQ(result.code, 0) << result.err;
      text = result.out;
      validator.AddGood(text);
      // What no schema says: samples name frames that are there, and weights make up the end.
      const Document document = Document::parse(text);
      const Document& profile = document["profiles"][0];
      ASSERT_EQ(profile["samples"].size(), profile["weights"].size());
      std::uint64_t sum = 0;
      for (const Document& value : profile["weights"]) sum += value.get<std::uint64_t>();
      EXPECT_EQ(sum, profile["endValue"].get<std::uint64_t>());
      for (const Document& sample : profile["samples"]) {
        for (const Document& frame : sample) {
          EXPECT_LT(frame.get<std::size_t>(), document["shared"]["frames"].size());
        }
      }
    }
  }
  text.replace(text.find("\"sampled\""), 9, "\"evented\"");
  validator.AddBad(text);
  EXPECT_TRUE(validator.Agrees("tests/data/speedscope.schema.json"));
}

TEST_F(OutsideFormatsTest, DiagnosticsOfEveryKindOfInput) {
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  const std::string assembly = folder_.Write("bad.asm", "S_ADDI_INT gp0, gp0, 1\nFOO\n");
  const std::string machine = folder_.Write("bad.toml", "[MOESCOPE.hbm]\nchanels = 8\n");
  const std::string manifest = folder_.Write("bad.json", "{\"progam\": {}}");
  const std::string fault = folder_.Write("fault.asm", "C_LOOP_START gp1, 2\nC_LOOP_END gp2\n");
  const std::string config = folder_.Write("config.toml", "[run]\nnope = 1\n");
  const Words kCalls[] = {
      {"asm", assembly},
      {"asm", folder_.Path("missing.asm")},
      {"lint", assembly},
      {"stages", "show", assembly},
      {"machine", "show", machine},
      {"run", manifest},
      {"run", "--opcode=" + fault},
      {"run", "--opcode=" + fault, "--max-instructions=1"},
      {"run", "--opcode=" + fault, "--config=" + config},
      {"run", "--opcode=" + fault, "--machine=" + machine},
      {"dis", manifest},
      {"diff", "dump", folder_.path(), folder_.path()},
      {"report", manifest},
      {"profile", "verify", manifest},
  };
  const std::pair<const char*, const char*> kFormats[] = {
      {"json", "cli/schema/diagnostics-v1.schema.json"}, {"sarif", "tests/data/sarif.schema.json"}};
  for (const auto& [format, schema] : kFormats) {
    OutsideValidator validator(std::string("e2e_diagnostics_") + format);
    for (Words words : kCalls) {
      words.insert(words.end(), {std::string("--diagnostics-format=") + format, "-q"});
      const test::ProcessResult result = Moescope(words);
      EXPECT_GE(result.code, 3);
      const std::string& text = result.err;
      ASSERT_TRUE(Document::accept(text)) << ::testing::PrintToString(words) << text;
      validator.AddGood(text);
    }
    EXPECT_TRUE(validator.Agrees(schema));
  }
}

// A lint log names its whole rule table, and every finding one of its rows.
TEST_F(OutsideFormatsTest, LintAsSarif) {
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  const std::string layer = folder_.Write(
      "a layer.asm", "V_EXP_V gp1, gp0\n; @stage=gather\n; @stage=gather\nM_MM 0, gp1, gp2\n");
  const test::ProcessResult result = Moescope({"lint", layer, "--format=sarif"});
  ASSERT_TRUE(Document::accept(result.out)) << result.out << result.err;
  const Document log = Document::parse(result.out);
  const Document& run = log["runs"][0];
  const Document& rules = run["tool"]["driver"]["rules"];
  EXPECT_EQ(rules.size(), 17u);
  ASSERT_FALSE(run["results"].empty());
  for (const Document& finding : run["results"]) {
    EXPECT_EQ(rules.at(finding["ruleIndex"].get<std::size_t>())["id"], finding["ruleId"]);
  }
  EXPECT_THAT(result.out, ::testing::HasSubstr("a%20layer.asm"));
  OutsideValidator validator("e2e_sarif");
  validator.AddGood(result.out);
  Document bad = log;
  bad["runs"][0]["results"][0]["level"] = "fatal";
  validator.AddBad(bad.dump());
  EXPECT_TRUE(validator.Agrees("tests/data/sarif.schema.json"));
}

// The manifest that moe gen writes is one of the published format.
TEST_F(OutsideFormatsTest, GeneratedManifestsFollowTheSchema) {
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  OutsideValidator validator("e2e_manifest");
  validator.AddGood(folder_.Read("layer/run.json"));
  EXPECT_TRUE(validator.Agrees("cli/schema/run-v1.schema.json"));
}

}  // namespace
}  // namespace moescope
