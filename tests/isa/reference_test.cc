#include "isa/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "tests/isa/document_fixture.h"
#include "tests/support/project_folders.h"

namespace moescope::isa {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Page() {
  return absl::StrCat(
      "<!-- Generated from isa/ by MOESCOPE_REGENERATE=1 ctest -R isa/reference. Do not edit. "
      "-->\n",
      ReferenceMarkdown(test::Builtin()));
}

// Run once with MOESCOPE_REGENERATE=1 to write the page; that run fails.
TEST(ReferenceTest, TheIsaReferenceIsCurrent) {
  const std::string path = moescope::test::SourceFolder() + "/docs/isa.md";
  const char* regenerate = std::getenv("MOESCOPE_REGENERATE");
  if (regenerate != nullptr && std::string_view(regenerate) == "1") {
    ASSERT_TRUE(WriteFile(path, Page()).ok());
    FAIL() << "regenerated " << path;
  }
  const auto page = ReadFile(path);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(*page, Page()) << "run MOESCOPE_REGENERATE=1 ctest -R isa/reference";
}

TEST(ReferenceTest, EveryInstructionHasASectionWithEveryHeading) {
  const std::string page = ReferenceMarkdown(test::Builtin());
  for (const Instruction& row : InstructionSet::Builtin().instructions()) {
    const std::string heading = absl::StrCat("\n## ", std::string(row.mnemonic), "\n");
    const std::size_t begin = page.find(heading);
    ASSERT_NE(begin, std::string::npos) << row.mnemonic;
    const std::string section = page.substr(begin, page.find("\n## ", begin + 4) - begin);
    for (const char* part :
         {"**Syntax**", "**Encoding**", "**Operands**", "**Effect**", "**Timing**", "**Since**"}) {
      EXPECT_THAT(section, HasSubstr(part)) << row.mnemonic;
    }
    EXPECT_THAT(section, HasSubstr(std::string(row.encoding)));
    EXPECT_THAT(section, HasSubstr(std::string(row.summary)));
    EXPECT_THAT(section, Not(HasSubstr("serial`: .")));
  }
}

TEST(ReferenceTest, Syntax) {
  Document document = test::Builtin();
  const auto syntax = [&document](std::string_view mnemonic) {
    return SyntaxOf(test::Row(document, mnemonic));
  };
  EXPECT_EQ(syntax("V_SUB_VF"), "V_SUB_VF gp, gp, f[, mask[, order]]");
  EXPECT_EQ(syntax("M_MM"), "M_MM 0, gp, gp");
  EXPECT_EQ(syntax("M_MM_WO"), "M_MM_WO gp, gp|0, imm18");
  EXPECT_EQ(syntax("M_BMM_WO"), "M_BMM_WO gp, [0, ]imm18");
  EXPECT_EQ(syntax("H_STORE_V"), "H_STORE_V gp, gp, a[, rstride[, precision[, 0]]]");
  EXPECT_EQ(syntax("C_BREAK"), "C_BREAK[ 0[, 0[, 0]]]");
}

TEST(ReferenceTest, YoungValuesAreSaid) {
  EXPECT_THAT(ReferenceMarkdown(test::Builtin()),
              HasSubstr("**Since** 1.0. Policy 15 since 1.1.\n"));
  EXPECT_THAT(ReferenceMarkdown(test::Version10()), Not(HasSubstr("since 1.1")));
}

}  // namespace
}  // namespace moescope::isa
