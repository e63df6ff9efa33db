#include "cli/session/exit_code.h"

#include <gtest/gtest.h>

#include <vector>

namespace moescope::session {
namespace {

TEST(ExitCodeTest, FollowsTheStatus) {
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), ExitCode::kSuccess);
  EXPECT_EQ(ExitCodeOf(UsageError("x")), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeOf(absl::InvalidArgumentError("x")), ExitCode::kInput);
  EXPECT_EQ(ExitCodeOf(absl::NotFoundError("x")), ExitCode::kInput);
  EXPECT_EQ(ExitCodeOf(absl::OutOfRangeError("x")), ExitCode::kInput);
  EXPECT_EQ(ExitCodeOf(absl::FailedPreconditionError("x")), ExitCode::kInput);
  EXPECT_EQ(ExitCodeOf(absl::InternalError("x")), ExitCode::kInternal);
}

TEST(ExitCodeTest, OnlyUsageErrorsAreUsageErrors) {
  EXPECT_TRUE(IsUsageError(UsageError("x")));
  EXPECT_FALSE(IsUsageError(absl::InvalidArgumentError("x")));
  EXPECT_FALSE(IsUsageError(absl::OkStatus()));
  EXPECT_EQ(UsageError("what").message(), "what");
}

TEST(ExitCodeTest, ValuesAreThoseOfTheManual) {
  EXPECT_EQ(static_cast<int>(ExitCode::kSuccess), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::kCheckFailed), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::kUsage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::kInput), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::kFault), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::kLimit), 5);
  EXPECT_EQ(static_cast<int>(ExitCode::kInternal), 70);
  EXPECT_EQ(static_cast<int>(ExitCode::kInterrupted), 130);
  EXPECT_EQ(static_cast<int>(ExitCode::kTerminated), 143);
}

TEST(ExitCodeTest, TheWorseOfTwoWinsInEitherOrder) {
  const std::vector<ExitCode> worst_first = {
      ExitCode::kInternal,    ExitCode::kUsage,       ExitCode::kInput,
      ExitCode::kFault,       ExitCode::kLimit,       ExitCode::kTerminated,
      ExitCode::kInterrupted, ExitCode::kCheckFailed, ExitCode::kSuccess};
  for (std::size_t i = 0; i < worst_first.size(); ++i) {
    for (std::size_t j = i; j < worst_first.size(); ++j) {
      EXPECT_EQ(Worse(worst_first[i], worst_first[j]), worst_first[i]);
      EXPECT_EQ(Worse(worst_first[j], worst_first[i]), worst_first[i]);
    }
  }
}

}  // namespace
}  // namespace moescope::session
