// diff log and diff dump: what they find.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "tests/cli/diff_command_fixture.h"

namespace moescope::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Document = nlohmann::json;
using Words = std::vector<std::string>;
using test::DiffCommandTest;

TEST_F(DiffCommandTest, EqualLogsExitWithZero) {
  const std::string log = Log("a.log", test::kMarkedProgram);
  for (const Words& words : {Words{log, log}, Words{"log", log, log}}) {
    const test::Outcome outcome = Diff(words);
    EXPECT_EQ(outcome.code, ExitCode::kSuccess);
    EXPECT_EQ(outcome.out, "equal: 13 lines\n");
  }
}

TEST_F(DiffCommandTest, TheFirstDifferingLineIsFound) {
  const std::string a = Log("a.log", test::kMarkedProgram);
  const std::string b =
      Log("b.log", absl::StrReplaceAll(test::kMarkedProgram, {{"gp2, gp2, 1", "gp2, gp2, 2"}}));
  const test::Outcome outcome = Diff({"log", a, b, "--program=" + folder_.Path("a.log.asm")});
  EXPECT_EQ(outcome.code, ExitCode::kCheckFailed);
  EXPECT_THAT(outcome.out, StartsWith("note: differ in program sha256:"));
  EXPECT_THAT(outcome.out, HasSubstr("first difference in line 10 after 4 equal instructions\n"));
  EXPECT_THAT(outcome.out, HasSubstr("a.log.asm:6:1\n"));
  EXPECT_THAT(outcome.out, HasSubstr("columns that differ: word, text, effects\n"));
  EXPECT_THAT(outcome.out, EndsWith("only in A: gp2=0x1\nonly in B: gp2=0x2\n"));
  EXPECT_THAT(Diff({a, b, "--context=1"}).out, Not(HasSubstr("\n  0 0 0")));
  EXPECT_THAT(Diff({a, b, "--context=9"}).out, HasSubstr("\n  0 0 0"));

  const Document json = Document::parse(Diff({a, b, "--format=json"}).out);
  EXPECT_EQ(json["schema"], "moescope.log_diff");
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["equal_lines"], 4);
  EXPECT_EQ(json["difference"]["line"], 10);
  EXPECT_EQ(json["difference"]["columns"], (Document{"word", "text", "effects"}));
  EXPECT_EQ(json["difference"]["only_in_b"], (Document{"gp2=0x2"}));
  EXPECT_EQ(json["difference"]["context"].size(), 4u);
  EXPECT_THAT(Diff({a, b, "--format=markdown"}).out,
              StartsWith("## Commit log difference: first in line 10\n\n* A: "));
}

TEST_F(DiffCommandTest, ColumnsMayBeIgnored) {
  const std::string serial = Log("s.log", test::kMarkedProgram);
  const std::string pipelined = Log("p.log", test::kMarkedProgram, {"--timing=pipelined"});
  EXPECT_EQ(Diff({serial, pipelined}).code, ExitCode::kCheckFailed);
  const test::Outcome outcome = Diff({serial, pipelined, "--ignore=cycle"});
  EXPECT_EQ(outcome.code, ExitCode::kSuccess);
  EXPECT_THAT(outcome.out, HasSubstr("note: differ in machine sha256:"));
  EXPECT_THAT(outcome.out, EndsWith("equal: 13 lines\n"));
  const std::string unmarked =
      Log("u.log", "S_ADDI_INT gp1, gp0, 0\n; @stage=gather\nS_ADDI_INT gp1, gp0, 0\n");
  const std::string marked =
      Log("m.log", "S_ADDI_INT gp1, gp0, 0\n; @stage=router_topk\nS_ADDI_INT gp1, gp0, 0\n");
  EXPECT_EQ(Diff({unmarked, marked}).code, ExitCode::kCheckFailed);
  EXPECT_EQ(Diff({unmarked, marked, "--ignore=cycle,stage"}).code, ExitCode::kSuccess);
}

TEST_F(DiffCommandTest, CompressedLogsAreRead) {
  const std::string plain = Log("a.log", test::kMarkedProgram);
  const std::string packed = Log("a.log.gz", test::kMarkedProgram);
  EXPECT_NE(folder_.Read("a.log"), folder_.Read("a.log.gz"));
  EXPECT_EQ(Diff({plain, packed}).out, "equal: 13 lines\n");
  std::string damaged = folder_.Read("a.log.gz");
  damaged.resize(damaged.size() - 9);
  const std::string cut = folder_.Write("cut.gz", damaged);
  EXPECT_EQ(Error({plain, cut}, ExitCode::kInput),
            absl::StrCat("moescope: ", cut, ": the compressed file ends early\n"));
}

TEST_F(DiffCommandTest, ErrorsOfLogsNameTheFileAndLine) {
  const std::string log = Log("a.log", test::kMarkedProgram);
  const std::string text = folder_.Read("a.log");
  const std::string other =
      folder_.Write("v2.log", absl::StrReplaceAll(text, {{"log 1", "log 2"}}));
  EXPECT_EQ(Error({"log", log, other}, ExitCode::kInput),
            absl::StrCat("moescope: ", other, ":1: not a commit log of version 1\n"));
  EXPECT_EQ(Error({"log", fast_, log}, ExitCode::kInput),
            absl::StrCat("moescope: ", fast_, ":1: not a commit log of version 1\n"));
  const std::string cut = folder_.Write("cut.log", text.substr(0, text.size() - 1));
  EXPECT_EQ(Error({"log", log, cut}, ExitCode::kInput),
            absl::StrCat("moescope: ", cut, ":18: the last line is not complete\n"));
  const std::string program = folder_.Write("x.asm", "C_BREAK\n");
  EXPECT_THAT(Error({"log", log, log, "--program=" + program}, ExitCode::kInput),
              ::testing::ContainsRegex(": sha256:[0-9a-f]+ is not the program of .*a.log, which is "
                                       "sha256:[0-9a-f]+\n"));
  EXPECT_THAT(Error({"log", log, log, "--ignore=cylce"}, ExitCode::kUsage),
              HasSubstr("did you mean 'cycle'?"));
}

TEST_F(DiffCommandTest, DumpsAreComparedElementByElement) {
  const std::string a = Dumps("a", test::kMarkedProgram);
  const std::string b =
      Dumps("b", absl::StrReplaceAll(test::kMarkedProgram, {{"S_ST_INT gp2", "S_ST_INT gp3"}}));
  const test::Outcome same = Diff({a, a});
  EXPECT_EQ(same.code, ExitCode::kSuccess);
  EXPECT_THAT(same.out, HasSubstr("intsram_dump.bin: equal (4096 bytes)\n"));
  EXPECT_THAT(same.out, EndsWith("equal\n"));

  const test::Outcome outcome = Diff({"dump", a, b});
  EXPECT_EQ(outcome.code, ExitCode::kCheckFailed);
  EXPECT_EQ(
      outcome.out,
      absl::StrCat("A: ", a, "\nB: ", b,
                   "\nintsram_dump.bin: 3 of 1024 elements differ, first in word 0: A 0, B 3; "
                   "largest difference 3\nregisters.json: equal (",
                   folder_.Read("a/registers.json").size(), " bytes)\ndifferent\n"));
  const Document json = Document::parse(Diff({a, b, "--format=json"}).out);
  EXPECT_EQ(json["schema"], "moescope.dump_diff");
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["files"][0]["differing"], 3);
  EXPECT_EQ(json["files"][0]["first"]["place"], "word 0");
  EXPECT_EQ(json["files"][1]["differing"], 0);
  EXPECT_THAT(Diff({a, b, "--format=markdown"}).out,
              HasSubstr("| intsram_dump.bin | 3 of 1024 elements differ, first in word 0: "));

  // The same as single files, with and without the type of their elements.
  const Words files = {a + "/intsram_dump.bin", b + "/intsram_dump.bin"};
  EXPECT_THAT(Diff({"dump", files[0], files[1], "--element=u32"}).out,
              HasSubstr("3 of 1024 elements differ, first in element 0: A 0, B 3"));
  EXPECT_THAT(Diff({files[0], files[1]}).out,
              HasSubstr("3 of 4096 elements differ, first in element 0: A 0x00, B 0x03"));
}

TEST_F(DiffCommandTest, DumpFoldersMayDifferInWhatTheyHold) {
  const std::string a = Dumps("a", test::kMarkedProgram);
  const std::string b = Dumps("b", test::kMarkedProgram, "registers,fpsram");
  const test::Outcome outcome = Diff({a, b});
  EXPECT_EQ(outcome.code, ExitCode::kCheckFailed);
  EXPECT_THAT(outcome.out, HasSubstr("intsram_dump.bin: only in A\nfpsram_dump.bin: only in B\n"));
  const std::string c = folder_.Path("c");
  EXPECT_EQ(test::CallMoescope({"run", "--opcode=" + folder_.Path("a.asm"), "-q", "--dump-dir=" + c,
                                "--dump-range=intsram:0..7"})
                .code,
            ExitCode::kSuccess);
  EXPECT_EQ(Error({a, c}, ExitCode::kInput),
            "moescope: not comparable: intsram_dump.bin holds other elements or another range in A "
            "and in B\n");
}

TEST_F(DiffCommandTest, RegistersAreComparedLineByLine) {
  const std::string a = Dumps("a", "S_ADDI_INT gp5, gp0, 3\n", "registers");
  const std::string b = Dumps("b", "S_ADDI_INT gp5, gp0, 4\n", "registers");
  for (const Words& words : {Words{a, b}, Words{a + "/registers.json", b + "/registers.json"}}) {
    const test::Outcome outcome = Diff(words);
    EXPECT_EQ(outcome.code, ExitCode::kCheckFailed);
    EXPECT_THAT(outcome.out, HasSubstr("lines differ, first in line "));
    EXPECT_THAT(outcome.out, HasSubstr(": A 3,, B 4,\n"));
  }
}

}  // namespace
}  // namespace moescope::cli
