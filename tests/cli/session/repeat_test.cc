#include "cli/session/repeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace moescope::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunFingerprint Print() {
  RunFingerprint print;
  print.end = "end";
  print.profile_sha256 = "sha256:aa";
  print.instructions = 10;
  print.cycles = 20;
  print.hbm_read_bytes = 64;
  print.hbm_write_bytes = 128;
  print.dumps = {{"vram_dump.bin", "sha256:bb"}};
  return print;
}

TEST(RepeatDifferencesTest, EqualRunsHaveNone) {
  EXPECT_THAT(RepeatDifferences({Print()}), IsEmpty());
  RunFingerprint fresh = Print();
  fresh.fresh_process = true;
  EXPECT_THAT(RepeatDifferences({Print(), Print(), fresh}), IsEmpty());
}

TEST(RepeatDifferencesTest, EveryValueIsCompared) {
  const auto line = [](const auto& change) {
    RunFingerprint other = Print();
    change(other);
    const auto lines = RepeatDifferences({Print(), other});
    return lines.size() == 1 ? lines.front() : "";
  };
  EXPECT_EQ(line([](auto& p) { p.end = "fault"; }), "run 2: end fault, not end");
  EXPECT_EQ(line([](auto& p) { p.instructions = 11; }), "run 2: instructions 11, not 10");
  EXPECT_EQ(line([](auto& p) { p.cycles = 21; }), "run 2: cycles 21, not 20");
  EXPECT_EQ(line([](auto& p) { p.hbm_read_bytes = 0; }), "run 2: hbm_read_bytes 0, not 64");
  EXPECT_EQ(line([](auto& p) { p.hbm_write_bytes = 0; }), "run 2: hbm_write_bytes 0, not 128");
  EXPECT_EQ(line([](auto& p) { p.profile_sha256 = "sha256:ab"; }),
            "run 2: profile_sha256 sha256:ab, not sha256:aa");
  EXPECT_EQ(line([](auto& p) { p.dumps[0].second = "sha256:bc"; }),
            "run 2: vram_dump.bin sha256:bc, not sha256:bb");
  EXPECT_EQ(line([](auto& p) { p.dumps.clear(); }), "run 2: dumps 0, not 1");
}

TEST(RepeatDifferencesTest, NamesTheRunAndTheFreshProcess) {
  RunFingerprint fresh = Print();
  fresh.fresh_process = true;
  fresh.cycles = 19;
  EXPECT_THAT(RepeatDifferences({Print(), Print(), fresh}),
              ElementsAre("run 3 (fresh process): cycles 19, not 20"));
}

TEST(RepeatJsonTest, HoldsRunsAndDifferences) {
  RunFingerprint other = Print();
  other.cycles = 21;
  const Json json = *ParseJson(RepeatJson({Print(), other}), "r", "MF001");
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["runs"][1]["cycles"], 21);
  EXPECT_EQ(json["runs"][0]["dumps"]["vram_dump.bin"], "sha256:bb");
  EXPECT_EQ(json["differences"][0], "run 2: cycles 21, not 20");
}

TEST(FreshCommandTest, DropsRepeatAndSendsOutputsToTheFolder) {
  EXPECT_THAT(FreshCommand({"moescope", "run", "a.json", "--repeat=3", "--timing=rtl"}, "/t"),
              ElementsAre("moescope", "run", "a.json", "--timing=rtl", "--repeat=1",
                          "--no-progress", "-qq", "--profile=/t/profile.json", "--dump-dir=/t"));
  EXPECT_THAT(FreshCommand({"moescope", "run", "--repeat", "3", "a.json"}, "/t"),
              ElementsAre("moescope", "run", "a.json", "--repeat=1", "--no-progress", "-qq",
                          "--profile=/t/profile.json", "--dump-dir=/t"));
}

TEST(FreshCommandTest, OptionsStandBeforeTheEndOfOptions) {
  EXPECT_THAT(FreshCommand({"moescope", "run", "--", "--repeat=3"}, "/t"),
              ElementsAre("moescope", "run", "--repeat=1", "--no-progress", "-qq",
                          "--profile=/t/profile.json", "--dump-dir=/t", "--", "--repeat=3"));
}

TEST(ReadsStandardInputTest, LooksAtProgramAndImages) {
  RunRequest request;
  request.program.file = "a.asm";
  EXPECT_FALSE(ReadsStandardInput(request));
  request.images.vram = ImageRequest{"-", 0};
  EXPECT_TRUE(ReadsStandardInput(request));
  request = {};
  request.program.file = "-";
  EXPECT_TRUE(ReadsStandardInput(request));
}

TEST(OwnCommandLineTest, BeginsWithThisProgram) {
  const std::vector<std::string> words = OwnCommandLine();
  ASSERT_FALSE(words.empty());
  EXPECT_THAT(words.front(), HasSubstr("repeat_test"));
}

}  // namespace
}  // namespace moescope::session
