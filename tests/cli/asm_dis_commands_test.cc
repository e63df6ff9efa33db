// asm and dis: every option honoured or refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/cli/source_command_fixture.h"

namespace moescope::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Document = nlohmann::json;
using Words = std::vector<std::string>;
using test::SourceCommandsTest;

constexpr char kWords[] =
    "0x00000062\n0x000000A2\n0x00000CEF\n0x000008A7\n0x000048A2\n0x000000F0\n0x0000444D\n";
TEST_F(SourceCommandsTest, AsmWritesWhatEmitNames) {
  const std::pair<const char*, const char*> kFormats[] = {
      {"container", "p.moe"}, {"mem", "p.mem"},   {"hex", "p.hex"},    {"bin", "p.bin"},
      {"readmemh", "p.vmem"}, {"json", "p.json"}, {"listing", "p.lst"}};
  for (const auto& [format, file] : kFormats) {
    EXPECT_FALSE(folder_.Has(file));
    EXPECT_EQ(Out({"asm", program_, absl::StrCat("--emit=", format)}), "");
    EXPECT_TRUE(folder_.Has(file)) << format;
  }
  EXPECT_EQ(File("p.mem"), kWords);
  EXPECT_EQ(File("p.bin").size(), 28u);
  EXPECT_THAT(File("p.lst"), HasSubstr("accumulator_init"));
  EXPECT_THAT(File("p.moe"), StartsWith("MOESCOPE"));
  // The default, and a name of one's own.
  EXPECT_EQ(Out({"asm", program_, "-o", folder_.Path("mine")}), "");
  EXPECT_EQ(File("mine"), File("p.moe"));
  EXPECT_EQ(Out({"asm", program_, "--emit=mem", "-o", "/dev/null"}), "");
}

TEST_F(SourceCommandsTest, AsmWritesListingAndStageTable) {
  EXPECT_EQ(Out({"asm", program_, "--emit=mem,hex", "-l", folder_.Path("x.lst"), "--stages-out"}),
            "");
  EXPECT_THAT(File("x.lst"), StartsWith("pc     word        stage"));
  EXPECT_THAT(File("p.stages.json"), HasSubstr("moescope.stage_table"));
}

TEST_F(SourceCommandsTest, AsmCheckWritesNothing) {
  EXPECT_EQ(Out({"asm", "--check", program_}), "");
  EXPECT_FALSE(folder_.Has("p.moe"));
  for (const char* option : {"--output=x", "--emit=mem", "--listing=x", "--stages-out"}) {
    const std::string name(std::string_view(option).substr(0, std::string_view(option).find('=')));
    EXPECT_EQ(Error({"asm", "--check", program_, option}, ExitCode::kUsage),
              absl::StrCat("moescope: --check writes nothing, so ", name, " has no meaning\n"));
  }
}

TEST_F(SourceCommandsTest, AsmReportsEveryErrorWithItsPlace) {
  EXPECT_EQ(
      Error({"asm", bad_}, ExitCode::kInput),
      absl::StrCat(
          bad_,
          ":1:12: warning: destination gp0 always reads as zero: the result is dropped "
          "[AS101]\n    1 | S_ADDI_INT gp0, gp0, 1\n      |            ^~~\n",
          bad_, ":2:1: error: unknown mnemonic 'FOO' [AS001]\n    2 | FOO\n      | ^~~\n", bad_,
          ":3:22: error: immediate 999999 does not fit in 18 bits (range 0..262143) [AS008]\n"
          "    3 | S_ADDI_INT gp1, gp0, 999999\n      |                      ^~~~~~\n",
          bad_,
          ":3:22: note: split it: S_LUI_INT gp1, hi(999999) then S_ADDI_INT gp1, gp1, "
          "lo(999999)\n"));
  EXPECT_THAT(Error({"asm", bad_, "--max-errors=1"}, ExitCode::kInput),
              EndsWith("note: 1 more error not shown; --max-errors sets how many are\n"));
  EXPECT_EQ(Error({"asm", bad_, "--max-errors=0"}, ExitCode::kInput),
            Error({"asm", bad_}, ExitCode::kInput));
  EXPECT_FALSE(folder_.Has("bad.moe"));
}

TEST_F(SourceCommandsTest, ColourStandsOutOnRequestOnly) {
  EXPECT_THAT(Error({"asm", bad_, "--color=always"}, ExitCode::kInput),
              HasSubstr("\033[1;31merror:\033[0m unknown mnemonic"));
  EXPECT_THAT(Error({"asm", bad_, "--color=never"}, ExitCode::kInput), Not(HasSubstr("\033")));
  EXPECT_THAT(Error({"asm", bad_, "--color=auto"}, ExitCode::kInput), Not(HasSubstr("\033")));
}

TEST_F(SourceCommandsTest, AsmRulesAndWarnings) {
  const std::string warned = folder_.Write("w.asm", "S_ADDI_INT gp0, gp0, 1\n");
  EXPECT_THAT(Error({"asm", "--check", warned}, ExitCode::kSuccess), HasSubstr("warning: "));
  EXPECT_EQ(Error({"asm", "--check", warned, "-q"}, ExitCode::kSuccess), "");
  EXPECT_EQ(Error({"asm", "--check", warned, "--rule=AS101=off"}, ExitCode::kSuccess), "");
  EXPECT_THAT(Error({"asm", "--check", warned, "--rule=AS101=note"}, ExitCode::kSuccess),
              HasSubstr("note: "));
  EXPECT_THAT(Error({"asm", "--check", warned, "--rule=AS101=error"}, ExitCode::kInput),
              HasSubstr("error: "));
  EXPECT_THAT(Error({"asm", "--check", warned, "--werror"}, ExitCode::kInput),
              HasSubstr("error: "));
  EXPECT_THAT(Error({"asm", "--check", warned, "--rule=AS101"}, ExitCode::kUsage),
              StartsWith("moescope: --rule: "));
  EXPECT_THAT(Error({"asm", "--check", warned, "--rule=AS999=off"}, ExitCode::kUsage),
              StartsWith("moescope: --rule: "));
}

TEST_F(SourceCommandsTest, AsmDefinitionsIncludesVocabulariesAndSets) {
  std::filesystem::create_directory(folder_.Path("inc"));
  folder_.Write("inc/x.inc", "S_ADDI_INT gp1, gp0, N\n");
  const std::string program = folder_.Write("i.asm", ".include \"x.inc\"\n");
  EXPECT_THAT(Error({"asm", "--check", program}, ExitCode::kInput), HasSubstr("x.inc"));
  const std::string folder = folder_.Path("inc");
  EXPECT_THAT(Error({"asm", "--check", program, "-I", folder}, ExitCode::kInput), HasSubstr("'N'"));
  EXPECT_EQ(Error({"asm", "--check", program, "-I", folder, "-D", "N=5"}, ExitCode::kSuccess), "");
  EXPECT_EQ(
      Error({"asm", "--check", program, "--include=" + folder, "--define=N"}, ExitCode::kSuccess),
      "");
  const std::string stage = folder_.Write("s.asm", "; @stage=my_own_stage_x\nC_BREAK\n");
  EXPECT_THAT(Error({"asm", "--check", stage}, ExitCode::kInput), HasSubstr("[MS001]"));
  EXPECT_THAT(Error({"asm", "--check", stage, "--stage-errors=warn"}, ExitCode::kSuccess),
              HasSubstr("warning: "));
  const std::string vocabulary = folder_.Write(
      "v.toml",
      "schema = \"moescope.stages\"\nversion = 1\n[[stage]]\nname = \"my_own_stage_x\"\n"
      "summary = \"Mine.\"\nscope = \"layer\"\n");
  EXPECT_EQ(
      Error({"asm", "--check", stage, "--stage-vocabulary=" + vocabulary}, ExitCode::kSuccess), "");
  EXPECT_EQ(
      Error({"asm", "--check", program_, "--isa=" + folder_.Path("none.json")}, ExitCode::kInput),
      absl::StrCat("moescope: cannot open '", folder_.Path("none.json"),
                   "': No such file or directory\n"));
}

TEST_F(SourceCommandsTest, AsmNamesWhatItCannotWrite) {
  EXPECT_EQ(Error({"asm", program_, "-o", folder_.Path("none/x.moe")}, ExitCode::kInput),
            absl::StrCat("moescope: cannot create '", folder_.Path("none/x.moe"),
                         "': No such file or directory\n"));
  EXPECT_EQ(Error({"asm", program_, "--emit=mem,hex", "-o", "-"}, ExitCode::kUsage),
            "moescope: -o - takes one --emit format\n");
  EXPECT_EQ(Error({"asm", "-", "-"}, ExitCode::kUsage), "moescope: at most one input may be '-'\n");
}

TEST_F(SourceCommandsTest, DisPrintsAProgramBack) {
  Out({"asm", program_, "--emit=container,mem,bin", "--stages-out"});
  const std::string container = folder_.Path("p.moe");
  EXPECT_EQ(Out({"dis", container}), test::kMarkedProgram);
  EXPECT_EQ(Out({"dis", container, "--markers=on"}), test::kMarkedProgram);
  EXPECT_EQ(Out({"dis", container, "--markers=off"}), Out({"dis", folder_.Path("p.mem")}));
  EXPECT_EQ(Out({"dis", folder_.Path("p.bin"), "--raw"}), Out({"dis", folder_.Path("p.mem")}));
  EXPECT_EQ(Out({"dis", folder_.Path("p.mem"), "--stages=" + folder_.Path("p.stages.json")}),
            test::kMarkedProgram);
  EXPECT_EQ(Out({"dis", container, "--markers=off", "--range=2..4"}),
            "C_LOOP_START gp3, 3\nS_ST_INT gp2, gp2, 0\n");
  EXPECT_EQ(Out({"dis", container, "--range=7..7"}), "");
  EXPECT_THAT(Out({"dis", container, "--addresses"}),
              StartsWith("S_ADDI_INT gp1, gp0, 0  ; 00000: 0x00000062\n"));
  EXPECT_EQ(Out({"dis", container, "-o", folder_.Path("again.asm")}), "");
  EXPECT_EQ(File("again.asm"), test::kMarkedProgram);
}

TEST_F(SourceCommandsTest, DisShowsWhatIsNoInstruction) {
  const std::string words = folder_.Write("u.mem", "0x80000034\n0xFFFFFFFF\n");
  EXPECT_EQ(Out({"dis", words}),
            ".word 0x80000034 ; C_BREAK (unused bits set)\n.word 0xFFFFFFFF ; undefined\n");
  EXPECT_EQ(Out({"dis", words, "--lenient"}), "C_BREAK\n.word 0xFFFFFFFF ; undefined\n");
}

TEST_F(SourceCommandsTest, DisRefusesWithTheReason) {
  Out({"asm", program_, "--emit=container,mem", "--stages-out"});
  const std::string words = folder_.Path("p.mem");
  EXPECT_EQ(Error({"dis", words, "--range=4..2"}, ExitCode::kUsage),
            "moescope: --range: write it as BEGIN..END with BEGIN <= END\n");
  EXPECT_EQ(Error({"dis", words, "--range=4"}, ExitCode::kUsage),
            "moescope: --range: write it as BEGIN..END with BEGIN <= END\n");
  EXPECT_EQ(Error({"dis", words, "--raw"}, ExitCode::kInput),
            absl::StrCat(words, ": error: the size, 77 bytes, is no multiple of 4 [PC022]\n"));
  EXPECT_THAT(Error({"dis", folder_.Write("bad.mem", "0x123\nzz\n")}, ExitCode::kInput),
              HasSubstr("[PC020]"));
  EXPECT_THAT(Error({"dis", folder_.Write("empty.mem", "")}, ExitCode::kInput),
              HasSubstr("[PC021]"));
  const std::string other = folder_.Write("o.mem", "0x00000034\n");
  EXPECT_THAT(Error({"dis", other, "--stages=" + folder_.Path("p.stages.json")}, ExitCode::kInput),
              HasSubstr("[PC"));
  std::string changed = File("p.moe");
  changed[changed.size() - 1] ^= 1;
  EXPECT_THAT(Error({"dis", folder_.Write("c.moe", changed)}, ExitCode::kInput), HasSubstr("[PC"));
}

}  // namespace
}  // namespace moescope::cli
