#pragma once

#include <string>
#include <vector>

#include "tests/cli/command_call.h"

namespace moescope::cli::test {

// Two errors and a warning.
inline constexpr char kBad[] = "S_ADDI_INT gp0, gp0, 1\nFOO\nS_ADDI_INT gp1, gp0, 999999\n";

// A marked program, one that does not assemble, and calls of the commands that read them.
class SourceCommandsTest : public ::testing::Test {
 protected:
  SourceCommandsTest()
      : program_(folder_.Write("p.asm", kMarkedProgram)), bad_(folder_.Write("bad.asm", kBad)) {}

  static Outcome Call(const std::vector<std::string>& words) { return CallMoescope(words); }
  static std::string Out(const std::vector<std::string>& words) {
    const Outcome outcome = Call(words);
    EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.err;
    return outcome.out;
  }
  static std::string Error(const std::vector<std::string>& words, ExitCode code) {
    const Outcome outcome = Call(words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return outcome.err;
  }
  std::string File(const std::string& name) const { return folder_.Read(name); }

  moescope::test::ScratchFolder folder_;
  std::string program_;
  std::string bad_;
};

}  // namespace moescope::cli::test
