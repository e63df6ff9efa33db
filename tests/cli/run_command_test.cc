// run: every option about inputs, machine, profile, dumps and limits is honoured, alone and over
// the key of a manifest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tests/cli/run_command_fixture.h"

namespace moescope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Document = nlohmann::json;
using Words = std::vector<std::string>;
using test::RunCommandTest;

TEST_F(RunCommandTest, PrintsTheStageTableUnlessAProfileIsAskedFor) {
  EXPECT_THAT(Run({}).out, HasSubstr("accumulator_init"));
  EXPECT_EQ(Run({"--profile=" + folder_.Path("p.json")}).out, "");
  EXPECT_EQ(Run({"-q"}).out, "");
  const test::Outcome piped = Run({"--commit-log=/dev/null", "--trace=/dev/null"});
  EXPECT_THAT(piped.out, HasSubstr("accumulator_init"));
}

TEST_F(RunCommandTest, ImagesAreLoaded) {
  const std::string program = folder_.Write(
      "load.asm",
      "S_LD_INT gp1, gp0, 1\nS_LD_FP f1, gp0, 1\nS_ST_INT gp1, gp0, 2\nS_ST_FP f1, gp0, 2\n");
  const std::string ints = folder_.Write("i.bin", std::string("\0\0\0\0\x07\0\0\0", 8));
  const std::string half = folder_.Write("f16.bin", std::string("\0\0\x00\x3E", 4));    // 1.5
  const std::string brain = folder_.Write("bf16.bin", std::string("\0\0\xC0\x3F", 4));  // 1.5
  const auto memories = [&](const Words& options) {
    Words words = {"run", "--opcode=" + program, "-q", "--dump=intsram,fpsram",
                   "--dump-dir=" + folder_.Path("out")};
    words.insert(words.end(), options.begin(), options.end());
    EXPECT_EQ(test::CallMoescope(words).code, ExitCode::kSuccess);
    return File("out/intsram_dump.bin").substr(8, 4) + File("out/fpsram_dump.bin").substr(4, 2);
  };
  const std::string expected("\x07\0\0\0\xC0\x3F", 6);
  EXPECT_EQ(memories({"--intsram=" + ints, "--fpsram=" + half}), expected);
  EXPECT_EQ(memories({"--intsram=" + ints, "--fpsram=" + half, "--fpsram-format=fp16"}), expected);
  EXPECT_EQ(memories({"--intsram=" + ints, "--fpsram=" + brain, "--fpsram-format=bf16"}), expected);
  EXPECT_EQ(memories({}), std::string(6, '\0'));
}

TEST_F(RunCommandTest, VramAndHbmImagesAndSizes) {
  const std::string vram = folder_.Write("v.bin", std::string("\x80\x3F", 2));
  const std::string hbm = folder_.Write("h.bin", "abc");
  EXPECT_EQ(Run({"-q", "--vram=" + vram, "--hbm=" + hbm, "--hbm-size=64K", "--dump=vram,hbm",
                 "--dump-dir=" + folder_.Path("out")})
                .code,
            ExitCode::kSuccess);
  // Row 0 was doubled by the program's last instruction: 1 + 1 = 2.
  EXPECT_EQ(File("out/vram_dump.bin").substr(0, 2), std::string("\0\x40", 2));
  EXPECT_EQ(File("out/hbm_dump.bin").size(), 65536u);
  EXPECT_EQ(File("out/hbm_dump.bin").substr(0, 4), std::string("abc\0", 4));
  const test::Outcome outcome = Run({"--hbm-size=100"});
  EXPECT_EQ(outcome.code, ExitCode::kInput);
  EXPECT_THAT(outcome.err, HasSubstr("HBM_SIZE"));
}

TEST_F(RunCommandTest, MachineOptions) {
  EXPECT_EQ(ProfileOf({"--machine=rtl-8"}).machine.name,
            ProfileOf({"--settings=rtl-8"}).machine.name);
  EXPECT_NE(ProfileOf({"--machine=rtl-8"}).machine.sha256, ProfileOf({}).machine.sha256);
  EXPECT_EQ(ProfileOf({"--timing=pipelined"}).machine.timing_model, "pipelined");
  EXPECT_NE(ProfileOf({"--set=hbm.channels=16"}).machine.sha256, ProfileOf({}).machine.sha256);
  EXPECT_EQ(ProfileOf({"--dialect=reference"}).machine.number_convention, "reference");
  const test::Outcome both = Run({"--machine=rtl-8", "--settings=rtl-8"});
  EXPECT_EQ(both.code, ExitCode::kUsage);
  EXPECT_EQ(both.err, "moescope: --machine and --settings are the same; give one\n");
  const std::string keys = folder_.Write("m.toml", "[MOESCOPE.hbm]\nchanels = 8\n");
  EXPECT_EQ(Run({"--machine=" + keys}).code, ExitCode::kInput);
  const test::Outcome fallback =
      Run({"--machine=" + keys, "--allow-unknown-keys", "--settings-fallback=defaults"});
  EXPECT_EQ(fallback.code, ExitCode::kSuccess) << fallback.err;
  EXPECT_THAT(fallback.err, HasSubstr("warning: "));
  EXPECT_THAT(fallback.err, HasSubstr("[CF005]"));
  EXPECT_THAT(fallback.err, HasSubstr("[CF003]"));
}

TEST_F(RunCommandTest, StrictEncodingAndSanitizeFault) {
  const std::string unused = folder_.Write("w.mem", "0x80000034\n");  // C_BREAK with bit 31
  EXPECT_EQ(test::CallMoescope({"run", "--opcode=" + unused}).code, ExitCode::kSuccess);
  const test::Outcome strict =
      test::CallMoescope({"run", "--opcode=" + unused, "--strict-encoding"});
  EXPECT_EQ(strict.code, ExitCode::kFault);
  EXPECT_THAT(strict.err, HasSubstr("[FT1"));
  const std::string unwritten = folder_.Write("u.asm", "S_LD_INT gp1, gp0, 5\n");
  EXPECT_EQ(test::CallMoescope({"run", "--opcode=" + unwritten}).code, ExitCode::kSuccess);
  const test::Outcome sanitize = test::CallMoescope({"run", "--opcode=" + unwritten, "--sanitize"});
  EXPECT_EQ(sanitize.code, ExitCode::kFault);
  EXPECT_THAT(sanitize.err, HasSubstr("[FT91"));
}

TEST_F(RunCommandTest, ProfileOptions) {
  const profiler::Profile profile = ProfileOf({"--label=b=2", "--label=a=1=0", "--hot=2"});
  EXPECT_THAT(profile.labels,
              ::testing::ElementsAre(::testing::Pair("a", "1=0"), ::testing::Pair("b", "2")));
  EXPECT_EQ(profile.hot.size(), 2u);
  EXPECT_EQ(ProfileOf({}).hot.size(), 7u);
  EXPECT_FALSE(ProfileOf({}).host.has_value());
  EXPECT_TRUE(ProfileOf({"--host-stats"}).host.has_value());
  EXPECT_EQ(Run({"--label=x"}).err, "moescope: --label x: write it as KEY=VALUE\n");
}

TEST_F(RunCommandTest, PcTableHasARowPerWord) {
  EXPECT_EQ(Run({"-q", "--pc-table=" + folder_.Path("pc.csv")}).code, ExitCode::kSuccess);
  const std::vector<std::string> lines = absl::StrSplit(File("pc.csv"), '\n', absl::SkipEmpty());
  EXPECT_EQ(lines.size(), 1u + 7u) << File("pc.csv");
}

TEST_F(RunCommandTest, StagesComeFromASidecarOrFromAnotherFile) {
  EXPECT_EQ(test::CallMoescope({"asm", program_, "--emit=mem", "--stages-out"}).code,
            ExitCode::kSuccess);
  const std::string words = folder_.Path("p.mem");
  const auto stages = [&](const Words& options) {
    Words call = {"run", "--opcode=" + words};
    call.insert(call.end(), options.begin(), options.end());
    const test::Outcome outcome = test::CallMoescope(call);
    EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.err;
    return outcome.out;
  };
  EXPECT_THAT(stages({}), Not(HasSubstr("accumulator_init")));
  EXPECT_THAT(stages({"--stages=" + folder_.Path("p.stages.json")}), HasSubstr("accumulator_init"));
  EXPECT_THAT(stages({"--stage-profile-asm=" + program_}), HasSubstr("accumulator_init"));
}

TEST_F(RunCommandTest, VocabulariesAndStageErrors) {
  const std::string program =
      folder_.Write("v.asm", "; @stage=attention_scores_of_mine\nS_ADDI_INT gp1, gp0, 1\n");
  const auto code = [&](const Words& options) {
    Words words = {"run", "--opcode=" + program, "-q"};
    words.insert(words.end(), options.begin(), options.end());
    return test::CallMoescope(words).code;
  };
  EXPECT_EQ(code({}), ExitCode::kInput);
  EXPECT_EQ(code({"--stage-errors=error"}), ExitCode::kInput);
  EXPECT_EQ(code({"--stage-errors=warn"}), ExitCode::kSuccess);
  const std::string vocabulary = folder_.Write(
      "v.toml",
      "schema = \"moescope.stages\"\nversion = 1\n[[stage]]\n"
      "name = \"attention_scores_of_mine\"\nsummary = \"Mine.\"\nscope = \"layer\"\n");
  EXPECT_EQ(code({"--stage-vocabulary=" + vocabulary}), ExitCode::kSuccess);
  EXPECT_EQ(code({"--stage-vocabulary=decoder"}), ExitCode::kInput);
}

TEST_F(RunCommandTest, IncludesAndDefinitions) {
  std::filesystem::create_directory(folder_.Path("inc"));
  folder_.Write("inc/body.inc", "S_ADDI_INT gp1, gp0, N\n");
  const std::string program = folder_.Write("i.asm", ".include \"body.inc\"\n");
  EXPECT_EQ(test::CallMoescope({"run", "--opcode=" + program, "-q"}).code, ExitCode::kInput);
  EXPECT_EQ(test::CallMoescope({"run", "--opcode=" + program, "-q", "-I", folder_.Path("inc"), "-D",
                                "N=5", "--dump=registers", "--dump-dir=" + folder_.path()})
                .code,
            ExitCode::kSuccess);
  EXPECT_EQ(Document::parse(File("registers.json"))["gp"][1], 5);
}

TEST_F(RunCommandTest, StageProfilesOfThePublicEmulator) {
  const std::string out = folder_.Path("s.json");
  EXPECT_EQ(Run({"-q", "--stage-profile-out=" + out}).code, ExitCode::kSuccess);
  EXPECT_FALSE(Document::parse(File("s.json")).contains("cycle_accounting_status"));
  EXPECT_EQ(Run({"-q", "--stage-profile-out=" + out, "--stage-profile-version=2"}).code,
            ExitCode::kSuccess);
  EXPECT_TRUE(Document::parse(File("s.json")).contains("cycle_accounting_status"));
  EXPECT_EQ(Run({"--stage-profile-version=2"}).err,
            "moescope: --stage-profile-version needs --stage-profile-out\n");
}

TEST_F(RunCommandTest, GatesFail) {
  // One of 13 instructions is outside of any stage: 7.6923 %.
  EXPECT_EQ(Run({"-q", "--max-unattributed=7.6923%"}).code, ExitCode::kSuccess);
  const test::Outcome outcome = Run({"-q", "--max-unattributed=7.6922%"});
  EXPECT_EQ(outcome.code, ExitCode::kCheckFailed);
  EXPECT_EQ(
      outcome.err,
      "FAILED: 7.6923% of the instructions belong to no stage, at most 7.6922% are allowed\n");
  EXPECT_EQ(Run({"-q", "--require-coverage=assumed"}).code, ExitCode::kSuccess);
  EXPECT_EQ(Run({"-q", "--require-coverage=measured"}).code, ExitCode::kCheckFailed);
  EXPECT_EQ(RunManifest("\"max_unattributed\": \"7%\"", {"-q"}).code, ExitCode::kCheckFailed);
  EXPECT_EQ(RunManifest("\"max_unattributed\": \"7%\"", {"-q", "--max-unattributed=8%"}).code,
            ExitCode::kSuccess);
  EXPECT_EQ(RunManifest("\"require_coverage\": \"measured\"", {"-q"}).code, ExitCode::kCheckFailed);
  EXPECT_EQ(
      RunManifest("\"require_coverage\": \"measured\"", {"-q", "--require-coverage=assumed"}).code,
      ExitCode::kSuccess);
}

TEST_F(RunCommandTest, DumpsRangesAndSparseFiles) {
  const std::string out = folder_.Path("out");
  EXPECT_EQ(Run({"-q", "--dump=intsram", "--dump=mram,registers", "--dump-dir=" + out}).code,
            ExitCode::kSuccess);
  for (const char* name : {"intsram_dump.bin", "mram_dump.bin", "registers.json"}) {
    EXPECT_TRUE(folder_.Has(absl::StrCat("out/", name))) << name;
  }
  EXPECT_FALSE(folder_.Has("out/vram_dump.bin"));
  const std::string part = folder_.Path("part");
  EXPECT_EQ(Run({"-q", "--dump-range=intsram:1..2", "--dump-range=vram:3", "--sparse",
                 "--dump-dir=" + part})
                .code,
            ExitCode::kSuccess);
  EXPECT_EQ(File("part/intsram_dump.bin"), std::string("\1\0\0\0\2\0\0\0", 8));
  EXPECT_EQ(File("part/vram_dump.bin").size(), 128u);
  EXPECT_EQ(Run({"--dump-range=vram"}).code, ExitCode::kUsage);
  EXPECT_THAT(Run({"--dump-range=vram:5..4", "--dump-dir=" + part}).err, HasSubstr("[IM011]"));
}

TEST_F(RunCommandTest, LimitsEndTheRun) {
  for (const char* option : {"--max-instructions=5", "--max-cycles=5"}) {
    const test::Outcome outcome = Run({option, "--profile=" + folder_.Path("cut.json")});
    EXPECT_EQ(outcome.code, ExitCode::kLimit) << option;
    const auto profile = profiler::ReadProfile(File("cut.json"));
    ASSERT_TRUE(profile.ok());
    EXPECT_FALSE(profile->complete);
    EXPECT_EQ(profile->totals.counters.instructions, 5u) << option;
  }
  EXPECT_EQ(Run({"--timeout=60", "-q"}).code, ExitCode::kSuccess);
  EXPECT_EQ(Run({"--timeout=soon"}).code, ExitCode::kUsage);
}

TEST_F(RunCommandTest, ExpectationsAreReported) {
  const std::string expect = R"("expect": {"instructions": 13, "cycles": 11})";
  const std::string report = folder_.Path("r.json");
  const test::Outcome outcome = RunManifest(expect, {"-q", "--expect-report=" + report});
  EXPECT_EQ(outcome.code, ExitCode::kCheckFailed);
  EXPECT_EQ(outcome.err, "FAILED: cycles: expected 11, got 13\n");
  EXPECT_EQ(Document::parse(File("r.json")).size(), 2u);
  EXPECT_EQ(RunManifest(expect, {"-q", "--expect-report=" + folder_.Path("r.xml")}).code,
            ExitCode::kCheckFailed);
  EXPECT_THAT(File("r.xml"), HasSubstr("tests=\"2\" failures=\"1\""));
}

TEST_F(RunCommandTest, CompatibilityWithThePublicEmulator) {
  const std::string old_folder = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const test::Outcome outcome =
      test::CallMoescope({"run", "--compat=plena", "--opcode=p.asm", "-v"});
  std::filesystem::current_path(old_folder);
  EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("HBM Statistics - Bytes read: 0 | Bytes written: 0 | "));
  EXPECT_THAT(outcome.err, HasSubstr("Simulation completed. Latency "));
  for (const char* name :
       {"vram_dump.bin", "mram_dump.bin", "fpsram_dump.bin", "intsram_dump.bin"}) {
    EXPECT_TRUE(folder_.Has(name)) << name;
  }
  EXPECT_FALSE(folder_.Has("hbm_dump.bin"));
}

TEST_F(RunCommandTest, AnEarlierProfileGivesThePercentage) {
  ProfileOf({});
  EXPECT_EQ(Run({"-q", "--expect-profile=" + folder_.Path("profile.json"), "--no-progress"}).code,
            ExitCode::kSuccess);
  EXPECT_EQ(Run({"-q", "--expect-profile=" + program_}).code, ExitCode::kInput);
}

}  // namespace
}  // namespace moescope::cli
