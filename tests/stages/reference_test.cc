#include "stages/reference.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/file.h"
#include "stages/vocabulary.h"
#include "tests/support/project_folders.h"

namespace moescope::stages {
namespace {

// Run once with MOESCOPE_REGENERATE=1 to write the page; that run fails.
TEST(ReferenceTest, TheStageReferenceIsCurrent) {
  const std::string path = test::SourceFolder() + "/docs/stages.md";
  const char* regenerate = std::getenv("MOESCOPE_REGENERATE");
  if (regenerate != nullptr && std::string_view(regenerate) == "1") {
    ASSERT_TRUE(WriteFile(path, StageReferenceMarkdown()).ok());
    FAIL() << "regenerated " << path;
  }
  const auto page = ReadFile(path);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(*page, StageReferenceMarkdown())
      << "run MOESCOPE_REGENERATE=1 ctest -R stages/reference";
}

TEST(ReferenceTest, EveryStageIsOnThePage) {
  const std::string page = StageReferenceMarkdown();
  const Vocabulary vocabulary;
  for (const isa::StageName& name : vocabulary.names()) {
    EXPECT_NE(page.find("`" + name.name + "`"), std::string::npos) << name.name;
  }
  EXPECT_NE(page.find("| `ksplit_add` | pair | expert_projection |"), std::string::npos);
  EXPECT_NE(page.find("| TOP | `V_TOPK` `C_SET_TOPK_REG` |"), std::string::npos);
  EXPECT_NE(page.find("| MS110 | expert-inconsistent | error |"), std::string::npos);
}

}  // namespace
}  // namespace moescope::stages
