// Diagnostics that only a whole command can cause, with their exact lines.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/scratch_folder.h"

namespace moescope {
namespace {

class RemainingIdsTest : public ::testing::Test {
 protected:
  // Standard error of a command that must exit with a code.
  std::string Error(std::vector<std::string> words, int code = 3) const {
    test::ProcessOptions options;
    options.folder = folder_.path();
    const test::ProcessResult result = test::Moescope(std::move(words), options);
    EXPECT_EQ(result.code, code) << result.err;
    return result.err;
  }

  test::ScratchFolder folder_;
};

TEST_F(RemainingIdsTest, AMachineFileThatIsNotToml) {
  folder_.Write("m.toml", "[TRANSACTIONAL.CONFIG]\nBLEN.value =\n");
  EXPECT_EQ(Error({"machine", "show", "m.toml"}),
            "m.toml:2:13: error: not TOML: expected value, saw '\\n' [CF002]\n"
            "    2 | BLEN.value =\n"
            "      |             ^\n");
}

TEST_F(RemainingIdsTest, AFolderThatCannotBeMade) {
  EXPECT_EQ(Error({"moe", "gen", "--tokens=1", "--hidden=64", "--inter=64", "--experts=2",
                   "--top-k=1", "-o", "missing/folder"}),
            "moescope: missing/folder: cannot make the folder: No such file or directory "
            "[RC091]\n");
}

TEST_F(RemainingIdsTest, AConfigurationFileThatIsNotToml) {
  folder_.Write("c.toml", "[run]\ntiming = \n");
  EXPECT_EQ(Error({"run", "--opcode=p.asm", "--config=c.toml"}),
            "c.toml:2:10: error: Error while parsing key-value pair: expected value, saw '\\n' "
            "[CF501]\n");
}

TEST_F(RemainingIdsTest, LimitsOfARun) {
  folder_.Write("loop.asm",
                "C_LOOP_START gp1, 4000000\nC_LOOP_START gp2, 4000000\n"
                "S_ADDI_INT gp3, gp3, 1\nC_LOOP_END gp2\nC_LOOP_END gp1\n");
  const auto first_line = [&](const char* limit) {
    const std::string error = Error({"run", "--opcode=loop.asm", "--timing=serial",
                                     "--set=MAX_LOOP_INSTRUCTIONS=0", limit, "--profile=p.json"},
                                    5);
    return error.substr(0, error.find('\n'));
  };
  EXPECT_EQ(first_line("--max-cycles=5"),
            "loop.asm:4:1: error: the limit of 5 cycles was reached [LM001]");
  EXPECT_EQ(first_line("--max-instructions=6"),
            "loop.asm:3:1: error: the limit of 6 instructions was reached [LM002]");
  // Where the time is over depends on the host.
  const std::string timeout = first_line("--timeout=0.01");
  EXPECT_EQ(timeout.substr(0, 9), "loop.asm:");
  EXPECT_EQ(timeout.substr(timeout.find(": error")), ": error: the time limit was reached [LM003]");
}

}  // namespace
}  // namespace moescope
