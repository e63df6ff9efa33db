// `run --compat=plena` in the place of the public emulator: a harness that knows nothing of
// moescope, and every difference that tools.md 3.1 lists.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "emulator/machine_toml.h"
#include "nlohmann/json.hpp"
#include "profiler/profile_json.h"
#include "tests/support/child_process.h"
#include "tests/support/project_folders.h"
#include "tests/support/scratch_folder.h"

namespace moescope {
namespace {

using test::Moescope;
using test::ProcessResult;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

// Comments as the public compiler writes them; no marker.
constexpr char kProgram[] =
    "; GPT-OSS gather token rows\n"
    "S_LD_INT gp1, gp0, 3\n"
    "V_ADD_VV gp1, gp0, gp0, 0\n"
    "; Tile Row Mul FP\n"
    "S_LD_FP f1, gp0, 2\n"
    "V_MUL_VF gp1, gp1, f1, 0\n"
    "; Store Y from VRAM to HBM\n"
    "H_STORE_V gp1, gp0, a0, 0, 0\n"
    "C_BREAK\n";

// A settings file as the public emulator reads it, with small memories.
std::string PublicSettings() {
  const std::string text(emulator::BuiltinMachineText("plena-64"));
  return absl::StrReplaceAll(text.substr(0, text.find("[MOESCOPE]")),
                             {{"VECTOR_SRAM_SIZE.value = 4194304", "VECTOR_SRAM_SIZE.value = 64"},
                              {"MATRIX_SRAM_SIZE.value = 4096", "MATRIX_SRAM_SIZE.value = 128"},
                              {"HBM_SIZE.value = 17179869184", "HBM_SIZE.value = 65536"}});
}

class PlenaCompatTest : public ::testing::Test {
 protected:
  PlenaCompatTest() {
    folder_.Write("program.asm", kProgram);
    folder_.Write("settings.toml", PublicSettings());
    const ProcessResult assembled = Run({"asm", "program.asm", "--emit=mem", "-o", "program.mem"});
    EXPECT_EQ(assembled.code, 0) << assembled.err;
  }

  ProcessResult Run(Words words, Words environment = {}) const {
    test::ProcessOptions options;
    options.folder = folder_.path();
    options.environment = std::move(environment);
    return Moescope(std::move(words), options);
  }
  // `run` of the program under --compat=plena with more words.
  ProcessResult Compat(const Words& more, Words environment = {}) const {
    Words words = {"run", "--compat=plena", "--opcode=program.mem"};
    words.insert(words.end(), more.begin(), more.end());
    return Run(words, std::move(environment));
  }
  profiler::Profile ReadProfile(const std::string& name) const {
    const auto profile = profiler::ReadProfile(folder_.Read(name));
    EXPECT_TRUE(profile.ok()) << profile.status();
    return profile.value_or(profiler::Profile{});
  }

  test::ScratchFolder folder_;
};

TEST_F(PlenaCompatTest, AHarnessOfThePublicEmulatorWorks) {
  if (std::system("python3 -c pass >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "python3 is not installed";
  }
  const ProcessResult result = test::RunProcess(
      {"/usr/bin/env", "python3", test::SourceFolder() + "/tests/e2e/plena_harness.py",
       folder_.path(), test::MoescopePath(), "run", "--compat=plena"});
  ASSERT_EQ(result.code, 0) << result.out << result.err;
  const auto found = nlohmann::json::parse(result.out);
  EXPECT_EQ(found["topology"]["mlen"], "64");
  EXPECT_EQ(found["topology"]["vlen"], "64");
  EXPECT_EQ(found["topology"]["hlen"], "16");
  EXPECT_EQ(found["topology"]["blen"], "4");
  EXPECT_EQ(found["topology"]["broadcast_amount"], "4");
  EXPECT_EQ(found["vram_bytes"], 64 * 64 * 2);
  EXPECT_EQ(found["mram_bytes"], 2 * 64 * 64 * 2);
  EXPECT_EQ(found["hbm_dumped"], false);
  EXPECT_GT(found["latency_ns"], 4.0);
  EXPECT_GT(found["written"], 0);
  EXPECT_EQ(found["instructions"]["gather"], 2);
  EXPECT_EQ(found["instructions"]["expert_activation"], 2);
  EXPECT_EQ(found["instructions"]["other"], 2);
}

TEST_F(PlenaCompatTest, SetsWhatNoFlagSays) {
  const ProcessResult result = Compat({"--settings=settings.toml", "--profile=p.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const profiler::Profile profile = ReadProfile("p.json");
  EXPECT_EQ(profile.machine.timing_model, "serial");
  EXPECT_EQ(profile.machine.number_convention, "reference");
  for (const char* dump : {"vram", "mram", "fpsram", "intsram"}) {
    EXPECT_TRUE(folder_.Has(absl::StrCat(dump, "_dump.bin"))) << dump;
  }
  EXPECT_FALSE(folder_.Has("hbm_dump.bin"));
  EXPECT_FALSE(folder_.Has("registers.json"));
  for (const char* line :
       {"topology mlen=64 ", "HBM Statistics - Bytes read: ", "Simulation completed. Latency "}) {
    EXPECT_THAT(result.err, HasSubstr(line));
  }
}

TEST_F(PlenaCompatTest, FlagsWin) {
  const ProcessResult result =
      Compat({"--settings=settings.toml", "--timing=pipelined", "--dump=intsram",
              "--dialect=convention=ocp", "--profile=p.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const profiler::Profile profile = ReadProfile("p.json");
  EXPECT_EQ(profile.machine.timing_model, "pipelined");
  EXPECT_EQ(profile.machine.number_convention, "ocp");
  EXPECT_TRUE(folder_.Has("intsram_dump.bin"));
  EXPECT_FALSE(folder_.Has("vram_dump.bin"));
}

TEST_F(PlenaCompatTest, WithoutItNothingOfThatHappens) {
  const ProcessResult result =
      Run({"run", "--opcode=program.mem", "--settings=settings.toml", "--profile=p.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("topology")));
  EXPECT_THAT(result.err, Not(HasSubstr("HBM Statistics")));
  EXPECT_THAT(result.err, Not(HasSubstr("Simulation completed")));
  EXPECT_FALSE(folder_.Has("vram_dump.bin"));
  // A public settings file means serial timing and the reference convention all the same.
  EXPECT_EQ(ReadProfile("p.json").machine.timing_model, "serial");
  EXPECT_EQ(ReadProfile("p.json").machine.number_convention, "reference");
}

TEST_F(PlenaCompatTest, TheSettingsOfTheEnvironmentCountOnlyHere) {
  const Words environment = {"PLENA_SETTINGS_TOML=settings.toml"};
  ASSERT_EQ(Compat({"--profile=here.json"}, environment).code, 0);
  EXPECT_EQ(ReadProfile("here.json").machine.name, "settings");
  ASSERT_EQ(
      Run({"run", "--opcode=program.mem", "--timing=serial", "--profile=there.json"}, environment)
          .code,
      0);
  EXPECT_EQ(ReadProfile("there.json").machine.name, "plena-64");
  // A flag wins over the environment.
  const Words missing = {"PLENA_SETTINGS_TOML=missing.toml"};
  EXPECT_EQ(Compat({}, missing).code, 3);
  EXPECT_EQ(Compat({"--settings=settings.toml"}, missing).code, 0);
}

TEST_F(PlenaCompatTest, BothVersionsOfTheStageProfile) {
  for (const char* version : {"1", "2"}) {
    ASSERT_EQ(
        Compat({"--settings=settings.toml", "--stage-profile-asm=program.asm",
                "--stage-profile-out=s.json", absl::StrCat("--stage-profile-version=", version)})
            .code,
        0);
    const auto json = nlohmann::json::parse(folder_.Read("s.json"));
    EXPECT_EQ(json["schema_version"], std::stoi(version));
    EXPECT_EQ(json["stages"]["gather"]["instructions"], 2);
    EXPECT_EQ(json.contains("total_simulation_cycles"), version == std::string("2"));
  }
}

TEST_F(PlenaCompatTest, StagesOfTheAssembly) {
  const Words flags = {"--settings=settings.toml", "--profile=p.json"};
  const auto with = [&](const char* file) {
    Words words = flags;
    words.push_back(absl::StrCat("--stage-profile-asm=", file));
    return Compat(words);
  };
  const ProcessResult prose = with("program.asm");
  ASSERT_EQ(prose.code, 0) << prose.err;
  EXPECT_THAT(prose.err, StartsWith("note: program.asm has no stage markers; its comments were "
                                    "read by the annotate rules\n"));
  EXPECT_EQ(ReadProfile("p.json").program.attribution, "annotated");

  // Markers win over comments.
  folder_.Write("marked.asm", absl::StrCat("; @stage=shared_expert\n", kProgram));
  const ProcessResult marked = with("marked.asm");
  ASSERT_EQ(marked.code, 0) << marked.err;
  EXPECT_THAT(marked.err, Not(HasSubstr("annotate rules")));
  EXPECT_EQ(ReadProfile("p.json").program.attribution, "markers");
  EXPECT_EQ(profiler::FindStage(ReadProfile("p.json"), "shared_expert")->counters.instructions, 6u);

  folder_.Write("short.asm", "C_BREAK\n");
  const ProcessResult mismatch = with("short.asm");
  EXPECT_EQ(mismatch.code, 3);
  EXPECT_THAT(mismatch.err, HasSubstr("short.asm has 1 instructions, the program has 6 words"));
}

// The differences from the public emulator: errors where it crashes or goes on.
TEST_F(PlenaCompatTest, BadInputsAreErrors) {
  folder_.Write("bad.mem", "0x00000034\n0xZZ\n");
  folder_.Write("large.bin", std::string(65537, '\0'));
  folder_.Write("odd.bin", "abc");
  folder_.Write("broken.toml", absl::StrReplaceAll(PublicSettings(), {{"BLEN.value = 4\n", ""}}));
  const struct {
    Words words;
    const char* error;
  } rows[] = {
      {{"--opcode=bad.mem"}, "bad.mem:2:1: error: "},
      {{"--hbm=large.bin"}, "[IM002]"},
      {{"--vram=large.bin"}, "[IM002]"},
      {{"--fpsram=odd.bin"}, "[IM003]"},
      {{"--intsram=odd.bin"}, "[IM003]"},
      {{"--hbm=missing.bin"}, "[IM001]"},
      {{"--settings=broken.toml"}, "broken.toml:3:"},
      {{"--settings=missing.toml"}, "[CF001]"},
  };
  for (const auto& row : rows) {
    Words words = {"--settings=settings.toml"};
    if (row.words[0].starts_with("--settings")) words.clear();
    words.insert(words.end(), row.words.begin(), row.words.end());
    const ProcessResult result = Compat(words);
    EXPECT_EQ(result.code, 3) << row.words[0] << result.err;
    EXPECT_THAT(result.err, HasSubstr(row.error)) << row.words[0];
  }
}

TEST_F(PlenaCompatTest, MissingKeysCanFallBackToTheBuiltInMachine) {
  folder_.Write("partial.toml", absl::StrReplaceAll(PublicSettings(), {{"BLEN.value = 4\n", ""}}));
  const ProcessResult result =
      Compat({"--settings=partial.toml", "--settings-fallback=defaults", "--profile=p.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("warning: TRANSACTIONAL.CONFIG.BLEN.value"));
}

TEST_F(PlenaCompatTest, SizesTakeTheSameSuffixes) {
  for (const char* size : {"64K", "65536", "0x10000", "64KiB", "1M"}) {
    EXPECT_EQ(Compat({"--settings=settings.toml", absl::StrCat("--hbm-size=", size)}).code, 0)
        << size;
  }
  EXPECT_EQ(Compat({"--settings=settings.toml", "--hbm-size=100"}).code, 3);
}

}  // namespace
}  // namespace moescope
