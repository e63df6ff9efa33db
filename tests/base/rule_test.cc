#include "base/rule.h"

#include <gtest/gtest.h>

namespace moescope {
namespace {

constexpr std::string_view kKnown[] = {"AS101", "AS102"};

TEST(RuleLevelsTest, SettingsOverrideTheStandardSeverity) {
  RuleLevels levels;
  EXPECT_EQ(levels.SeverityOf("AS101", Severity::kWarning), Severity::kWarning);
  ASSERT_TRUE(levels.Set("AS101=error", kKnown).ok());
  EXPECT_EQ(levels.SeverityOf("AS101", Severity::kWarning), Severity::kError);
  ASSERT_TRUE(levels.Set("AS101=note", kKnown).ok());
  EXPECT_EQ(levels.SeverityOf("AS101", Severity::kWarning), Severity::kNote);
  ASSERT_TRUE(levels.Set("AS101=off", kKnown).ok());
  EXPECT_EQ(levels.SeverityOf("AS101", Severity::kWarning), std::nullopt);
  EXPECT_EQ(levels.SeverityOf("AS102", Severity::kNote), Severity::kNote);
}

TEST(RuleLevelsTest, WarningsBecomeErrorsAfterAllSettings) {
  RuleLevels levels;
  levels.SetWarningsAreErrors(true);
  EXPECT_EQ(levels.SeverityOf("AS101", Severity::kWarning), Severity::kError);
  EXPECT_EQ(levels.SeverityOf("AS101", Severity::kNote), Severity::kNote);
  ASSERT_TRUE(levels.Set("AS101=note", kKnown).ok());
  EXPECT_EQ(levels.SeverityOf("AS101", Severity::kWarning), Severity::kNote);
  ASSERT_TRUE(levels.Set("AS102=warning", kKnown).ok());
  EXPECT_EQ(levels.SeverityOf("AS102", Severity::kNote), Severity::kError);
}

TEST(RuleLevelsTest, MalformedSettings) {
  RuleLevels levels;
  const auto message = [&levels](std::string_view setting) {
    return std::string(levels.Set(setting, kKnown).message());
  };
  EXPECT_EQ(message("AS101"), "'AS101' is not ID=error|warning|note|off");
  EXPECT_EQ(message("AS111=off"), "unknown rule 'AS111'; did you mean 'AS101' or 'AS102'?");
  EXPECT_EQ(message("XY=off"), "unknown rule 'XY'");
  EXPECT_EQ(message("AS101=fatal"),
            "unknown level 'fatal' of rule AS101; known: error, warning, note, off");
  EXPECT_EQ(message("AS101="), "unknown level '' of rule AS101; known: error, warning, note, off");
}

}  // namespace
}  // namespace moescope
