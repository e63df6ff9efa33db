// run: traces, commit logs and the log, what happens when a file cannot be written, and the
// contradictions that are refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tests/cli/run_command_fixture.h"

namespace moescope::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Document = nlohmann::json;
using Words = std::vector<std::string>;
using test::RunCommandTest;

TEST_F(RunCommandTest, CommitLogAndItsOptions) {
  const std::string path = folder_.Path("c.log");
  const auto lines = [&](const Words& options) {
    Words words = {"-q", "--commit-log=" + path};
    words.insert(words.end(), options.begin(), options.end());
    EXPECT_EQ(Run(words).code, ExitCode::kSuccess);
    std::vector<std::string> all = absl::StrSplit(File("c.log"), '\n', absl::SkipEmpty());
    EXPECT_THAT(all, ::testing::SizeIs(::testing::Ge(5u)));
    return std::vector<std::string>(all.begin() + 5, all.end());
  };
  EXPECT_EQ(lines({}).size(), 13u);
  EXPECT_THAT(lines({})[4], EndsWith("S_ADDI_INT:gp2,gp2,1 gp2=0x1"));
  EXPECT_EQ(lines({"--commit-log-filter=stage=scatter*"}).size(), 1u);
  EXPECT_EQ(lines({"--commit-log-filter=pc=3..4"}).size(), 6u);
  EXPECT_EQ(lines({"--commit-log-filter=pc=3..4;group=INT"}).size(), 6u);
  EXPECT_EQ(lines({"--commit-log-filter=group=VAL"}).size(), 1u);
  EXPECT_THAT(lines({"--commit-log-values=none"})[4], EndsWith("S_ADDI_INT:gp2,gp2,1 gp2"));
  EXPECT_EQ(lines({"--commit-log-values=hash"}), lines({}));
  const std::string full = lines({"--commit-log-values=full"}).back();
  EXPECT_THAT(full, EndsWith("vram[0..0]=" + std::string(256, '0')));
}

TEST_F(RunCommandTest, TraceAndItsOptions) {
  const std::string path = folder_.Path("t.json");
  const std::string program = folder_.Write(
      "long.asm",
      "; @stage=accumulator_init\nC_LOOP_START gp1, 200\nV_ADD_VV gp0, gp0, gp0, 0\n"
      "S_ADDI_INT gp2, gp2, 1\nC_LOOP_END gp1\n; @stage=scatter_combine\nS_ADDI_INT gp2, gp2, 1\n");
  const auto run = [&](Words options) {
    options.insert(options.begin(), {"run", "--opcode=" + program, "--trace=" + path});
    return test::CallMoescope(options);
  };
  const auto trace = [&](const Words& options) {
    const test::Outcome outcome = run(options);
    EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.err;
    return Document::parse(File("t.json"));
  };
  const auto spans = [](const Document& document) {
    std::size_t count = 0;
    for (const Document& event : document["traceEvents"]) count += event["ph"] == "X" ? 1 : 0;
    return count;
  };
  const Document all = trace({});
  EXPECT_EQ(all["otherData"]["left_out"], "");
  EXPECT_LT(spans(trace({"--trace-window=2..4"})), spans(all));
  EXPECT_LT(spans(trace({"--trace-window=stage=scatter_combine"})), spans(all));
  EXPECT_LT(spans(trace({"--trace-max-bytes=8K"})), spans(all));
  const Document few = trace({"--trace-max-events=1"});
  EXPECT_THAT(few["otherData"]["left_out"].get<std::string>(), HasSubstr("merged"));
  // What is left out is also said to the user, and a stage that is not there.
  EXPECT_THAT(run({"--trace-max-events=1"}).err,
              HasSubstr("trace: " + few["otherData"]["left_out"].get<std::string>() + "\n"));
  EXPECT_THAT(run({"--trace-window=stage=gather"}).err,
              HasSubstr("trace: the program has no stage 'gather'\n"));
}

// The fullest HBM channel that any transaction met is the high water of the profile; a model
// without such a queue has no such counter.
TEST_F(RunCommandTest, TracesShowTheHbmQueue) {
  const std::string program =
      folder_.Write("loads.asm",
                    "; @stage=gather\nS_ADDI_INT gp1, gp0, 64\nH_PREFETCH_V gp0, gp0, a0\n"
                    "H_PREFETCH_V gp1, gp1, a0\nH_PREFETCH_M gp0, gp0, a0\n");
  const auto counters = [&](const std::string& timing) {
    EXPECT_EQ(test::CallMoescope({"run", "-q", "--opcode=" + program, "--timing=" + timing,
                                  "--trace=" + folder_.Path("q.json"),
                                  "--profile=" + folder_.Path("q.profile.json")})
                  .code,
              ExitCode::kSuccess);
    std::vector<Document> found;
    const Document trace = Document::parse(File("q.json"));
    for (const Document& event : trace["traceEvents"]) {
      if (event["name"] == "HBM queue, fullest channel") found.push_back(event);
    }
    return found;
  };
  for (const std::string timing : {"pipelined", "rtl"}) {
    SCOPED_TRACE(timing);
    const std::vector<Document> queue = counters(timing);
    const Document profile = Document::parse(File("q.profile.json"));
    const Document* high_water = nullptr;
    for (const Document& structure : profile["structures"]) {
      if (structure["name"] == "hbm_queue") high_water = &structure;
    }
    ASSERT_NE(high_water, nullptr);
    const auto deepest =
        std::max_element(queue.begin(), queue.end(), [](const Document& a, const Document& b) {
          return a["args"]["bursts"] < b["args"]["bursts"];
        });
    ASSERT_NE(deepest, queue.end());
    EXPECT_GT((*deepest)["args"]["bursts"], 1);
    EXPECT_EQ((*deepest)["args"]["bursts"], (*high_water)["high_water"]);
    EXPECT_EQ((*deepest)["ts"], (*high_water)["cycle"]);
    EXPECT_EQ(queue.back()["args"]["bursts"], 0);  // nothing is in flight any more
  }
  EXPECT_THAT(counters("serial"), ::testing::IsEmpty());
}

TEST_F(RunCommandTest, CompressedOutputsHoldTheSameBytes) {
  for (const char* suffix : {"", ".gz"}) {
    EXPECT_EQ(Run({"-q", absl::StrCat("--trace=", folder_.Path("t.json"), suffix),
                   absl::StrCat("--commit-log=", folder_.Path("c.log"), suffix)})
                  .code,
              ExitCode::kSuccess);
  }
  for (const char* name : {"t.json", "c.log"}) {
    const std::string unpack =
        absl::StrCat("gzip -dc ", folder_.Path(name), ".gz | cmp - ", folder_.Path(name));
    EXPECT_EQ(std::system(unpack.c_str()), 0) << name;
  }
}

TEST_F(RunCommandTest, ManifestsAskForLogsAndTraces) {
  EXPECT_EQ(RunManifest(R"("outputs": {"trace": "m.trace.json", "trace_window": "0..3",
      "trace_max_events": 1000, "trace_max_bytes": "1M", "commit_log": "m.log",
      "commit_log_filter": "pc=0..1", "commit_log_values": "none", "pc_table": "m.csv"})",
                        {"-q"})
                .code,
            ExitCode::kSuccess);
  EXPECT_THAT(File("m.log"), EndsWith("S_ADDI_INT:gp1,gp0,0 gp1\n1 1 1 000000A2 "
                                      "accumulator_init S_ADDI_INT:gp2,gp0,0 gp2\n"));
  EXPECT_EQ(Document::parse(File("m.trace.json"))["otherData"]["schema"], "moescope.trace");
  EXPECT_THAT(File("m.csv"), StartsWith("pc,"));
  // A flag wins over the key.
  EXPECT_EQ(
      RunManifest(R"("outputs": {"commit_log": "m.log", "commit_log_filter": "pc=0..1"})",
                  {"-q", "--commit-log=" + folder_.Path("flag.log"), "--commit-log-filter=pc=6"})
          .code,
      ExitCode::kSuccess);
  EXPECT_THAT(File("flag.log"), HasSubstr("V_ADD_VV"));
  EXPECT_THAT(File("flag.log"), Not(HasSubstr("S_ADDI_INT")));
  // An option that needs an output may follow the manifest's.
  EXPECT_EQ(
      RunManifest(R"("outputs": {"trace": "m.trace.json"})", {"-q", "--trace-window=1..2"}).code,
      ExitCode::kSuccess);
}

struct Refused {
  Words options;
  const char* message;
};

TEST_F(RunCommandTest, ContradictionsAreUsageErrors) {
  const std::string manifest = "run.json";
  const Refused kRefused[] = {
      {{"--trace-window=1..2"}, "--trace-window needs --trace"},
      {{"--trace-max-events=5"}, "--trace-max-events needs --trace"},
      {{"--trace-max-bytes=5"}, "--trace-max-bytes needs --trace"},
      {{"--commit-log-filter=pc=1"}, "--commit-log-filter needs --commit-log"},
      {{"--commit-log-values=full"}, "--commit-log-values needs --commit-log"},
      {{"--trace=t", "--trace-window=5"}, "trace window '5': expected CYCLE..CYCLE or stage=NAME"},
      {{"--trace=t", "--trace-window=7..5"},
       "trace window '7..5': expected CYCLE..CYCLE or stage=NAME"},
      {{"--trace=t", "--trace-max-events=lots"},
       "--trace-max-events: 'lots' is not a number: a digit is missing"},
      {{"--trace=t", "--trace-max-bytes=1X"},
       "--trace-max-bytes: '1X' is not a number: unknown suffix 'X'; known: K, M, G, T"},
      {{"--commit-log=c", "--commit-log-filter=pc=x"},
       "log filter 'pc=x': expected stage=PATTERN, pc=N, pc=N..N or group=GROUP"},
      {{"--commit-log=c", "--commit-log-filter=group=NONE"},
       "log filter 'group=NONE': expected stage=PATTERN, pc=N, pc=N..N or group=GROUP"},
      {{"--commit-log=c", "--commit-log-values=half"},
       "--commit-log-values=half: unknown value; allowed: none, hash, full; did you mean 'hash'?"},
      {{"--profile=x", "--trace=x"}, "--profile and --trace would both write 'x'"},
      {{"--profile=-", "--trace=-"}, "--profile and --trace: at most one output may be '-'"},
      {{"--commit-log=./x", "--trace=x"}, "--trace and --commit-log would both write './x'"},
      {{"--hbm=-", "--vram=-"}, "at most one input may be '-'"},
      {{"--machine=-", "--hbm=-"}, "at most one input may be '-'"},
      {{"--hot=few"}, "--hot: 'few' is not a number: a digit is missing"},
      {{"--max-cycles=-5"}, "--max-cycles: '-5' is not a number: a digit is missing"},
      {{"--max-instructions=1e6"},
       "--max-instructions: '1e6' is not a number: unknown suffix 'e6'; known: K, M, G, T"},
      {{"--timeout=1.2345"},
       "--timeout: '1.2345' is not a number: more than 3 digits behind the point"},
      {{"--max-unattributed=5"},
       "--max-unattributed: '5' is not a percentage: write it as 5% or 0.25%"},
      {{"--max-unattributed=101%"}, "--max-unattributed: '101%' is above 100%"},
      {{"--jobs=two"}, "--jobs: 'two' is not a number: a digit is missing"},
      {{"--set=MLEN"}, "--set MLEN: write it as KEY=VALUE"},
      {{"--fpsram-format=f32"}, "--fpsram-format=f32: unknown value; allowed: fp16, bf16"},
      {{"--compat=spike"}, "--compat=spike: unknown value; allowed: plena"},
      {{"--log-level=loud"},
       "--log-level=loud: unknown value; allowed: trace, debug, info, warn, error, off"},
      {{"--stage-profile-version=3"}, "--stage-profile-version=3: unknown value; allowed: 1, 2"},
      {{"--dump=vram,ram"},
       "--dump=ram: unknown value; allowed: vram, mram, fpsram, intsram, hbm, registers; did you "
       "mean 'vram', 'mram' or 'hbm'?"},
      {{"x.json"}, "give either manifests or --opcode"},
  };
  for (const Refused& refused : kRefused) {
    const test::Outcome outcome = Run(refused.options);
    EXPECT_EQ(outcome.code, ExitCode::kUsage) << refused.message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, StartsWith(absl::StrCat("moescope: ", refused.message, "\n")));
  }
  EXPECT_EQ(test::CallMoescope({"run"}).err, "moescope: missing argument MANIFEST, or --opcode\n");
  EXPECT_EQ(test::CallMoescope({"run", "-", "-"}).err, "moescope: at most one input may be '-'\n");
}

TEST_F(RunCommandTest, SeveralRunsDoNotWriteOneFile) {
  RunManifest("\"hot\": 1");
  const std::string manifest = folder_.Path("run.json");
  const test::Outcome outcome =
      test::CallMoescope({"run", manifest, manifest, "--profile=" + folder_.Path("p.json")});
  EXPECT_EQ(outcome.code, ExitCode::kUsage);
  EXPECT_EQ(outcome.err,
            absl::StrCat("moescope: ", manifest, " and ", manifest, " would both write '",
                         folder_.Path("p.json"), "' (--profile)\n"));
  EXPECT_FALSE(folder_.Has("p.json"));
  EXPECT_EQ(test::CallMoescope({"run", manifest, manifest, "--profile=-"}).err,
            "moescope: --profile=-: several runs print their results on standard output\n");
  EXPECT_EQ(test::CallMoescope({"run", manifest, manifest}).code, ExitCode::kSuccess);
}

// A configuration file may say how a trace looks without asking for one.
TEST_F(RunCommandTest, AConfigurationMayHoldOptionsOfOutputs) {
  const std::string config = folder_.Write(
      "c.toml", "[run]\ntrace-max-events = 10\ncommit-log-values = 'none'\nquiet = true\n");
  EXPECT_EQ(Run({"--config", config}).code, ExitCode::kSuccess);
  const std::string log = folder_.Path("c.log");
  EXPECT_EQ(Run({"--config", config, "--commit-log=" + log}).code, ExitCode::kSuccess);
  EXPECT_THAT(File("c.log"), EndsWith(" vram[0..0]\n"));
}

TEST_F(RunCommandTest, TheEnvironmentNamesTheLogLevel) {
  ::setenv("MOESCOPE_LOG", "info", 1);
  EXPECT_THAT(Run({}).err, HasSubstr("info: program "));
  EXPECT_THAT(Run({"--log-level=warn"}).err, Not(HasSubstr("info: ")));
  ::setenv("MOESCOPE_LOG", "trace", 1);
  EXPECT_THAT(Run({}).err, HasSubstr("trace: "));
  EXPECT_THAT(Run({"-v"}).err, Not(HasSubstr("trace: ")));
  EXPECT_THAT(Run({"-v"}).err, HasSubstr("info: "));
  ::setenv("MOESCOPE_LOG", "", 1);
  EXPECT_THAT(Run({}).err, Not(HasSubstr("info: ")));
  ::setenv("MOESCOPE_LOG", "inof", 1);
  const test::Outcome outcome = Run({});
  EXPECT_EQ(outcome.code, ExitCode::kUsage);
  EXPECT_EQ(outcome.err,
            "moescope: MOESCOPE_LOG=inof: unknown value; allowed: trace, debug, info, warn, error, "
            "off; did you mean 'info'?\n");
  EXPECT_EQ(Run({"--log-level=off"}).code, ExitCode::kSuccess);
  ::unsetenv("MOESCOPE_LOG");
}

TEST_F(RunCommandTest, LogFilesAndTimes) {
  const std::string path = folder_.Path("run.log");
  EXPECT_EQ(Run({"--log-level=info", "--log-file=" + path, "--log-time"}).code, ExitCode::kSuccess);
  EXPECT_THAT(File("run.log"),
              ::testing::ContainsRegex("[0-9]+-[0-9]+-[0-9]+T[0-9:.]+ info: program "));
  EXPECT_EQ(Run({"--log-level=info", "--log-file=" + path}).code, ExitCode::kSuccess);
  EXPECT_THAT(File("run.log"), StartsWith("info: program "));
}

// Outputs that cannot be opened are known before the program runs; nothing is left behind.
TEST_F(RunCommandTest, UnwritableLogsAndTracesAreErrorsBeforeTheRun) {
  for (const char* option : {"--trace", "--commit-log"}) {
    const std::string path = folder_.Path("none/file");
    const test::Outcome outcome = Run({absl::StrCat(option, "=", path)});
    EXPECT_EQ(outcome.code, ExitCode::kInput) << option;
    EXPECT_EQ(outcome.err,
              absl::StrCat("moescope: cannot create '", path, "': No such file or directory\n"));
    EXPECT_THAT(outcome.err, Not(HasSubstr("ran ")));
  }
}

TEST_F(RunCommandTest, AFullDeviceIsReportedAndTheOtherOutputsAreWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  for (const char* option : {"--trace", "--commit-log"}) {
    const test::Outcome outcome =
        Run({absl::StrCat(option, "=/dev/full"), "--profile=" + folder_.Path("still.json")});
    EXPECT_EQ(outcome.code, ExitCode::kInput) << option;
    EXPECT_THAT(outcome.err,
                StartsWith("moescope: cannot write '/dev/full': No space left on device\n"));
    EXPECT_TRUE(profiler::ReadProfile(File("still.json")).ok());
  }
}

// After a fault the log ends with the last instruction that was executed, and the trace is whole.
TEST_F(RunCommandTest, AFaultLeavesPartialLogsAndTraces) {
  const std::string program =
      folder_.Write("f.asm", "S_ADDI_INT gp1, gp0, 7\nV_ADD_VV gp1, gp1, gp1, 0\n");
  const test::Outcome outcome =
      test::CallMoescope({"run", "--opcode=" + program, "-qq", "--trace=" + folder_.Path("f.json"),
                          "--commit-log=" + folder_.Path("f.log")});
  EXPECT_EQ(outcome.code, ExitCode::kFault);
  EXPECT_THAT(File("f.log"), EndsWith("S_ADDI_INT:gp1,gp0,7 gp1=0x7\n"));
  EXPECT_TRUE(Document::parse(File("f.json"))["traceEvents"].is_array());
}

// Neither log nor trace changes the profile.
TEST_F(RunCommandTest, RecordingChangesNoProfile) {
  ProfileOf({});
  const std::string plain = File("profile.json");
  ProfileOf({"--trace=" + folder_.Path("t.json"), "--commit-log=" + folder_.Path("c.log"),
             "--pc-table=" + folder_.Path("pc.csv")});
  EXPECT_EQ(File("profile.json"), plain);
}

TEST_F(RunCommandTest, JobsRunAtTheSameTimeAndPrintInOrder) {
  Words words = {"run"};
  for (const char* name : {"a", "b", "c", "d"}) {
    folder_.Write(absl::StrCat(name, ".json"),
                  absl::StrCat("{\"schema\": \"moescope.run\", \"schema_version\": 1, "
                               "\"program\": {\"file\": \"p.asm\"}, \"outputs\": {\"trace\": \"",
                               name, ".trace.json\", \"commit_log\": \"", name, ".log\"}}"));
    words.push_back(folder_.Path(absl::StrCat(name, ".json")));
  }
  const test::Outcome one = test::CallMoescope(words);
  EXPECT_EQ(one.code, ExitCode::kSuccess) << one.err;
  const std::string log = File("d.log");
  words.push_back("--jobs=4");
  const test::Outcome four = test::CallMoescope(words);
  EXPECT_EQ(four.code, ExitCode::kSuccess);
  EXPECT_EQ(four.out, one.out);
  EXPECT_EQ(File("d.log"), log);
  EXPECT_EQ(File("a.trace.json"), File("d.trace.json"));
}

}  // namespace
}  // namespace moescope::cli
