// diff, diff profile and diff stages: what they print, what they exit with and what they refuse.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "stages/stage.h"
#include "tests/cli/diff_command_fixture.h"

namespace moescope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Document = nlohmann::json;
using Words = std::vector<std::string>;
using test::DiffCommandTest;

TEST_F(DiffCommandTest, EqualProfilesExitWithZero) {
  for (const Words& words : {Words{fast_, fast_}, Words{"profile", fast_, fast_}}) {
    const test::Outcome outcome = Diff(words);
    EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("within tolerance: "));
    EXPECT_EQ(outcome.err, "");
  }
}

TEST_F(DiffCommandTest, ADifferenceExitsWithOneAndNamesWhatMoved) {
  const test::Outcome outcome = Diff({fast_, slow_});
  EXPECT_EQ(outcome.code, ExitCode::kCheckFailed);
  EXPECT_THAT(outcome.out, StartsWith(absl::StrCat("A: ", fast_, "\nB: ", slow_, "\n")));
  EXPECT_THAT(outcome.out, HasSubstr("accumulator_init"));
  EXPECT_THAT(outcome.out, HasSubstr("S_ADDI_INT +3"));
  EXPECT_THAT(outcome.out, HasSubstr(" judged metrics exceed their tolerance\n"));
}

struct Judged {
  Words options;
  ExitCode code;
};

TEST_F(DiffCommandTest, TolerancesAndDirectionDecide) {
  // 13 and 16 cycles, and all of it in accumulator_init: 11 and 14, 27.2727... %.
  const Judged kJudged[] = {
      {{"--tolerance=cycles=3"}, ExitCode::kSuccess},
      {{"--tolerance=cycles=2"}, ExitCode::kCheckFailed},
      {{"--tolerance=cycles=27.2728%"}, ExitCode::kSuccess},
      {{"--tolerance=cycles=27.2727%"}, ExitCode::kCheckFailed},
      {{"--tolerance=cycles=25%", "--tolerance=cycles:accumulator_init=28%"}, ExitCode::kSuccess},
      {{"--tolerance=cycles=25%", "--tolerance=cycles:accumulator_init=27%"},
       ExitCode::kCheckFailed},
      {{"--tolerance=bytes=0"}, ExitCode::kSuccess},
      {{"--tolerance=*=3"}, ExitCode::kSuccess},
      {{"--tolerance=*=2"}, ExitCode::kCheckFailed},
      {{"--direction=any"}, ExitCode::kCheckFailed},
      {{"--direction=regress"}, ExitCode::kCheckFailed},
      {{"--stage=scatter_combine"}, ExitCode::kSuccess},
      {{"--stage=acc*"}, ExitCode::kCheckFailed},
      {{"--pair=0"}, ExitCode::kSuccess},
      {{"--pairs", "--tolerance=cycles=3"}, ExitCode::kSuccess},
      {{"--unit=ns", "--tolerance=cycles=3"}, ExitCode::kSuccess},
      {{"--unit=cycles", "--tolerance=cycles=2"}, ExitCode::kCheckFailed},
  };
  for (const Judged& judged : kJudged) {
    for (const bool named : {false, true}) {
      Words words = judged.options;
      words.insert(words.end(), {fast_, slow_});
      if (named) words.insert(words.begin(), "profile");
      const test::Outcome outcome = Diff(words);
      EXPECT_EQ(outcome.code, judged.code)
          << ::testing::PrintToString(words) << outcome.out << outcome.err;
      EXPECT_EQ(outcome.err, "");
    }
  }
  // What became faster is no regression.
  EXPECT_EQ(Diff({slow_, fast_, "--direction=regress"}).code, ExitCode::kSuccess);
  EXPECT_EQ(Diff({slow_, fast_}).code, ExitCode::kCheckFailed);
}

TEST_F(DiffCommandTest, FormatsHoldTheSameNumbers) {
  const test::Outcome json = Diff({fast_, slow_, "--format=json"});
  EXPECT_EQ(json.code, ExitCode::kCheckFailed);
  const Document document = Document::parse(json.out);
  EXPECT_EQ(document["schema"], "moescope.diff");
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["within"], false);
  EXPECT_EQ(document["rows"][0]["metric"], "cycles");
  EXPECT_EQ(document["rows"][0]["a"], 13);
  EXPECT_EQ(document["rows"][0]["b"], 16);
  EXPECT_EQ(document["rows"][0]["delta_ppm"], 230769);
  const test::Outcome markdown = Diff({fast_, slow_, "--format=markdown"});
  EXPECT_THAT(markdown.out, StartsWith("## Profile difference: "));
  EXPECT_THAT(markdown.out, HasSubstr("| accumulator_init | 11 | 14 | +3 |"));
  EXPECT_EQ(Diff({fast_, slow_, "--format=text"}).out, Diff({fast_, slow_}).out);
}

TEST_F(DiffCommandTest, OutputGoesToAFile) {
  const std::string path = folder_.Path("d.txt");
  const test::Outcome outcome = Diff({fast_, slow_, "-o", path});
  EXPECT_EQ(outcome.code, ExitCode::kCheckFailed);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(folder_.Read("d.txt"), Diff({fast_, slow_}).out);
  EXPECT_THAT(Error({fast_, slow_, "-o", folder_.Path("none/d.txt")}, ExitCode::kInput),
              StartsWith("moescope: cannot create '"));
}

TEST_F(DiffCommandTest, RefusesWhatCannotBeComparedAndSaysHowToAllowIt) {
  const std::string other = test::WriteProfile(folder_, "other.json", {"--timing=pipelined"});
  EXPECT_EQ(Error({fast_, other, "--allow=machine"}, ExitCode::kInput),
            "moescope: not comparable: timing model A 'serial', B 'pipelined' (--allow=model)\n");
  EXPECT_THAT(Error({"profile", fast_, other}, ExitCode::kInput), HasSubstr("(--allow=machine)"));
  const test::Outcome allowed = Diff({fast_, other, "--allow=model,machine"});
  EXPECT_EQ(allowed.code, ExitCode::kCheckFailed);
  EXPECT_THAT(allowed.out, HasSubstr("allowed: model: timing model A 'serial', B 'pipelined'\n"));
  EXPECT_EQ(Diff({fast_, other, "--allow=model", "--allow=machine"}).out, allowed.out);

  const std::string cut = folder_.Path("cut.json");
  EXPECT_EQ(test::CallMoescope({"run", "--opcode=" + folder_.Path("fast.json.asm"), "-q",
                                "--timing=serial", "--max-instructions=5", "--profile=" + cut})
                .code,
            ExitCode::kLimit);
  EXPECT_EQ(Error({fast_, cut}, ExitCode::kInput),
            "moescope: not comparable: run B is incomplete (--allow=incomplete)\n");
  EXPECT_EQ(Diff({fast_, cut, "--allow=incomplete"}).code, ExitCode::kCheckFailed);
}

TEST_F(DiffCommandTest, TwoStagesOfOneProfileOrOfTwo) {
  const Words kForms[] = {
      {fast_, "--stages", "accumulator_init", "scatter_combine"},
      {"--stages", "accumulator_init", "scatter_combine", fast_},
      {"profile", fast_, "--stages", "accumulator_init", "scatter_combine"},
      {"profile", fast_, fast_, "--stages", "accumulator_init", "scatter_combine"},
      {"stages", "accumulator_init", "scatter_combine", fast_},
      {"stages", "accumulator_init", "scatter_combine", fast_, fast_},
  };
  const test::Outcome first = Diff(kForms[0]);
  EXPECT_EQ(first.code, ExitCode::kCheckFailed);
  EXPECT_THAT(first.out, HasSubstr("accumulator_init -> scatter_combine"));
  for (const Words& words : kForms) {
    const test::Outcome outcome = Diff(words);
    EXPECT_EQ(outcome.code, ExitCode::kCheckFailed) << outcome.err;
    EXPECT_EQ(outcome.out, first.out);
  }
  EXPECT_EQ(Diff({"stages", "scatter_combine", "scatter_combine", fast_, slow_}).code,
            ExitCode::kSuccess);
  EXPECT_EQ(Diff({"stages", "accumulator_init", "accumulator_init", fast_, slow_}).code,
            ExitCode::kCheckFailed);
  EXPECT_EQ(
      Diff({"stages", "accumulator_init", "accumulator_init", fast_, slow_, "--tolerance=cycles=3"})
          .code,
      ExitCode::kSuccess);
  EXPECT_EQ(Error({"stages", "accumulator_int", "scatter_combine", fast_}, ExitCode::kInput),
            absl::StrCat("moescope: ", fast_,
                         " has no stage 'accumulator_int'; did you mean 'accumulator_init'?\n"));
}

TEST_F(DiffCommandTest, SharedAgainstRoutedPrintsTheCaveat) {
  const std::string both = test::WriteProfile(
      folder_, "both.json", {"--timing=serial"},
      "; @stage=expert_projection pair=0\nS_ADDI_INT gp1, gp0, 1\n"
      "; @stage=shared_expert\nS_ADDI_INT gp1, gp0, 1\nS_ADDI_INT gp1, gp0, 1\n");
  const Words words = {both, "--stages", "shared_expert", "expert_projection"};
  std::string out = Diff(words).out;
  std::replace(out.begin(), out.end(), '\n', ' ');
  EXPECT_THAT(out, HasSubstr(std::string(stages::kSharedVersusRoutedCaveat.substr(0, 90))));
  Words json = words;
  json.push_back("--format=json");
  EXPECT_EQ(Document::parse(Diff(json).out)["caveat"],
            std::string(stages::kSharedVersusRoutedCaveat));
}

TEST_F(DiffCommandTest, KindsAreNotMixed) {
  const std::string log = Log("a.log", test::kMarkedProgram);
  const std::string dumps = Dumps("d", test::kMarkedProgram);
  EXPECT_EQ(Error({fast_, log}, ExitCode::kInput),
            absl::StrCat("moescope: only files of one kind can be compared: ", fast_,
                         " belongs to profiles, ", log, " to commit logs\n"));
  EXPECT_EQ(Error({log, dumps}, ExitCode::kInput),
            absl::StrCat("moescope: only files of one kind can be compared: ", log,
                         " belongs to commit logs, ", dumps, " to dumps\n"));
  EXPECT_EQ(Error({"dump", dumps, dumps + "/intsram_dump.bin"}, ExitCode::kInput),
            absl::StrCat("moescope: ", dumps, " and ", dumps,
                         "/intsram_dump.bin: a folder of dumps and a file cannot be compared\n"));
  EXPECT_EQ(Error({"log", dumps, log}, ExitCode::kInput),
            absl::StrCat("moescope: ", dumps, " is a folder, not a commit log\n"));
  EXPECT_EQ(Error({"profile", fast_, dumps}, ExitCode::kInput),
            absl::StrCat("moescope: ", dumps, " is a folder, not a profile\n"));
}

struct WrongUse {
  Words words;
  const char* message;
};

TEST_F(DiffCommandTest, OptionsOfAnotherKindAreRefused) {
  const std::string log = Log("a.log", test::kMarkedProgram);
  const std::string dumps = Dumps("d", test::kMarkedProgram);
  const WrongUse kWrong[] = {
      {{fast_, slow_, "--ignore=cycle"},
       "--ignore is for comparing commit logs; these are profiles"},
      {{fast_, slow_, "--context=3"}, "--context is for comparing commit logs; these are profiles"},
      {{fast_, slow_, "--program=x"}, "--program is for comparing commit logs; these are profiles"},
      {{fast_, slow_, "--element=u32"}, "--element is for comparing dumps; these are profiles"},
      {{log, log, "--tolerance=cycles=1"},
       "--tolerance is for comparing profiles; these are commit logs"},
      {{log, log, "--pairs"}, "--pairs is for comparing profiles; these are commit logs"},
      {{dumps, dumps, "--unit=ns"}, "--unit is for comparing profiles; these are dumps"},
      {{dumps, dumps, "--allow=isa"}, "--allow is for comparing profiles; these are dumps"},
      {{dumps, dumps, "--element=u32"},
       "--element is for files; dump_manifest.json says what a folder holds"},
      {{fast_}, "missing argument B"},
      {{"profile", fast_}, "missing argument B"},
      {{"log", log}, "missing argument B"},
      {{"stages", "gather", "gather"}, "missing argument PROFILE"},
      {{"-", "-"}, "at most one input may be '-'"},
      {{"log", "-", "-"}, "at most one input may be '-'"},
      {{fast_, slow_, "--tolerance=cycles"}, "tolerance 'cycles': expected METRIC=P% or METRIC=N"},
      {{fast_, slow_, "--tolerance=cycles=few"},
       "tolerance 'cycles=few': expected METRIC=P% or METRIC=N"},
      {{fast_, slow_, "--pair=x"}, "--pair: 'x' is not a number: a digit is missing"},
      {{fast_, slow_, "--expert="},
       "the argument for option '--expert' should follow immediately after the equal sign"},
      {{log, log, "--context=-1"}, "--context: '-1' is not a number: a digit is missing"},
      {{"log", log, log, "--tolerance=cycles=1"}, "unknown option '--tolerance'"},
      {{"profile", fast_, slow_, "--ignore=seq"}, "unknown option '--ignore'"},
      {{fast_, slow_, "--allow=moel"},
       "--allow=moel: unknown value; allowed: isa, model, machine, clock, incomplete; did you mean "
       "'model'?"},
      {{fast_, slow_, "--direction=up"}, "--direction=up: unknown value; allowed: any, regress"},
      {{fast_, slow_, "--unit=ms"},
       "--unit=ms: unknown value; allowed: cycles, ns; did you mean 'ns'?"},
      {{fast_, slow_, "--format=junit"},
       "--format=junit: unknown value; allowed: text, json, markdown"},
      {{fast_, slow_, fast_}, "too many arguments: 3 given, at most 2 taken"},
  };
  for (const WrongUse& wrong : kWrong) {
    EXPECT_THAT(Error(wrong.words, ExitCode::kUsage),
                StartsWith(absl::StrCat("moescope: ", wrong.message, "\n")));
  }
}

TEST_F(DiffCommandTest, FilesThatCannotBeReadAreNamed) {
  const std::string missing = folder_.Path("missing");
  for (const char* kind : {"profile", "log", "dump"}) {
    EXPECT_EQ(Error({kind, missing, missing}, ExitCode::kInput),
              absl::StrCat("moescope: cannot open '", missing, "': No such file or directory\n"));
  }
  EXPECT_EQ(Error({fast_, missing}, ExitCode::kInput),
            absl::StrCat("moescope: cannot open '", missing, "': No such file or directory\n"));
  const std::string broken = folder_.Write("broken.json", "{\"schema\": ");
  EXPECT_THAT(Error({fast_, broken}, ExitCode::kInput),
              StartsWith(absl::StrCat("moescope: ", broken, ": ")));
  const std::string empty = folder_.Path("empty");
  std::filesystem::create_directory(empty);
  EXPECT_EQ(Error({empty, empty}, ExitCode::kInput),
            absl::StrCat("moescope: cannot open '", empty,
                         "/dump_manifest.json': No such file or directory\n"));
}

TEST_F(DiffCommandTest, PublicStageProfilesAreASide) {
  const std::string out = folder_.Path("public.json");
  EXPECT_EQ(test::CallMoescope({"report", fast_, "--format=stage_profile_v2", "-o", out}).code,
            ExitCode::kSuccess);
  const test::Outcome outcome = Diff({fast_, out});
  EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.out << outcome.err;
  EXPECT_EQ(Diff({slow_, out}).code, ExitCode::kCheckFailed);
  EXPECT_EQ(Error({fast_, out, "--pairs"}, ExitCode::kInput),
            "moescope: filters need two profiles, not a public stage profile\n");
}

}  // namespace
}  // namespace moescope::cli
