#pragma once

#include <string>
#include <vector>

#include "cli/dispatch.h"
#include "cli/option.h"
#include "tests/support/captured_console.h"
#include "tests/support/scratch_folder.h"

namespace moescope::cli::test {

// What a call of the command gave.
struct Outcome {
  ExitCode code = ExitCode::kInternal;
  std::string out;
  std::string err;
};

// Calls `moescope WORDS...` inside this process.
inline Outcome CallMoescope(const std::vector<std::string>& words) {
  moescope::test::CapturedConsole captured;
  const ExitCode code = Dispatch(Commands(), words, captured.console);
  return {code, captured.out, captured.err};
}

// A small marked program of 7 words: 1 without stage, 5 of accumulator_init (with a loop of 3
// trips), 1 of scatter_combine with a pair. It executes 1 + (2 + 3 * 3) + 1 = 13 instructions.
inline constexpr char kMarkedProgram[] =
    "S_ADDI_INT gp1, gp0, 0\n"
    "; @stage=accumulator_init\n"
    "S_ADDI_INT gp2, gp0, 0\n"
    "C_LOOP_START gp3, 3\n"
    "S_ST_INT gp2, gp2, 0\n"
    "S_ADDI_INT gp2, gp2, 1\n"
    "C_LOOP_END gp3\n"
    "; @stage=scatter_combine pair=0\n"
    "V_ADD_VV gp1, gp1, gp1, 0\n";

// Makes profiles of kMarkedProgram for tests that need one. The folder must outlive the path.
inline std::string WriteProfile(const moescope::test::ScratchFolder& folder,
                                const std::string& name,
                                const std::vector<std::string>& options = {"--timing=serial"},
                                const std::string& program = kMarkedProgram) {
  const std::string source = folder.Write(name + ".asm", program);
  std::vector<std::string> words = {"run", "--opcode=" + source, "-q",
                                    "--profile=" + folder.Path(name)};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = CallMoescope(words);
  EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.err;
  return folder.Path(name);
}

}  // namespace moescope::cli::test
