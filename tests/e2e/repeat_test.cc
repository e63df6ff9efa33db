// `run --repeat N` (profile.md, 5.10): the same run again, the last in a fresh process.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json.h"
#include "tests/support/child_process.h"
#include "tests/support/scratch_folder.h"

namespace moescope {
namespace {

using test::ProcessResult;
using ::testing::HasSubstr;

class RepeatTest : public ::testing::Test {
 protected:
  RepeatTest() {
    folder_.Write("a.asm",
                  "; @stage=gather\nS_ADDI_INT gp1, gp0, 64\nH_PREFETCH_V gp1, gp0, a0\n"
                  "V_ADD_VV gp1, gp1, gp0\nH_STORE_V gp1, gp0, a0\n");
    folder_.Write("fault.asm", "S_ADDI_INT gp1, gp0, 1\nC_LOOP_END gp1\n");
    folder_.Write("run.json", R"({"schema": "moescope.run", "schema_version": 1,
      "program": {"file": "a.asm"}, "expect": {"instructions": 4}})");
  }
  ProcessResult Run(const std::vector<std::string>& words) const {
    test::ProcessOptions options;
    options.folder = folder_.path();
    return test::Moescope(words, options);
  }
  static Json Parsed(const ProcessResult& result) {
    const absl::StatusOr<Json> json = ParseJson(result.out, "out", "MF001");
    EXPECT_TRUE(json.ok()) << result.out << result.err;
    return json.ok() ? *json : Json();
  }
  test::ScratchFolder folder_;
};

TEST_F(RepeatTest, PrintsOneEntryPerRunAndAllAreEqual) {
  for (const char* timing : {"serial", "pipelined", "rtl"}) {
    const ProcessResult result = Run({"run", "run.json", "--repeat=3", "--timing", timing,
                                      "--dump=fpsram,registers", "--profile=p.json"});
    EXPECT_EQ(result.code, 0) << result.err;
    const Json json = Parsed(result);
    EXPECT_EQ(json["schema"], "moescope.repeat");
    EXPECT_EQ(json["schema_version"], 1);
    EXPECT_EQ(json["equal"], true);
    ASSERT_EQ(json["runs"].size(), 3u);
    EXPECT_EQ(json["runs"][0]["process"], "same");
    EXPECT_EQ(json["runs"][1]["process"], "same");
    EXPECT_EQ(json["runs"][2]["process"], "fresh");
    for (const Json& run : json["runs"]) {
      EXPECT_EQ(run["instructions"], 4);
      EXPECT_GT(run["cycles"].get<int>(), 4);
      EXPECT_GT(run["hbm_read_bytes"].get<int>(), 0);
      EXPECT_EQ(run["dumps"].size(), 2u);
      EXPECT_EQ(run["profile_sha256"], json["runs"][0]["profile_sha256"]);
    }
    EXPECT_TRUE(json["differences"].empty());
    // The outputs of the request are those of the first run.
    EXPECT_THAT(folder_.Read("p.json"),
                HasSubstr(json["runs"][0]["profile_sha256"].get<std::string>()));
  }
}

TEST_F(RepeatTest, TwoRunsAreTheLeastAndOneIsAnOrdinaryRun) {
  EXPECT_EQ(Parsed(Run({"run", "run.json", "--repeat", "2"}))["runs"].size(), 2u);
  const ProcessResult one = Run({"run", "run.json", "--repeat=1"});
  EXPECT_EQ(one.code, 0);
  EXPECT_THAT(one.out, HasSubstr("gather"));
  EXPECT_EQ(Run({"run", "run.json", "--repeat=0"}).code, 2);
}

TEST_F(RepeatTest, AFaultIsRepeatedAndKeepsItsCode) {
  const ProcessResult result = Run({"run", "--opcode=fault.asm", "--repeat=2"});
  EXPECT_EQ(result.code, 4);
  EXPECT_EQ(Parsed(result)["runs"][1]["end"], "fault");
  EXPECT_EQ(Parsed(result)["equal"], true);
}

TEST_F(RepeatTest, RefusesWhatCannotBeRepeated) {
  EXPECT_EQ(Run({"run", "run.json", "run.json", "--repeat=2"}).code, 2);
  EXPECT_EQ(Run({"run", "run.json", "--host-stats", "--repeat=2"}).code, 2);
  EXPECT_EQ(Run({"run", "--opcode=-", "--repeat=2"}).code, 2);
}

}  // namespace
}  // namespace moescope
