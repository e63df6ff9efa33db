#include "cli/session/run_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/session/exit_code.h"

namespace moescope::session {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using NamedRun = RunBatch::NamedRun;

NamedRun Named(const std::string& name) {
  NamedRun run{name, {}};
  run.request.program.file = name + ".asm";
  return run;
}

// The outputs of a request by option, each settable.
using Output = std::pair<const char*, void (*)(RunRequest&, const std::string&)>;
const Output kOutputs[] = {
    {"profile", [](RunRequest& r, const std::string& path) { r.outputs.profile = path; }},
    {"pc-table", [](RunRequest& r, const std::string& path) { r.outputs.pc_table = path; }},
    {"trace", [](RunRequest& r, const std::string& path) { r.outputs.trace = path; }},
    {"commit-log", [](RunRequest& r, const std::string& path) { r.outputs.commit_log = path; }},
    {"stage-profile-out",
     [](RunRequest& r, const std::string& path) { r.stage_profile.output = path; }},
    {"expect-report",
     [](RunRequest& r, const std::string& path) {
       r.outputs.expect_report = path;
       r.expect.end = "end";
     }},
};

std::string Refusal(const std::vector<NamedRun>& runs) {
  const absl::Status status = CheckOutputs(runs);
  EXPECT_TRUE(status.ok() || IsUsageError(status));
  return std::string(status.message());
}

TEST(RunFilesTest, OutputsAreListedAsTheyAreAskedFor) {
  RunRequest request;
  EXPECT_THAT(OutputPaths(request), IsEmpty());
  EXPECT_FALSE(WritesToStandardOutput(request));
  for (const auto& [name, set] : kOutputs) {
    RunRequest one;
    set(one, "f");
    EXPECT_THAT(OutputPaths(one), ElementsAre(Pair(name, "f")));
    EXPECT_FALSE(WritesToStandardOutput(one));
    set(one, "-");
    EXPECT_TRUE(WritesToStandardOutput(one)) << name;
  }
  request.outputs.dump_dir = "out";
  EXPECT_THAT(OutputPaths(request), IsEmpty()) << "no dumps, no folder";
  request.outputs.dumps = {{Memory::kVram, std::nullopt}};
  EXPECT_THAT(OutputPaths(request), ElementsAre(Pair("dump-dir", "out")));
}

TEST(RunFilesTest, AReportOfNoExpectationsIsNotWritten) {
  RunRequest request;
  request.outputs.expect_report = "r.json";
  EXPECT_THAT(OutputPaths(request), IsEmpty());
}

// Every two outputs of one run exclude each other when they name one file.
TEST(RunFilesTest, TwoOutputsOfARunNeedTwoFiles) {
  for (std::size_t i = 0; i < std::size(kOutputs); ++i) {
    for (std::size_t j = i + 1; j < std::size(kOutputs); ++j) {
      NamedRun run = Named("a");
      kOutputs[i].second(run.request, "d/../same.json");
      kOutputs[j].second(run.request, "./same.json");
      EXPECT_EQ(Refusal({run}), std::string("--") + kOutputs[i].first + " and --" +
                                    kOutputs[j].first + " would both write './same.json'");
      kOutputs[j].second(run.request, "other.json");
      EXPECT_EQ(Refusal({run}), "");
      kOutputs[i].second(run.request, "-");
      EXPECT_EQ(Refusal({run}), "");
      kOutputs[j].second(run.request, "-");
      EXPECT_EQ(Refusal({run}), std::string("--") + kOutputs[i].first + " and --" +
                                    kOutputs[j].first + ": at most one output may be '-'");
      kOutputs[i].second(run.request, "/dev/null");
      kOutputs[j].second(run.request, "/dev/null");
      EXPECT_EQ(Refusal({run}), "");
    }
  }
}

TEST(RunFilesTest, TwoRunsNeedTwoFiles) {
  for (const auto& [name, set] : kOutputs) {
    NamedRun a = Named("a.json");
    NamedRun b = Named("b.json");
    set(a.request, "out");
    set(b.request, "out");
    EXPECT_EQ(Refusal({a, b}),
              std::string("a.json and b.json would both write 'out' (--") + name + ")");
    set(b.request, "out2");
    EXPECT_EQ(Refusal({a, b}), "");
    set(b.request, "-");
    EXPECT_EQ(Refusal({a, b}),
              std::string("--") + name + "=-: several runs print their results on standard output");
  }
  NamedRun a = Named("a.json");
  a.request.outputs.dumps = {{Memory::kVram, std::nullopt}};
  EXPECT_EQ(Refusal({a, a}), "a.json and a.json would both write '.' (--dump-dir)");
}

TEST(RunFilesTest, StandardInputIsReadOnce) {
  const auto refused = [](const std::vector<NamedRun>& runs) {
    const absl::Status status = CheckInputs(runs);
    EXPECT_TRUE(status.ok() || IsUsageError(status));
    return std::string(status.message());
  };
  constexpr char kText[] = "at most one input may be '-'";
  EXPECT_EQ(refused({Named("a")}), "");
  using Input = void (*)(RunRequest&);
  const Input kInputs[] = {
      [](RunRequest& r) { r.program.file = "-"; },
      [](RunRequest& r) { r.program.stages = "-"; },
      [](RunRequest& r) {
        r.program.stage_vocabulary = {"decoder", "-"};
      },
      [](RunRequest& r) { r.machine.file = "-"; },
      [](RunRequest& r) { r.stage_profile.assembly = "-"; },
      [](RunRequest& r) { r.expected_profile = "-"; },
      [](RunRequest& r) {
        r.images.hbm = {"-", 0};
      },
      [](RunRequest& r) {
        r.images.vram = {"-", 0};
      },
      [](RunRequest& r) {
        r.images.fpsram = {"-", 0};
      },
      [](RunRequest& r) {
        r.images.intsram = {"-", 0};
      },
      [](RunRequest& r) { r.expect.memory.push_back({.file = "-"}); },
  };
  for (std::size_t i = 0; i < std::size(kInputs); ++i) {
    NamedRun one = Named("run.json");
    kInputs[i](one.request);
    EXPECT_EQ(refused({one}), "") << i;
    EXPECT_EQ(refused({one, Named("b.json")}), "") << i;
    EXPECT_EQ(refused({one, one}), kText) << i;
    for (std::size_t j = i + 1; j < std::size(kInputs); ++j) {
      NamedRun two = one;
      kInputs[j](two.request);
      EXPECT_EQ(refused({two}), kText) << i << " and " << j;
    }
    // A manifest from standard input is an input too.
    one.name = "-";
    if (i > 0) {
      EXPECT_EQ(refused({one}), kText) << i;
    }
  }
}

}  // namespace
}  // namespace moescope::session
