// docs/isa-validation.md says what `isa validate` says about the shipped example changes on the
// programs of this repository and on generated layers; and what the first of them means for these.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cli/validation_pages.h"
#include "tests/support/scratch_folder.h"

namespace moescope::cli {
namespace {

using ::testing::HasSubstr;

class ValidationPageTest : public ::testing::Test {
 protected:
  ValidationPageTest() { test::GenerateLayers(folder_.path()); }
  moescope::test::ScratchFolder folder_;
};

TEST_F(ValidationPageTest, TheVerdictsOnOurOwnProgramsAreCurrent) {
  test::ExpectPart(
      test::kOwnPart,
      std::string(test::kOwnPart) +
          "\n`--corpus=tests/programs` and four layers of `moescope moe gen` (2 tokens, hidden and "
          "intermediate size 64; 16, 60, 64 and 256 experts with top-1, 4, 6 and 8).\n\n" +
          test::VerdictsOn({moescope::test::SourceFolder() + "/tests/programs", folder_.path()}));
}

// Each layer assembles under 1.1 alone; the message names the instruction and its version.
TEST_F(ValidationPageTest, GeneratedLayersDoNotAssembleUnderTheOldSet) {
  const std::string old_set =
      moescope::test::SourceFolder() + "/examples/02_isa_changes/isa-1.0.json";
  for (const test::GeneratedShape& shape : test::kShapes) {
    std::string source;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.Path(shape.name))) {
      if (entry.path().extension() == ".asm") source = entry.path().string();
    }
    ASSERT_NE(source, "") << shape.name;
    EXPECT_EQ(test::CallCommand({"asm", source, "--check"}).code, ExitCode::kSuccess);
    const test::CommandOutcome refused =
        test::CallCommand({"asm", source, "--check", "--isa=" + old_set});
    EXPECT_EQ(refused.code, ExitCode::kInput);
    EXPECT_THAT(refused.err, HasSubstr("C_SET_TOPK_REG exists since 1.1 [AS001]"));
    EXPECT_THAT(refused.err, HasSubstr("V_TOPK policy 15 exists since 1.1 [AS010]"));
  }
}

// One layer alone exercises both additions.
TEST_F(ValidationPageTest, OneLayerJudgesTheAdditions) {
  const test::Change change = test::Changes().front();
  for (const test::GeneratedShape& shape : test::kShapes) {
    const test::CommandOutcome outcome =
        test::CallCommand({"isa", "validate", change.before, change.after,
                           "--corpus=" + folder_.Path(shape.name), "--require-coverage"});
    EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.out;
    EXPECT_THAT(outcome.out, HasSubstr("\nnot judged: nothing\nverdict: compatible\n"));
    EXPECT_THAT(outcome.out, HasSubstr("source new, run new only"));
  }
}

// ---- The command --------------------------------------------------------------------------------

TEST_F(ValidationPageTest, ExitCodesAndOutputs) {
  const std::string programs = moescope::test::SourceFolder() + "/tests/programs";
  const std::string corpus = "--corpus=" + programs;
  const std::string moved = test::Changes()[2].after;
  const std::string faster = test::Changes()[1].after;  // V_EXP_V takes as long as V_RECI_V
  const std::string layer = "--corpus=" + folder_.Path("layer-16-1");
  struct Case {
    std::vector<std::string> words;
    ExitCode code;
  };
  const Case cases[] = {
      {{"builtin", "builtin", corpus}, ExitCode::kSuccess},
      {{"builtin", "builtin", programs}, ExitCode::kSuccess},
      {{"builtin", faster, layer}, ExitCode::kSuccess},
      {{"builtin", faster, layer, "--max-slowdown=0%"}, ExitCode::kSuccess},
      {{faster, "builtin", layer, "--max-slowdown=0%"}, ExitCode::kCheckFailed},
      {{faster, "builtin", layer, "--max-slowdown=1%"}, ExitCode::kSuccess},
      {{"builtin", faster, corpus, "--require-coverage"}, ExitCode::kCheckFailed},
      {{"builtin", moved, corpus}, ExitCode::kCheckFailed},
      {{"builtin", moved, corpus, "--accept=re-assemble"}, ExitCode::kSuccess},
      {{"builtin", test::Changes()[3].after, corpus, "--accept=re-assemble"},
       ExitCode::kCheckFailed},
      {{"builtin", "builtin"}, ExitCode::kUsage},
      {{"builtin"}, ExitCode::kUsage},
      {{"builtin", "builtin", corpus, "--max-slowdown=fast"}, ExitCode::kUsage},
      {{"builtin", "builtin", corpus, "--accept=breaking"}, ExitCode::kUsage},
      {{"builtin", "none.json", corpus}, ExitCode::kInput},
      {{"builtin", "builtin", "--corpus=/no/such/folder"}, ExitCode::kInput},
      {{"builtin", "builtin", corpus, "-o", "/no/such/folder/verdict.txt"}, ExitCode::kInput},
  };
  for (const Case& c : cases) {
    std::vector<std::string> words = {"isa", "validate"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    const test::CommandOutcome outcome = test::CallCommand(words);
    EXPECT_EQ(outcome.code, c.code)
        << testing::PrintToString(c.words) << outcome.out << outcome.err;
  }
  const std::string file = folder_.Path("verdict.md");
  const test::CommandOutcome written = test::CallCommand(
      {"isa", "validate", "builtin", faster, layer, "--format=markdown", "-o", file});
  EXPECT_EQ(written.out, "");
  EXPECT_THAT(folder_.Read("verdict.md"), HasSubstr("## Verdict: compatible, timing changed\n"));
  const test::CommandOutcome json =
      test::CallCommand({"isa", "validate", "builtin", moved, corpus, "--format=json"});
  EXPECT_EQ((*ParseJson(json.out, "v.json", "MF001"))["verdict"], "re-assemble");
}

}  // namespace
}  // namespace moescope::cli
