// Streams of the built command: standard input and output as files, readers that go away, devices
// that are full, pipes, and signals while logs are written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "tests/support/child_process.h"
#include "tests/support/scratch_folder.h"

namespace moescope {
namespace {

using test::Moescope;
using test::ProcessOptions;
using test::ProcessResult;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Document = nlohmann::json;
using Words = std::vector<std::string>;

constexpr char kProgram[] =
    "; @stage=accumulator_init\nC_LOOP_START gp1, 3\nS_ADDI_INT gp2, gp2, 1\nC_LOOP_END gp1\n";

class StreamsTest : public ::testing::Test {
 protected:
  StreamsTest() {
    folder_.Write("p.asm", kProgram);
    folder_.Write("endless.asm",
                  "C_LOOP_START gp1, 4000000\nC_LOOP_START gp2, 4000000\n"
                  "S_ADDI_INT gp3, gp3, 1\nC_LOOP_END gp2\nC_LOOP_END gp1\n");
    EXPECT_EQ(Run({"run", "--opcode=p.asm", "-q", "--timing=serial", "--profile=a.json",
                   "--commit-log=a.log", "--trace=a.trace.json", "--dump=intsram", "--dump-dir=a"})
                  .code,
              0);
    EXPECT_EQ(Run({"run", "--opcode=p.asm", "-q", "--timing=serial", "--set=int_sram_words=512",
                   "--profile=b.json", "--commit-log=b.log", "--dump=intsram", "--dump-dir=b"})
                  .code,
              0);
  }

  ProcessResult Run(const Words& words, ProcessOptions options = {}) const {
    options.folder = folder_.path();
    return Moescope(words, options);
  }

  test::ScratchFolder folder_;
};

struct Row {
  int code;
  Words words;
};

// One row per exit code of each command that came after the table of exit_codes_test.
TEST_F(StreamsTest, ExitCodesOfComparisons) {
  const Row kRows[] = {
      {0, {"diff", "a.json", "a.json"}},
      {1,
       {"diff", "a.json", "b.json", "--allow=machine", "--tolerance=*=0", "--stages",
        "accumulator_init", "unattributed"}},
      {2, {"diff", "a.json"}},
      {2, {"diff", "a.json", "b.json", "--tolerance=none"}},
      {3, {"diff", "a.json", "b.json"}},
      {3, {"diff", "a.json", "missing.json"}},
      {3, {"diff", "a.json", "a.log"}},
      {0, {"diff", "profile", "a.json", "b.json", "--allow=machine"}},
      {3, {"diff", "profile", "a.json", "p.asm"}},
      {0, {"diff", "log", "a.log", "b.log"}},
      {2, {"diff", "log", "a.log", "b.log", "--ignore=all"}},
      {3, {"diff", "log", "a.log", "a.json"}},
      {0, {"diff", "dump", "a", "a"}},
      {1, {"diff", "dump", "a/intsram_dump.bin", "b/intsram_dump.bin"}},
      {3, {"diff", "dump", "a", "b"}},
      {3, {"diff", "dump", "a", "missing"}},
      {0, {"diff", "stages", "accumulator_init", "accumulator_init", "a.json"}},
      {1, {"diff", "stages", "accumulator_init", "unattributed", "a.json"}},
      {3, {"diff", "stages", "accumulator_init", "gather", "a.json"}},
      {0, {"report", "a.json", "--format=html"}},
      {2, {"report", "a.json", "--compare=b.json"}},
      {3, {"report", "a.json", "--format=html", "--compare=p.asm"}},
      {2, {"run", "--opcode=p.asm", "--trace-window=1..2"}},
      {3, {"run", "--opcode=p.asm", "--trace=missing/t.json"}},
      {3, {"run", "--opcode=p.asm", "--commit-log=missing/c.log"}},
      {5,
       {"run", "--opcode=p.asm", "--max-instructions=2", "--trace=t.json", "--commit-log=c.log"}},
  };
  for (const Row& row : kRows) {
    const ProcessResult result = Run(row.words);
    EXPECT_EQ(result.code, row.code) << absl::StrJoin(row.words, " ") << "\n" << result.err;
    EXPECT_EQ(result.err.empty(), row.code < 2) << absl::StrJoin(row.words, " ") << result.err;
  }
}

// When nobody reads, the exit code is what it would have been and nothing is said.
TEST_F(StreamsTest, AReaderThatGoesAwayChangesNoExitCode) {
  ProcessOptions closed;
  closed.close_out = true;
  const Row kRows[] = {
      {0, {"diff", "a.json", "a.json"}},
      {1, {"diff", "stages", "accumulator_init", "unattributed", "a.json"}},
      {0, {"diff", "log", "a.log", "a.log"}},
      {0, {"report", "a.json", "--format=html"}},
      {0, {"report", "a.json", "--format=csv", "-o", "-"}},
      {0, {"run", "--opcode=p.asm", "-q", "--commit-log=-"}},
      {0, {"run", "--opcode=p.asm", "-q", "--trace=-"}},
      {0, {"run", "--opcode=p.asm", "-q", "--profile=-"}},
      {0, {"stages", "list"}},
      {0, {"stages", "strip", "p.asm"}},
      {0, {"machine", "show"}},
      {0, {"isa", "dump"}},
      {0, {"lint", "p.asm"}},
      {0, {"completion", "zsh"}},
      {0, {"explain", "AS001"}},
      {0, {"profile", "show", "a.json"}},
  };
  for (const Row& row : kRows) {
    const ProcessResult result = Run(row.words, closed);
    EXPECT_EQ(result.code, row.code) << absl::StrJoin(row.words, " ") << "\n" << result.err;
    EXPECT_EQ(result.err, "") << absl::StrJoin(row.words, " ");
  }
}

TEST_F(StreamsTest, StandardInputStandsForAnyInput) {
  ProcessOptions options;
  const auto with = [&](const std::string& file, const Words& words) {
    options.input = folder_.Read(file);
    return Run(words, options);
  };
  EXPECT_EQ(with("a.json", {"diff", "-", "a.json"}).code, 0);
  EXPECT_EQ(with("a.json", {"diff", "a.json", "-"}).code, 0);
  EXPECT_EQ(with("a.log", {"diff", "-", "a.log"}).out, "equal: 7 lines\n");
  EXPECT_EQ(with("a.log", {"diff", "log", "a.log", "-"}).out, "equal: 7 lines\n");
  EXPECT_EQ(with("a/intsram_dump.bin", {"diff", "dump", "-", "a/intsram_dump.bin"}).code, 0);
  EXPECT_EQ(with("a.json", {"report", "-", "--format=html"}).out,
            Run({"report", "a.json", "--format=html"}).out);
  EXPECT_EQ(with("a.json", {"report", "a.json", "--format=html", "--compare=-"}).out,
            Run({"report", "a.json", "--format=html", "--compare=a.json"}).out);
  EXPECT_EQ(with("p.asm", {"run", "--opcode=-", "-q", "--timing=serial", "--commit-log=-"}).out,
            folder_.Read("a.log"));
}

TEST_F(StreamsTest, StandardOutputStandsForAnyOutput) {
  const Words run = {"run", "--opcode=p.asm", "-q", "--timing=serial"};
  const auto out = [&](const std::string& option) {
    Words words = run;
    words.push_back(option);
    const ProcessResult result = Run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  EXPECT_EQ(out("--commit-log=-"), folder_.Read("a.log"));
  EXPECT_EQ(out("--trace=-"), folder_.Read("a.trace.json"));
  EXPECT_EQ(out("--profile=-"), folder_.Read("a.json"));
  // The stage table does not mix with data, even when it was not silenced.
  EXPECT_EQ(Run({"run", "--opcode=p.asm", "--timing=serial", "--commit-log=-"}).out,
            folder_.Read("a.log"));
}

TEST_F(StreamsTest, AFullDeviceIsAnInputErrorOfEveryWriter) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Words kCalls[] = {
      {"report", "a.json", "-o", "/dev/full"},
      {"diff", "a.json", "a.json", "-o", "/dev/full"},
      {"asm", "p.asm", "-o", "/dev/full"},
      {"dis", "a/intsram_dump.bin", "--raw", "-o", "/dev/full"},
      {"stages", "strip", "p.asm", "-o", "/dev/full"},
      {"isa", "dump", "-o", "/dev/full"},
      {"run", "--opcode=p.asm", "-q", "--profile=/dev/full"},
      {"run", "--opcode=p.asm", "-q", "--trace=/dev/full"},
      {"run", "--opcode=p.asm", "-q", "--commit-log=/dev/full"},
      {"run", "--opcode=p.asm", "-q", "--pc-table=/dev/full"},
  };
  for (const Words& words : kCalls) {
    const ProcessResult result = Run(words);
    EXPECT_EQ(result.code, 3) << absl::StrJoin(words, " ");
    EXPECT_THAT(result.err, HasSubstr("cannot write '/dev/full': No space left on device\n"))
        << absl::StrJoin(words, " ");
  }
}

TEST_F(StreamsTest, APipeIsWrittenDirectly) {
  const std::string pipe = folder_.Path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const char* option : {"--commit-log=", "--trace="}) {
    std::string read;
    std::thread reader([&] { read = *ReadFile(pipe); });
    EXPECT_EQ(
        Run({"run", "--opcode=p.asm", "-q", "--timing=serial", absl::StrCat(option, pipe)}).code,
        0);
    reader.join();
    const bool is_log = std::string_view(option) == "--commit-log=";
    EXPECT_EQ(read, folder_.Read(is_log ? "a.log" : "a.trace.json"));
  }
}

// A signal ends the run; the log ends with a whole line and the trace is whole, compressed or not.
TEST_F(StreamsTest, ASignalLeavesWholeLogsAndTraces) {
  ProcessOptions options;
  options.signal = SIGINT;
  options.signal_after_ms = 300;
  const ProcessResult result =
      Run({"run", "--opcode=endless.asm", "-q", "--timing=serial", "--trace=cut.json",
           "--commit-log=cut.log", "--commit-log-filter=pc=3"},
          options);
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_TRUE(Document::accept(folder_.Read("cut.json")));
  EXPECT_THAT(folder_.Read("cut.log"), StartsWith("# moescope commit log 1\n"));
  EXPECT_THAT(folder_.Read("cut.log"), EndsWith("\n"));
  EXPECT_EQ(Run({"diff", "log", "cut.log", "cut.log"}).code, 0);
  options.signal = SIGTERM;
  EXPECT_EQ(Run({"run", "--opcode=endless.asm", "-q", "--timing=serial", "--trace=cut.json.gz",
                 "--commit-log=cut.log.gz", "--commit-log-filter=pc=3"},
                options)
                .code,
            143);
  EXPECT_EQ(Run({"diff", "log", "cut.log.gz", "cut.log.gz"}).code, 0);
}

// No temporary file is left, whatever happened.
TEST_F(StreamsTest, NothingIsLeftBehind) {
  Run({"run", "--opcode=p.asm", "-q", "--trace=t.json", "--commit-log=missing/c.log"});
  Run({"run", "--opcode=missing.asm", "-q", "--trace=t.json", "--commit-log=c.log"});
  Run({"report", "p.asm", "-o", "r.html"});
  Run({"diff", "a.json", "p.asm", "-o", "d.txt"});
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_THAT(entry.path().string(), Not(EndsWith(".tmp")));
  }
  for (const char* name : {"t.json", "c.log", "r.html", "d.txt"}) EXPECT_FALSE(folder_.Has(name));
}

}  // namespace
}  // namespace moescope
