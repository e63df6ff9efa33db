#include "moe/explanations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "base/file.h"
#include "tests/support/project_folders.h"

namespace moescope::moe {
namespace {

// Every "[RCnnn]" of the sources.
std::set<std::string> IdsInSources() {
  std::set<std::string> ids;
  const std::regex pattern("\\[(RC[0-9]{3})\\]");
  for (const char* folder : {"/moe", "/cli"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(test::SourceFolder() + folder)) {
      if (entry.path().extension() != ".cc") continue;
      const std::string text = *ReadFile(entry.path().string());
      for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
        ids.insert((*it)[1]);
      }
    }
  }
  return ids;
}

TEST(ExplanationsTest, EveryIdIsExplainedAndEveryExplanationIsUsed) {
  std::set<std::string> explained;
  for (const Explanation& entry : Explanations()) explained.insert(std::string(entry.id));
  EXPECT_EQ(explained, IdsInSources());
  EXPECT_EQ(explained.size(), Explanations().size());
}

// Every id ends a message that some test demands word for word.
TEST(ExplanationsTest, EveryIdIsInAnExactMessageOfATest) {
  std::set<std::string> tested;
  const std::regex pattern("(RC[0-9]{3})\\]");
  for (const char* folder : {"/tests/moe", "/tests/cli"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(test::SourceFolder() + folder)) {
      if (entry.path().extension() != ".cc") continue;
      const std::string text = *ReadFile(entry.path().string());
      for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
        tested.insert((*it)[1]);
      }
    }
  }
  for (const Explanation& entry : Explanations()) {
    EXPECT_TRUE(tested.contains(std::string(entry.id))) << entry.id;
  }
}

TEST(ExplanationsTest, TextsAreInOrderAndSentences) {
  const auto table = Explanations();
  EXPECT_TRUE(
      std::is_sorted(table.begin(), table.end(),
                     [](const Explanation& a, const Explanation& b) { return a.id < b.id; }));
  for (const Explanation& entry : table) {
    EXPECT_FALSE(entry.title.empty() || entry.title.ends_with('.')) << entry.id;
    EXPECT_TRUE(entry.cause.ends_with('.')) << entry.id;
    EXPECT_TRUE(entry.fix.ends_with('.')) << entry.id;
    EXPECT_FALSE(entry.example.empty()) << entry.id;
  }
}

}  // namespace
}  // namespace moescope::moe
