#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/cli/command_call.h"

namespace moescope::cli::test {

// The marked program with one more instruction in the loop, which makes 16 instead of 13.
inline std::string SlowerProgram() {
  return absl::StrReplaceAll(kMarkedProgram, {{"S_ST_INT", "S_ADDI_INT gp4, gp4, 1\nS_ST_INT"}});
}

// Two profiles to compare, and calls of diff.
class DiffCommandTest : public ::testing::Test {
 protected:
  DiffCommandTest()
      : fast_(WriteProfile(folder_, "fast.json")),
        slow_(WriteProfile(folder_, "slow.json", {"--timing=serial"}, SlowerProgram())) {}

  Outcome Diff(std::vector<std::string> words) const {
    words.insert(words.begin(), "diff");
    return CallMoescope(words);
  }
  std::string Error(const std::vector<std::string>& words, ExitCode code) const {
    const Outcome outcome = Diff(words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  }

  // The commit log of a program.
  std::string Log(const std::string& name, const std::string& program,
                  const std::vector<std::string>& options = {}) const {
    std::vector<std::string> words = {"run", "--opcode=" + folder_.Write(name + ".asm", program),
                                      "-q", "--timing=serial",
                                      "--commit-log=" + folder_.Path(name)};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = CallMoescope(words);
    EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.err;
    return folder_.Path(name);
  }

  // A folder with the dumps of a program.
  std::string Dumps(const std::string& name, const std::string& program,
                    const std::string& memories = "intsram,registers") const {
    const std::string path = folder_.Path(name);
    const Outcome outcome =
        CallMoescope({"run", "--opcode=" + folder_.Write(name + ".asm", program), "-q",
                      "--dump=" + memories, "--dump-dir=" + path});
    EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.err;
    return path;
  }

  moescope::test::ScratchFolder folder_;
  std::string fast_;
  std::string slow_;
};

}  // namespace moescope::cli::test
