// The part of docs/isa-validation.md about the compiled programs, and what the step from ISA 1.0 to
// 1.1 means for them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "tests/cli/validation_pages.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_folder.h"

namespace moescope::cli {
namespace {

using ::testing::HasSubstr;

TEST(ValidationCorpusTest, TheVerdictsOnCompiledProgramsAreCurrent) {
  const std::optional<std::string> shared = moescope::test::SharedFolder();
  if (!shared) GTEST_SKIP() << moescope::test::kNoSharedFolder;
  const moescope::test::ScratchFolder folder;
  test::WriteCompiledCorpus(*shared, folder.path());
  test::ExpectPart(test::kCompiledPart,
                   std::string(test::kCompiledPart) +
                       "\nThirteen programs of the public compiler, with their images and machine "
                       "files; they are not part of this repository.\n\n" +
                       test::VerdictsOn({folder.path()}));
}

// Not a word changes, nothing of the additions is used, and it takes under a minute.
TEST(ValidationCorpusTest, TheStepFromOneZeroToOneOne) {
  const std::optional<std::string> shared = moescope::test::SharedFolder();
  if (!shared) GTEST_SKIP() << moescope::test::kNoSharedFolder;
  const moescope::test::ScratchFolder folder;
  test::WriteCompiledCorpus(*shared, folder.path());
  const test::Change change = test::Changes().front();
  const std::clock_t start = std::clock();  // of this process: other load does not count
  const test::CommandOutcome outcome =
      test::CallCommand({"isa", "validate", change.before, change.after,
                         "--corpus=" + folder.path(), "--format=json"});
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
  EXPECT_LT(seconds, 60);
  EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.out;
  const Json json = *ParseJson(outcome.out, "v.json", "MF001");
  EXPECT_EQ(json["verdict"], "compatible");
  EXPECT_EQ(json["timing_changed"], false);
  EXPECT_EQ(json["not_judged"], Json({"V_TOPK policy 15", "C_SET_TOPK_REG"}));
  EXPECT_EQ(json["meanings"], Json::array());
  ASSERT_EQ(json["programs"].size(), 13u);
  std::uint64_t words = 0;
  for (const Json& program : json["programs"]) {
    words += program["words"].get<std::uint64_t>();
    EXPECT_EQ(program["same"], program["words"]) << program["name"];
    EXPECT_EQ(program["reassembled"], 0) << program["name"];
    EXPECT_EQ(program["run"], "equal") << program["name"];
    EXPECT_EQ(program["before_cycles"], program["after_cycles"]) << program["name"];
  }
  EXPECT_EQ(words, 449'234u);  // the sum of the static counts of the corpus
}

}  // namespace
}  // namespace moescope::cli
