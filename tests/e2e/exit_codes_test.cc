// One test per row of tools.md 1.2, for every subcommand where the code can occur: the built binary
// is run as a user runs it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/option.h"
#include "profiler/profile_json.h"
#include "tests/support/child_process.h"
#include "tests/support/scratch_folder.h"

namespace moescope {
namespace {

using test::Moescope;
using test::ProcessResult;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

constexpr char kGood[] =
    "; @stage=accumulator_init\nC_LOOP_START gp1, 3\nS_ADDI_INT gp2, gp2, 1\nC_LOOP_END gp1\n";

class ExitCodeTest : public ::testing::Test {
 protected:
  ExitCodeTest() {
    folder_.Write("good.asm", kGood);
    folder_.Write(
        "prose.asm",
        "; GPT-OSS gather token rows\nS_ADDI_INT gp1, gp0, 5\n; a comment of nobody\nC_BREAK\n");
    folder_.Write("bad.asm", "S_ADI_INT gp1, gp0, 5\n");
    folder_.Write("fault.asm", "C_LOOP_END gp1\n");
    folder_.Write("lint.asm",
                  "; @stage=gather pair=1 expert=1\nV_ADD_VV gp1, gp1, gp1\n"
                  "; @stage=expert_bias pair=1 expert=2\nV_ADD_VV gp1, gp1, gp1\n");
    folder_.Write("endless.asm",
                  "C_LOOP_START gp1, 4000000\nC_LOOP_START gp2, 4000000\n"
                  "S_ADDI_INT gp3, gp3, 1\nC_LOOP_END gp2\nC_LOOP_END gp1\n");
    folder_.Write("good.json", R"({"schema": "moescope.run", "schema_version": 1,
      "program": {"file": "good.asm"}, "machine": {"timing": "serial"},
      "expect": {"instructions": 7}})");
    folder_.Write("miss.json", R"({"schema": "moescope.run", "schema_version": 1,
      "program": {"file": "good.asm"}, "expect": {"instructions": 8}})");
    EXPECT_EQ(Run({"run", "--opcode=good.asm", "--profile=p.json", "--timing=serial", "-q"}).code,
              0);
    std::string profile = folder_.Read("p.json");
    const std::size_t at = profile.find("\"static_instructions\": 3");
    EXPECT_NE(at, std::string::npos);
    if (at != std::string::npos) profile[at + 23] = '4';
    folder_.Write("changed.json", profile);
    folder_.Write("good.moe", "");
    EXPECT_EQ(Run({"asm", "good.asm", "-o", "good.moe"}).code, 0);
  }

  ProcessResult Run(const Words& words, test::ProcessOptions options = {}) const {
    options.folder = folder_.path();
    return Moescope(words, options);
  }

  test::ScratchFolder folder_;
};

struct Row {
  int code;
  Words words;
};

TEST_F(ExitCodeTest, EveryRowOfTheTable) {
  const Row kRows[] = {
      {0, {"--help"}},
      {0, {"--version"}},
      {0, {"help", "run"}},
      {0, {"asm", "good.asm", "-o", "x.moe"}},
      {0, {"asm", "--check", "good.asm"}},
      {3, {"asm", "bad.asm"}},
      {3, {"asm", "missing.asm"}},
      {3, {"asm", "good.asm", "-o", "missing/x.moe"}},
      {2, {"asm"}},
      {2, {"asm", "good.asm", "--emit=elf"}},
      {2, {"asm", "good.asm", "--max-errors=few"}},
      {0, {"dis", "good.moe"}},
      {3, {"dis", "p.json"}},
      {2, {"dis", "good.moe", "--range=5..4"}},
      {0, {"run", "good.json"}},
      {0, {"run", "good.json", "good.json", "--jobs=2"}},
      {1, {"run", "miss.json"}},
      {1, {"run", "good.json", "miss.json"}},
      {1, {"run", "good.json", "--require-coverage=measured"}},
      {2, {"run"}},
      {2, {"run", "good.json", "--opcode=good.asm"}},
      {2, {"run", "good.json", "--trcae=x"}},
      {2, {"run", "--opcode=-", "--hbm=-"}},
      {3, {"run", "missing.json"}},
      {3, {"run", "bad.asm"}},
      {3, {"run", "--opcode=bad.asm"}},
      {3, {"run", "good.json", "--set=MLEM=3"}},
      {3, {"run", "good.json", "--machine=missing.toml"}},
      {3, {"run", "good.json", "--intsram=bad.asm"}},
      {4, {"run", "--opcode=fault.asm"}},
      {4, {"run", "--opcode=fault.asm", "--max-instructions=5"}},
      {5, {"run", "--opcode=good.asm", "--max-instructions=2"}},
      {5, {"run", "--opcode=good.asm", "--max-cycles=2", "--timing=serial"}},
      {5, {"run", "--opcode=endless.asm", "--timeout=0.05", "--timing=serial"}},
      {0, {"profile", "verify", "p.json"}},
      {1, {"profile", "verify", "changed.json"}},
      {3, {"profile", "verify", "good.asm"}},
      {3, {"profile", "verify", "p.json", "missing.json"}},
      {0, {"profile", "show", "p.json", "/totals/cycles"}},
      {3, {"profile", "show", "p.json", "/totals/cycle"}},
      {0, {"report", "p.json"}},
      {3, {"report", "good.asm"}},
      {2, {"report", "p.json", "--format=pdf"}},
      {0, {"stages", "list"}},
      {3, {"stages", "list", "--stage-vocabulary=missing.toml"}},
      {0, {"stages", "show", "good.asm"}},
      {3, {"stages", "show", "bad.asm"}},
      {0, {"stages", "strip", "good.asm"}},
      {3, {"stages", "strip", "missing.asm"}},
      {2, {"stages"}},
      {2, {"stages", "lsit"}},
      {0, {"lint", "good.asm"}},
      {1, {"lint", "lint.asm"}},
      {3, {"lint", "bad.asm"}},
      {2, {"lint", "good.asm", "--rule=MS104=loud"}},
      {0, {"annotate", "prose.asm"}},
      {1, {"annotate", "prose.asm", "--min-coverage=99%"}},
      {3, {"annotate", "good.asm"}},
      {2, {"annotate", "prose.asm", "--min-coverage=lots"}},
      {0, {"machine", "show"}},
      {0, {"machine", "show", "rtl-8"}},
      {3, {"machine", "show", "good.asm"}},
      {0, {"explain", "AS001"}},
      {2, {"explain", "AS000"}},
      {0, {"completion", "bash"}},
      {2, {"completion", "csh"}},
      {2, {"rnu"}},
      {2, {}},
  };
  for (const Row& row : kRows) {
    const ProcessResult result = Run(row.words);
    EXPECT_EQ(result.code, row.code) << absl::StrJoin(row.words, " ") << "\n" << result.err;
    if (row.code < 2) continue;
    EXPECT_FALSE(result.err.empty()) << absl::StrJoin(row.words, " ");
  }
}

TEST_F(ExitCodeTest, EveryCommandRefusesAnUnknownOption) {
  for (const cli::Command* command : cli::Commands()) {
    Words words = {};
    for (const absl::string_view word : absl::StrSplit(std::string(command->name), ' ')) {
      words.emplace_back(word);
    }
    words.push_back("--no-such-option");
    const ProcessResult result = Run(words);
    EXPECT_EQ(result.code, 2) << command->name;
    EXPECT_THAT(result.err, StartsWith("moescope: unknown option '--no-such-option'"));
    EXPECT_EQ(result.out, "");
    words.back() = "--help";
    const ProcessResult help = Run(words);
    EXPECT_EQ(help.code, 0) << command->name;
    EXPECT_EQ(help.err, "");
    EXPECT_THAT(help.out, StartsWith("Usage: moescope " + std::string(command->name)));
  }
}

TEST_F(ExitCodeTest, SignalsEndARunWithItsOutputsWritten) {
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    test::ProcessOptions options;
    options.signal = signal;
    options.signal_after_ms = 300;
    const ProcessResult result =
        Run({"run", "--opcode=endless.asm", "--profile=cut.json", "--dump=registers"}, options);
    EXPECT_EQ(result.code, code);
    const auto profile = profiler::ReadProfile(folder_.Read("cut.json"));
    ASSERT_TRUE(profile.ok()) << profile.status();
    EXPECT_EQ(profile->end.reason, "interrupt");
    EXPECT_EQ(profile->end.signal, static_cast<std::uint64_t>(signal));
    EXPECT_TRUE(folder_.Has("registers.json"));
    EXPECT_EQ(Run({"profile", "verify", "cut.json"}).code, 0);
  }
}

TEST_F(ExitCodeTest, ProgressIsPrintedOnRequestBySignal) {
  test::ProcessOptions options;
  options.signal = SIGUSR1;
  options.signal_after_ms = 300;
  const ProcessResult result = Run({"run", "--opcode=endless.asm", "--timeout=1.5"}, options);
  EXPECT_EQ(result.code, 5);
  EXPECT_THAT(result.err, HasSubstr(" M instr/s\n"));
  EXPECT_THAT(result.err, Not(HasSubstr("\r")));
}

TEST_F(ExitCodeTest, ProgressIsDrawnOnlyOnATerminal) {
  if (!test::HasTerminals()) GTEST_SKIP() << "no pseudo-terminal here";
  test::ProcessOptions options;
  options.terminal_err = true;
  const Words words = {"run", "--opcode=endless.asm", "--timeout=0.5"};
  const ProcessResult drawn = Run(words, options);
  EXPECT_THAT(drawn.err, HasSubstr("\r"));
  EXPECT_THAT(drawn.err, HasSubstr("unattributed"));
  EXPECT_THAT(drawn.err, HasSubstr("\r\033[K"));
  EXPECT_THAT(Run(words).err, Not(HasSubstr("\033[K")));
  Words silent = words;
  silent.push_back("--no-progress");
  EXPECT_THAT(Run(silent, options).err, Not(HasSubstr("\033[K")));
  silent.back() = "-q";
  EXPECT_THAT(Run(silent, options).err, Not(HasSubstr("\033[K")));
}

TEST_F(ExitCodeTest, AReaderThatGoesAwayChangesNothingElse) {
  test::ProcessOptions options;
  options.close_out = true;
  const ProcessResult result = Run({"run", "good.json", "--pc-table=pc.csv"}, options);
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, Not(HasSubstr("moescope:")));
  EXPECT_TRUE(folder_.Has("pc.csv"));
  EXPECT_EQ(Run({"run", "miss.json"}, options).code, 1);
  EXPECT_EQ(Run({"dis", "good.moe"}, options).code, 0);
  EXPECT_EQ(Run({"--help"}, options).code, 0);
  EXPECT_EQ(Run({"asm", "good.asm", "--emit=mem", "-o", "-"}, options).code, 0);
}

TEST_F(ExitCodeTest, QuietSilencesStandardError) {
  EXPECT_EQ(Run({"run", "good.json", "-q"}).err, "");
  EXPECT_EQ(Run({"run", "good.json", "-q"}).out, "");
  EXPECT_EQ(Run({"run", "good.json", "-q", "--log-level=trace"}).err, "");
  EXPECT_THAT(Run({"run", "miss.json", "-q"}).err, StartsWith("FAILED: instructions"));
  EXPECT_EQ(Run({"run", "miss.json", "-qq"}).err, "");
  EXPECT_EQ(Run({"run", "--opcode=fault.asm", "-qq"}).err, "");
  EXPECT_EQ(Run({"asm", "bad.asm", "-qq"}).err, "");
}

TEST_F(ExitCodeTest, VerboseRaisesTheLogLevel) {
  EXPECT_THAT(Run({"run", "good.json"}).err, Not(HasSubstr("info: ")));
  EXPECT_THAT(Run({"run", "good.json", "-v"}).err, HasSubstr("info: program "));
  EXPECT_THAT(Run({"run", "good.json", "-v"}).err, Not(HasSubstr("trace: ")));
  const ProcessResult logged = Run({"run", "good.json", "--log-level=trace", "--log-file=run.log"});
  EXPECT_THAT(logged.err, Not(HasSubstr("trace: ")));
  EXPECT_THAT(folder_.Read("run.log"), HasSubstr("trace: 6 "));
  EXPECT_EQ(Run({"run", "good.json", "--log-file=good.asm/run.log"}).code, 3);
}

TEST_F(ExitCodeTest, StandardInputAndOutputStandForFiles) {
  test::ProcessOptions options;
  options.input = kGood;
  const ProcessResult words = Run({"asm", "-", "--emit=mem"}, options);
  EXPECT_EQ(words.code, 0);
  options.input = words.out;
  EXPECT_EQ(Run({"dis", "-"}, options).out,
            "C_LOOP_START gp1, 3\nS_ADDI_INT gp2, gp2, 1\nC_LOOP_END gp1\n");
  options.input = kGood;
  const ProcessResult run = Run({"run", "--opcode=-", "--profile=-", "--timing=serial"}, options);
  EXPECT_THAT(run.out, HasSubstr("\"file\": \"-\""));
  options.input = run.out;
  EXPECT_EQ(Run({"profile", "show", "-", "/totals/cycles"}, options).out, "7\n");
  options.input = "FOO\n";
  EXPECT_THAT(Run({"asm", "-", "--check", "--stdin-name=x.asm"}, options).err,
              StartsWith("x.asm:1:1: error: "));
}

TEST_F(ExitCodeTest, LocaleAndTimeZoneDoNotMatter) {
  test::ProcessOptions options;
  options.environment = {"LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8", "TZ=Asia/Kathmandu"};
  EXPECT_EQ(
      Run({"run", "--opcode=good.asm", "--profile=l.json", "--timing=serial", "-q"}, options).code,
      0);
  EXPECT_EQ(folder_.Read("l.json"), folder_.Read("p.json"));
  EXPECT_EQ(Run({"report", "p.json"}, options).out, Run({"report", "p.json"}).out);
}

TEST_F(ExitCodeTest, TheProfileDoesNotDependOnWhereTheProgramLies) {
  EXPECT_EQ(Run({"run", "--opcode=" + folder_.Path("good.asm"), "--profile=l.json",
                 "--timing=serial", "-q"})
                .code,
            0);
  EXPECT_EQ(folder_.Read("l.json"), folder_.Read("p.json"));
  EXPECT_EQ(
      Moescope({"run", folder_.Path("good.json"), "--profile=" + folder_.Path("m.json"), "-q"})
          .code,
      0);
  EXPECT_EQ(folder_.Read("m.json"), folder_.Read("p.json"));
}

TEST_F(ExitCodeTest, SeveralManifestsKeepTheirOrder) {
  Words words = {"run"};
  std::string expected;
  for (int i = 0; i < 12; ++i) {
    const bool miss = i % 3 == 1;
    words.push_back(miss ? "miss.json" : "good.json");
    expected +=
        miss ? "miss.json: FAILED, end, 7 instructions, " : "good.json: ok, end, 7 instructions, ";
  }
  const ProcessResult one = Run(words);
  words.push_back("--jobs=3");
  const ProcessResult three = Run(words);
  EXPECT_EQ(one.code, 1);
  EXPECT_EQ(three.code, 1);
  EXPECT_EQ(one.out, three.out);
  std::string shown;
  std::size_t begin = 0;
  for (std::size_t end; (end = one.out.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = one.out.substr(begin, end - begin);
    shown += line.substr(0, line.find(" instructions, ") + 15);
  }
  EXPECT_EQ(shown, expected);
}

}  // namespace
}  // namespace moescope
