// The isa commands: what they print and what they exit with.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "base/sha256.h"
#include "cli/arguments.h"
#include "cli/option.h"
#include "isa/isa_hash.h"
#include "tests/support/captured_console.h"
#include "tests/support/project_folders.h"

namespace moescope::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
  ExitCode code = ExitCode::kInternal;
  std::string out;
  std::string err;
};

Outcome Call(std::string_view name, const std::vector<std::string>& words) {
  const Command* command = FindCommand(Commands(), name);
  EXPECT_NE(command, nullptr) << name;
  if (command == nullptr) return {};
  const absl::StatusOr<Arguments> arguments = Arguments::Parse(*command, {}, words);
  EXPECT_TRUE(arguments.ok()) << arguments.status();
  if (!arguments.ok()) return {};
  test::CapturedConsole console;
  const ExitCode code = command->run(*arguments, console.console);
  return {code, console.out, console.err};
}

std::string Example(const std::string& file) {
  return test::SourceFolder() + "/examples/02_isa_changes/" + file;
}

TEST(IsaCommandsTest, TheDumpHashesToTheIsaHash) {
  const Outcome outcome = Call("isa dump", {});
  EXPECT_EQ(outcome.code, ExitCode::kSuccess);
  EXPECT_EQ(Sha256Name(outcome.out), isa::IsaHash(isa::InstructionSet::Builtin()));
  EXPECT_THAT(Call("isa dump", {"--format=markdown"}).out, StartsWith("# Instruction set 1.1\n"));
  EXPECT_EQ(Call("isa dump", {Example("isa-1.0.json")}).out, *ReadFile(Example("isa-1.0.json")));
}

TEST(IsaCommandsTest, Check) {
  Outcome outcome = Call("isa check", {"builtin"});
  EXPECT_EQ(outcome.code, ExitCode::kSuccess);
  EXPECT_EQ(outcome.out, "builtin: 54 instructions, 0 problems\n");
  const std::string candidate = "--candidate=----------1111------------110111";
  outcome = Call("isa check", {"builtin", candidate});
  EXPECT_EQ(outcome.code, ExitCode::kCheckFailed);
  EXPECT_EQ(outcome.out,
            "builtin: error: the candidate and V_TOPK share the word 0x003C0037 [IS010]\n"
            "builtin: 54 instructions, 1 problem\n");
  outcome = Call("isa check", {"builtin", candidate, "--warn"});
  EXPECT_EQ(outcome.code, ExitCode::kSuccess);
  EXPECT_THAT(outcome.out, StartsWith("builtin: warning: the candidate"));
  outcome = Call("isa check", {"no-such-file.json"});
  EXPECT_EQ(outcome.code, ExitCode::kInput);
  EXPECT_THAT(outcome.err, HasSubstr("no-such-file.json"));
}

TEST(IsaCommandsTest, Coverage) {
  const Outcome outcome = Call("isa coverage", {"builtin"});
  EXPECT_EQ(outcome.code, ExitCode::kSuccess);
  EXPECT_THAT(outcome.out, HasSubstr("total    545732353 "));
  EXPECT_THAT(outcome.out, EndsWith("opcodes with free function codes: 0x03 0x04\n"));
}

TEST(IsaCommandsTest, Diff) {
  EXPECT_EQ(Call("isa diff", {"builtin", "builtin"}).code, ExitCode::kSuccess);
  const Outcome outcome = Call("isa diff", {Example("isa-1.0.json"), "builtin"});
  EXPECT_EQ(outcome.code, ExitCode::kCheckFailed);
  EXPECT_THAT(outcome.out, StartsWith("version 1.0 became 1.1\n"));
  EXPECT_THAT(outcome.out, HasSubstr("C_SET_TOPK_REG: added: C_SET_TOPK_REG gp\n"));
  EXPECT_THAT(Call("isa diff", {Example("isa-1.0.json"), "builtin", "--format=json"}).out,
              HasSubstr("\"schema\": \"moescope.isa_diff\""));
}

TEST(IsaCommandsTest, AssemblingAndDisassemblingUnderADocument) {
  const std::string folder = testing::TempDir();
  const std::string source = folder + "/topk.asm";
  ASSERT_TRUE(WriteFile(source, "C_SET_TOPK_REG gp1\nV_TOPK gp1, gp2, gp3, 15\n").ok());
  EXPECT_EQ(Call("asm", {source, "--check"}).code, ExitCode::kSuccess);
  Outcome outcome = Call("asm", {source, "--check", "--isa=" + Example("isa-1.0.json")});
  EXPECT_EQ(outcome.code, ExitCode::kInput);
  EXPECT_THAT(outcome.err, HasSubstr("C_SET_TOPK_REG exists since 1.1 [AS001]"));
  EXPECT_THAT(outcome.err, HasSubstr("V_TOPK policy 15 exists since 1.1 [AS010]"));

  ASSERT_TRUE(WriteFile(source, "S_MUL_INT gp1, gp2, gp3\n").ok());
  const std::string isa = "--isa=" + Example("moved-opcode.json");
  const std::string container = folder + "/moved.moe";
  EXPECT_EQ(Call("asm", {source, isa, "-o", container}).code, ExitCode::kSuccess);
  EXPECT_THAT(Call("dis", {container, isa}).out, HasSubstr("S_MUL_INT gp1, gp2, gp3"));
  outcome = Call("dis", {container});
  EXPECT_EQ(outcome.code, ExitCode::kInput);
  EXPECT_THAT(outcome.err, HasSubstr("assembled for ISA 1.2"));
  EXPECT_THAT(Call("dis", {container, "--force-isa"}).out, HasSubstr(".word 0x0000C879"));
}

TEST(IsaCommandsTest, RunningUnderADocument) {
  const std::string folder = testing::TempDir();
  const std::string source = folder + "/moved_run.asm";
  ASSERT_TRUE(WriteFile(source, "S_ADDI_INT gp1, gp0, 6\nS_MUL_INT gp2, gp1, gp1\n").ok());
  const std::string isa = "--isa=" + Example("moved-opcode.json");
  const std::string container = folder + "/moved_run.moe";
  ASSERT_EQ(Call("asm", {source, isa, "-o", container}).code, ExitCode::kSuccess);
  EXPECT_EQ(Call("run", {"--opcode=" + container, isa}).code, ExitCode::kSuccess);
  EXPECT_EQ(Call("run", {"--opcode=" + source, isa}).code, ExitCode::kSuccess);
  const Outcome refused = Call("run", {"--opcode=" + container});
  EXPECT_EQ(refused.code, ExitCode::kInput);
  EXPECT_THAT(refused.err, HasSubstr("[PC005]"));
  const Outcome forced = Call("run", {"--opcode=" + container, "--force-isa"});
  EXPECT_EQ(forced.code, ExitCode::kFault);
  EXPECT_THAT(forced.err, HasSubstr("opcode 0x39 is not an instruction"));
}

// A manifest says the same: a document beside it, or the built-in set by name.
TEST(IsaCommandsTest, ManifestsNameTheirDocument) {
  const std::string folder = testing::TempDir();
  ASSERT_TRUE(WriteFile(folder + "/manifest.asm", "S_MUL_INT gp2, gp1, gp1\n").ok());
  ASSERT_TRUE(WriteFile(folder + "/moved.json", *ReadFile(Example("moved-opcode.json"))).ok());
  const auto manifest = [&folder](const std::string& isa) {
    const std::string path = folder + "/manifest_run.json";
    EXPECT_TRUE(WriteFile(path,
                          "{\"schema\": \"moescope.run\", \"schema_version\": 1, "
                          "\"program\": {\"file\": \"manifest.asm\", \"isa\": \"" +
                              isa + "\"}}")
                    .ok());
    return path;
  };
  const std::string profile = folder + "/manifest_profile.json";
  EXPECT_EQ(Call("run", {manifest("moved.json"), "--profile=" + profile}).code, ExitCode::kSuccess);
  EXPECT_THAT(*ReadFile(profile), HasSubstr("\"version\": \"1.2\""));
  EXPECT_EQ(Call("run", {manifest("builtin"), "--profile=" + profile}).code, ExitCode::kSuccess);
  EXPECT_THAT(*ReadFile(profile), HasSubstr("\"version\": \"1.1\""));
  EXPECT_EQ(Call("run", {manifest("missing.json")}).code, ExitCode::kInput);
}

TEST(IsaCommandsTest, CoverageOfACorpus) {
  const std::string programs = test::SourceFolder() + "/tests/programs";
  const Outcome text = Call("isa coverage", {"builtin", "--corpus=" + programs});
  EXPECT_EQ(text.code, ExitCode::kSuccess) << text.err;
  EXPECT_THAT(text.out, HasSubstr("corpus: 13 programs, 123 words, 0 undefined\n"));
  const Outcome json = Call("isa coverage", {"builtin", "--corpus=" + programs, "--format=json"});
  EXPECT_THAT(json.out, HasSubstr("\"schema\": \"moescope.isa_coverage\""));
  EXPECT_EQ(Call("isa coverage", {"builtin", "--corpus=/no/such/folder"}).code, ExitCode::kInput);
}

}  // namespace
}  // namespace moescope::cli
