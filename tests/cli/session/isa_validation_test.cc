#include "cli/session/isa_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "cli/session/exit_code.h"
#include "isa/document_json.h"
#include "tests/isa/document_fixture.h"
#include "tests/isa/scrambled_document.h"
#include "tests/support/scratch_folder.h"

namespace moescope::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Run = ProgramValidation::Run;

// Uses V_EXP_V, S_MUL_INT and V_SHFT_V once each, in this order, in two stages.
constexpr char kProgram[] =
    "; @stage=gather\n"
    "S_ADDI_INT gp1, gp0, 64\n"
    "V_EXP_V gp1, gp0\n"
    "; @stage=scatter_combine pair=0\n"
    "S_MUL_INT gp2, gp1, gp1\n"
    "S_ADDI_INT gp3, gp0, 3\n"
    "V_SHFT_V gp1, gp1, gp3\n"
    "C_BREAK\n";

constexpr char kWithoutThem[] = "S_ADDI_INT gp1, gp0, 5\nS_ADD_INT gp2, gp1, gp1\nC_BREAK\n";

class IsaValidationTest : public ::testing::Test {
 protected:
  IsaValidationTest() {
    request_.before = "builtin";
    request_.corpus = {folder_.path() + "/corpus"};
    Program("one", kProgram);
  }

  void Program(const std::string& name, const std::string& text,
               const std::string& file = "p.asm") {
    const std::string at = absl::StrCat("corpus/", name, "/");
    std::filesystem::create_directories(folder_.Path(at));
    folder_.Write(at + file, text);
    folder_.Write(
        at + "run.json",
        "{\"schema\": \"moescope.run\", \"schema_version\": 1, \"program\": {\"file\": \"" + file +
            "\"}, \"machine\": {\"timing\": \"serial\"}}");
  }
  void Remove(const std::string& name) {
    std::filesystem::remove_all(folder_.Path("corpus/" + name));
  }

  std::string Write(const isa::Document& document, const std::string& name = "new.json") {
    return folder_.Write(name, WriteDocumentJson(document));
  }

  IsaValidation Validate(const isa::Document& after) {
    request_.after = Write(after);
    absl::StatusOr<IsaValidation> validation = ValidateIsaChange(request_);
    EXPECT_TRUE(validation.ok()) << validation.status();
    return validation.ok() ? *std::move(validation) : IsaValidation{};
  }

  test::ScratchFolder folder_;
  IsaValidationRequest request_;
};

TEST_F(IsaValidationTest, NoChangeIsCompatible) {
  const IsaValidation v = Validate(isa::test::Builtin());
  EXPECT_EQ(v.verdict, IsaVerdict::kCompatible);
  EXPECT_FALSE(v.timing_changed);
  EXPECT_TRUE(v.passed());
  EXPECT_TRUE(v.diff.equal());
  EXPECT_EQ(v.before_coverage, v.after_coverage);
  ASSERT_THAT(v.programs, SizeIs(1));
  EXPECT_EQ(v.programs[0].name, "one/run.json");
  EXPECT_EQ(v.programs[0].run, Run::kEqual);
  EXPECT_EQ(v.programs[0].words, 6u);
  EXPECT_EQ(v.programs[0].same, 6u);
  EXPECT_EQ(v.programs[0].reassembled, 0u);
  EXPECT_EQ(v.programs[0].instructions, 6u);
  EXPECT_EQ(v.programs[0].before_cycles, v.programs[0].after_cycles);
  EXPECT_THAT(v.programs[0].stages, IsEmpty());
  EXPECT_THAT(v.not_judged, IsEmpty());
}

TEST_F(IsaValidationTest, AMovedOpcodeAsksForReassembly) {
  IsaValidation v = Validate(isa::test::MovedOpcode());
  EXPECT_EQ(v.verdict, IsaVerdict::kReassemble);
  EXPECT_FALSE(v.passed());
  EXPECT_THAT(v.reasons, ElementsAre("1 word of the corpus changes meaning"));
  EXPECT_THAT(v.failures, ElementsAre("the verdict is re-assemble"));
  ASSERT_THAT(v.meanings, SizeIs(1));
  EXPECT_EQ(v.witnesses[0].word, 0x24u);
  EXPECT_EQ(v.witnesses[0].before, "S_MUL_INT gp0, gp0, gp0");
  EXPECT_EQ(v.witnesses[0].after, ".word 0x00000024 ; undefined");
  ASSERT_THAT(v.instructions, SizeIs(1));
  EXPECT_EQ(v.instructions[0].mnemonic, "S_MUL_INT");
  EXPECT_EQ(v.instructions[0].undefined, 1u);
  EXPECT_EQ(v.instructions[0].first, "one/run.json: line 5");
  EXPECT_EQ(v.instructions[0].word.word, 0x000044A4u);
  EXPECT_EQ(v.programs[0].undefined, 1u);
  EXPECT_EQ(v.programs[0].reassembled, 1u);
  EXPECT_EQ(v.programs[0].run, Run::kEqual);
  EXPECT_THAT(v.not_judged, IsEmpty());

  request_.accept_reassembly = true;
  v = Validate(isa::test::MovedOpcode());
  EXPECT_EQ(v.verdict, IsaVerdict::kReassemble);
  EXPECT_TRUE(v.passed());
}

TEST_F(IsaValidationTest, AChangedLatencyIsCompatibleAndStated) {
  const IsaValidation v = Validate(isa::test::ChangedLatency());
  EXPECT_EQ(v.verdict, IsaVerdict::kCompatible);
  EXPECT_TRUE(v.timing_changed);
  EXPECT_TRUE(v.passed());
  const ProgramValidation& program = v.programs[0];
  EXPECT_NE(program.before_cycles, program.after_cycles);
  ASSERT_THAT(program.stages, SizeIs(1));
  EXPECT_EQ(program.stages[0].name, "gather");
  ASSERT_TRUE(program.most_changed.has_value());
  EXPECT_EQ(program.most_changed->name, "V_EXP_V");
  EXPECT_EQ(program.after_cycles - program.before_cycles,
            program.most_changed->after - program.most_changed->before);
  EXPECT_THAT(IsaValidationText(v), HasSubstr("\nverdict: compatible, timing changed\n"));
}

TEST_F(IsaValidationTest, AMeaningThatTheBuildLacksBreaksWhoeverReachesIt) {
  IsaValidation v = Validate(isa::test::NewField());
  EXPECT_EQ(v.verdict, IsaVerdict::kBreaking);
  EXPECT_EQ(v.programs[0].run, Run::kDifferent);
  EXPECT_THAT(v.programs[0].difference,
              StartsWith("break after 6 instructions became fault FT703 at pc 4 (V_SHFT_V "));
  EXPECT_THAT(v.programs[0].difference, HasSubstr("; first at instruction 4: "));
  EXPECT_THAT(v.reasons, ElementsAre(StartsWith("one/run.json: break after 6")));

  Remove("one");
  Program("two", kWithoutThem);
  v = Validate(isa::test::NewField());
  EXPECT_EQ(v.verdict, IsaVerdict::kCompatible);
  EXPECT_THAT(v.not_judged, ElementsAre("V_SHFT_V"));
  request_.require_coverage = true;
  EXPECT_THAT(Validate(isa::test::NewField()).failures,
              ElementsAre("1 part of the change not judged"));
}

// Programs that need the new set are run under it, and exercise what they use.
TEST_F(IsaValidationTest, AProgramForTheNewSetAlone) {
  request_.before = Write(isa::test::Version10(), "old.json");
  IsaValidation v = Validate(isa::test::Builtin());
  EXPECT_EQ(v.verdict, IsaVerdict::kCompatible);
  EXPECT_THAT(v.not_judged, ElementsAre("V_TOPK policy 15", "C_SET_TOPK_REG"));

  Program("shape", "S_ADDI_INT gp1, gp0, 16 << 8 | 1\nC_SET_TOPK_REG gp1\n");
  v = Validate(isa::test::Builtin());
  EXPECT_THAT(v.not_judged, ElementsAre("V_TOPK policy 15"));
  ASSERT_THAT(v.programs, SizeIs(2));
  EXPECT_TRUE(v.programs[1].only_after);
  EXPECT_EQ(v.programs[1].run, Run::kNewOnly);
  EXPECT_EQ(v.programs[1].before_error,
            "line 2: unknown mnemonic 'C_SET_TOPK_REG' in ISA 1.0: C_SET_TOPK_REG exists since 1.1 "
            "[AS001]");

  Program("topk",
          "S_ADDI_INT gp1, gp0, 16 << 8 | 1\nC_SET_TOPK_REG gp1\n"
          "V_TOPK gp0, gp0, gp0, 15\n");
  v = Validate(isa::test::Builtin());
  EXPECT_THAT(v.not_judged, IsEmpty());
  EXPECT_EQ(v.verdict, IsaVerdict::kCompatible);
  request_.require_coverage = true;
  EXPECT_TRUE(Validate(isa::test::Builtin()).passed());
}

TEST_F(IsaValidationTest, ARemovedInstructionBreaksItsSources) {
  isa::Document document = isa::test::Builtin();
  std::erase_if(document.instructions,
                [](const isa::DocumentInstruction& row) { return row.mnemonic == "S_MUL_INT"; });
  IsaValidation v = Validate(document);
  EXPECT_EQ(v.verdict, IsaVerdict::kBreaking);
  EXPECT_THAT(v.reasons,
              ElementsAre("one/run.json: does not assemble: line 5: unknown mnemonic 'S_MUL_INT' "
                          "in ISA 1.1; the built-in set has it [AS001]"));
  EXPECT_EQ(v.programs[0].run, Run::kNotRun);
  EXPECT_THAT(v.not_judged, ElementsAre("S_MUL_INT"));  // it never ran
  Remove("one");
  Program("two", kWithoutThem);
  v = Validate(document);
  EXPECT_EQ(v.verdict, IsaVerdict::kCompatible);
  EXPECT_THAT(v.not_judged, ElementsAre("S_MUL_INT"));
}

TEST_F(IsaValidationTest, WordsWithoutSourceCannotBeReassembled) {
  Remove("one");
  Program("words", "0x00004062 0x000044A4 0x00000034\n", "p.mem");
  IsaValidation v = Validate(isa::test::MovedOpcode());
  EXPECT_EQ(v.verdict, IsaVerdict::kBreaking);
  EXPECT_TRUE(v.programs[0].is_binary);
  EXPECT_EQ(v.instructions[0].first, "words/run.json: pc 1");
  EXPECT_THAT(v.reasons.back(), "words/run.json: has no source, and its words change meaning");
  v = Validate(isa::test::ChangedLatency());
  EXPECT_EQ(v.verdict, IsaVerdict::kCompatible);
}

// Two instructions that trade opcodes: sources assemble and run as before; words do not.
TEST_F(IsaValidationTest, ASilentChangeOfMeaningIsFoundInWords) {
  isa::Document document = isa::test::Builtin();
  std::swap(isa::test::Row(document, "S_ADD_INT").encoding,
            isa::test::Row(document, "S_MUL_INT").encoding);
  EXPECT_EQ(Validate(document).verdict, IsaVerdict::kReassemble);
  Remove("one");
  Program("words", "0x00014062 0x000044A4 0x00000034\n", "p.mem");
  const IsaValidation v = Validate(document);
  EXPECT_EQ(v.verdict, IsaVerdict::kBreaking);
  EXPECT_EQ(v.programs[0].difference,
            "gp2 0x19 became 0xA; first at instruction 1: pc 1 'S_MUL_INT gp2, gp1, gp1' against "
            "pc 1 'S_ADD_INT gp2, gp1, gp1'");
}

TEST_F(IsaValidationTest, ASetWithErrorsIsJudgedByThemAlone) {
  isa::Document document = isa::test::Builtin();
  isa::test::Row(document, "S_MUL_INT").encoding = isa::test::Row(document, "S_ADD_INT").encoding;
  const IsaValidation v = Validate(document);
  EXPECT_EQ(v.verdict, IsaVerdict::kBreaking);
  EXPECT_EQ(v.problems, 1u);
  EXPECT_THAT(v.programs, IsEmpty());
  EXPECT_THAT(v.reasons, ElementsAre("the new document has 1 problem"));
  EXPECT_THAT(IsaValidationText(v), HasSubstr("share the word 0x00000021 [IS010]\n"));
  EXPECT_THAT(IsaValidationText(v), Not(HasSubstr("coverage:")));
}

TEST_F(IsaValidationTest, SlowdownsAreMeasuredToTheLastPartPerMillion) {
  const IsaValidation v = Validate(isa::test::ChangedLatency());
  const std::uint64_t before = v.programs[0].before_cycles;
  const std::uint64_t after = v.programs[0].after_cycles;
  ASSERT_GT(before, 0u);
  const bool slower = after > before;
  const isa::Document document = slower ? isa::test::ChangedLatency() : isa::test::Builtin();
  if (!slower) request_.before = Write(isa::test::ChangedLatency(), "old.json");
  const std::uint64_t low = std::min(before, after);
  const std::uint64_t more = std::max(before, after) - low;
  // The smallest allowance that passes is more / low in parts per million, rounded up.
  const auto ppm = static_cast<std::uint32_t>((more * 1'000'000 + low - 1) / low);
  request_.max_slowdown_ppm = ppm;
  EXPECT_TRUE(Validate(document).passed());
  request_.max_slowdown_ppm = ppm - 1;
  const IsaValidation failed = Validate(document);
  ASSERT_THAT(failed.failures, SizeIs(1));
  EXPECT_THAT(failed.failures[0],
              StartsWith(absl::StrCat("one/run.json: ", low, " cycles became ", low + more)));
  EXPECT_EQ(failed.verdict, IsaVerdict::kCompatible);
}

TEST_F(IsaValidationTest, EverythingMovedStillReassembles) {
  isa::Document document = isa::test::Scrambled(21);
  for (isa::DocumentInstruction& row : document.instructions) row.mnemonic.erase(0, 2);
  const IsaValidation v = Validate(document);
  EXPECT_EQ(v.verdict, IsaVerdict::kReassemble);
  EXPECT_EQ(v.programs[0].run, Run::kEqual);
  EXPECT_FALSE(v.timing_changed);
  EXPECT_THAT(v.meanings, Not(IsEmpty()));
}

TEST_F(IsaValidationTest, AFaultOnBothSidesIsEqual) {
  Remove("one");
  Program("fault", "S_ADDI_INT gp1, gp0, 5\nV_ADD_VV gp1, gp1, gp1\n");
  const IsaValidation v = Validate(isa::test::MovedOpcode());
  EXPECT_EQ(v.programs[0].run, Run::kEqual);
  EXPECT_EQ(v.verdict, IsaVerdict::kCompatible);
  EXPECT_THAT(v.not_judged, ElementsAre("S_MUL_INT"));
}

TEST_F(IsaValidationTest, ProgramsWithoutManifestAreDecodedAndAssembledOnly) {
  Remove("one");
  folder_.Write("corpus/bare.asm", kProgram);
  const IsaValidation v = Validate(isa::test::MovedOpcode());
  EXPECT_EQ(v.verdict, IsaVerdict::kReassemble);
  EXPECT_EQ(v.programs[0].run, Run::kNotRun);
  EXPECT_THAT(v.not_judged, ElementsAre("S_MUL_INT"));
}

TEST_F(IsaValidationTest, InputErrors) {
  const auto error = [this] {
    const auto validation = ValidateIsaChange(request_);
    EXPECT_EQ(ExitCodeOf(validation.status()), ExitCode::kInput);
    return std::string(validation.status().message());
  };
  request_.after = folder_.Path("none.json");
  EXPECT_THAT(error(), HasSubstr("none.json"));
  request_.after = "builtin";
  isa::Document broken = isa::test::Builtin();
  broken.instructions.front().summary = "";
  request_.before = Write(broken, "broken.json");
  EXPECT_THAT(error(), HasSubstr("[IS015]"));
  request_.before = "builtin";
  Program("bad", "FROBNICATE gp1\n");
  EXPECT_THAT(error(), HasSubstr("unknown mnemonic 'FROBNICATE' [AS001]"));
  request_.corpus = {folder_.Path("nowhere")};
  EXPECT_THAT(error(), HasSubstr("no such file or folder"));
}

// ---- Reports ------------------------------------------------------------------------------------

TEST_F(IsaValidationTest, TheTextReport) {
  Program("two", kWithoutThem);
  EXPECT_EQ(IsaValidationText(Validate(isa::test::MovedOpcode())),
            "ISA 1.1 to 1.2\n"
            "check: 0 problems\n"
            "coverage: defined 545732353 -> 545732353, reserved 2952317183 -> 2952317183, "
            "unassigned 796917760 -> 796917760 of 4294967296 words\n"
            "changes:\n"
            "  S_MUL_INT: encoding: opcode 0x24 became 0x39\n"
            "  S_MUL_INT: of its words 0 mean the same, 0 something else, 4096 nothing; 0x00000024 "
            "'S_MUL_INT gp0, gp0, gp0' became '.word 0x00000024 ; undefined'\n"
            "corpus: 2 programs, 9 words: 8 with equal, 0 with different meaning, 1 undefined\n"
            "  S_MUL_INT: 0 different, 1 undefined; first one/run.json: line 5: 0x000044A4 "
            "'S_MUL_INT gp2, gp1, gp1' became '.word 0x000044A4 ; undefined'\n"
            "  one/run.json: 6 words, source 1 word changed, run equal, cycles 6\n"
            "  two/run.json: 3 words, source unchanged, run equal, cycles 3\n"
            "runs: 2 of 2 equal\n"
            "not judged: nothing\n"
            "verdict: re-assemble\n"
            "  1 word of the corpus changes meaning\n"
            "  FAILED: the verdict is re-assemble\n");
}

TEST_F(IsaValidationTest, TheMarkdownReport) {
  const std::string text = IsaValidationMarkdown(Validate(isa::test::ChangedLatency()));
  EXPECT_THAT(text, StartsWith("## Verdict: compatible, timing changed\n\nISA 1.1 to 1.2.\n"));
  EXPECT_THAT(text, HasSubstr("| V_EXP_V | timing | class 'vector_exp' became "
                              "'vector_reciprocal' |\n"));
  EXPECT_THAT(text, HasSubstr("| one/run.json | 6 | unchanged | equal | "));
  EXPECT_THAT(text, HasSubstr("| V_EXP_V "));
  const std::string moved = IsaValidationMarkdown(Validate(isa::test::MovedOpcode()));
  EXPECT_THAT(moved, HasSubstr("| S_MUL_INT | 0 | 0 | 4096 | 0x00000024 "));
}

TEST_F(IsaValidationTest, TheJsonReportHoldsEverything) {
  const IsaValidation v = Validate(isa::test::NewField());
  const absl::StatusOr<Json> json = ParseJson(IsaValidationJson(v), "v.json", "MF001");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ((*json)["schema"], "moescope.isa_validation");
  EXPECT_EQ((*json)["verdict"], "breaking");
  EXPECT_EQ((*json)["programs"][0]["run"], "different");
  EXPECT_EQ((*json)["programs"][0]["difference"], v.programs[0].difference);
  EXPECT_EQ((*json)["meanings"][0]["witness"]["word"], 0x32);
  EXPECT_EQ((*json)["changes"].size(), v.diff.changes.size());
  EXPECT_EQ((*json)["old_coverage"]["defined"], 545'732'353u);
  EXPECT_FALSE((*json)["programs"][0].contains("most_changed") &&
               !v.programs[0].most_changed.has_value());
}

TEST_F(IsaValidationTest, TheSameInputsGiveTheSameReports) {
  Program("two", kWithoutThem);
  const IsaValidation a = Validate(isa::test::NewField());
  const IsaValidation b = Validate(isa::test::NewField());
  EXPECT_EQ(IsaValidationText(a), IsaValidationText(b));
  EXPECT_EQ(IsaValidationJson(a), IsaValidationJson(b));
  EXPECT_EQ(IsaValidationMarkdown(a), IsaValidationMarkdown(b));
  EXPECT_THAT(IsaValidationJson(a), Not(HasSubstr(folder_.path())));
}

}  // namespace
}  // namespace moescope::session
