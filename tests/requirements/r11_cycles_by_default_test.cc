// R11: cycles, and cycles per instruction, stand in the report that is printed by default.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/report/report.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

TEST(R11_CyclesByDefault, TheDefaultReportShowsCyclesPerInstruction) {
  const absl::StatusOr<std::string> text = Report(test::RichProfile(), ReportOptions());
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, ::testing::HasSubstr("10 instructions, 245 cycles (245 ns at 1.000 GHz), "
                                          "24.500 cycles per instruction\n"));
}

TEST(R11_CyclesByDefault, ARunWithoutInstructionsHasNoRatio) {
  Profile profile = test::SerialProfile();
  profile.totals.counters.instructions = 0;
  const absl::StatusOr<std::string> text = Report(profile, ReportOptions());
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, ::testing::HasSubstr("0 instructions, 196 cycles (196 ns at 1.000 GHz)\n"));
}

}  // namespace
}  // namespace moescope::profiler
