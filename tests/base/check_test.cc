#include "base/check.h"

#include <gtest/gtest.h>

namespace moescope {
namespace {

TEST(CheckTest, TrueConditionsPass) {
  int evaluations = 0;
  CHECK(++evaluations == 1);
  CHECK_BECAUSE(evaluations == 1, "evaluated once");
}

TEST(CheckDeathTest, AFailureNamesTheConditionAndExitsWith70) {
  EXPECT_EXIT(CHECK(1 + 1 == 3), ::testing::ExitedWithCode(70),
              "internal error at .*check_test.cc:[0-9]+: 1 \\+ 1 == 3\n");
  EXPECT_EXIT(CHECK_BECAUSE(false, "the reason"), ::testing::ExitedWithCode(70),
              "false: the reason\n");
}

TEST(CheckDeathTest, AFailurePrintsItsContext) {
  EXPECT_EXIT(
      {
        AddFailureContext("moescope 9.9");
        AddFailureContext("command line: x");
        CHECK(false);
      },
      ::testing::ExitedWithCode(70), "inputs.\n  moescope 9.9\n  command line: x\n");
}

}  // namespace
}  // namespace moescope
