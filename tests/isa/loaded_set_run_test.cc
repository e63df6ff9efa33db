// Runs under loaded instruction sets: every layer decodes, names and charges with the loaded rows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/session/isa_side.h"
#include "cli/session/run.h"
#include "isa/container.h"
#include "isa/document_json.h"
#include "isa/isa_hash.h"
#include "profiler/profile_json.h"
#include "tests/isa/scrambled_document.h"
#include "tests/support/captured_console.h"
#include "tests/support/project_folders.h"
#include "tests/support/scratch_folder.h"

namespace moescope::session {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kModels[] = {"serial", "pipelined", "rtl"};

using Set = std::unique_ptr<const isa::InstructionSet>;

Set Load(const isa::Document& document) {
  absl::StatusOr<Set> set = isa::MakeInstructionSet(document, "test.json");
  EXPECT_TRUE(set.ok()) << set.status();
  return *std::move(set);
}

// The program with each word that decodes said in the words of `set`.
isa::Program Translated(isa::Program program, const isa::InstructionSet& set) {
  std::map<std::string_view, const isa::Instruction*> by_meaning;
  for (const isa::Instruction& row : set.instructions()) by_meaning[SemanticsOf(row)] = &row;
  for (std::uint32_t& word : program.words) {
    const isa::Decoded decoded = isa::InstructionSet::Builtin().Decode(word);
    if (decoded.problem != isa::DecodeProblem::kNone) continue;
    word = Encode(*by_meaning.at(decoded.instruction->mnemonic), decoded.operands);
  }
  return program;
}

std::vector<CorpusEntry> OwnPrograms() {
  const std::string folder = test::SourceFolder() + "/tests/programs";
  absl::StatusOr<std::vector<CorpusEntry>> corpus = FindCorpus({{folder}});
  EXPECT_TRUE(corpus.ok()) << corpus.status();
  return *std::move(corpus);
}

// The same meanings under other words, names, fields and opcodes: the same state and the same
// cycles, cost classes, stages and opcode counts, under every timing model.
TEST(LoadedSetRunTest, AScrambledSetRunsTheSamePrograms) {
  int runs = 0;
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    const Set scrambled = Load(isa::test::Scrambled(seed));
    for (CorpusEntry entry : OwnPrograms()) {
      for (const char* model : kModels) {
        SCOPED_TRACE(absl::StrCat(entry.name, " ", model, " seed ", seed));
        entry.request.machine.timing = model;
        const isa::InstructionSet& builtin = isa::InstructionSet::Builtin();
        const absl::StatusOr<isa::Program> program = ProgramUnder(entry, builtin);
        ASSERT_TRUE(program.ok()) << program.status();
        const absl::StatusOr<SideRun> before = RunUnder(entry, *program, builtin);
        const absl::StatusOr<SideRun> after =
            RunUnder(entry, Translated(*program, *scrambled), *scrambled);
        ASSERT_TRUE(before.ok()) << before.status();
        ASSERT_TRUE(after.ok()) << after.status();
        ++runs;
        EXPECT_NE(before->program.words, after->program.words);
        if (before->end.reason != emulator::EndReason::kFault) {
          EXPECT_EQ(DifferenceOf(*before, *after), "");
        }
        EXPECT_EQ(before->end.cycles, after->end.cycles);
        EXPECT_EQ(before->executed, after->executed);
        const profiler::Profile& a = before->profile;
        const profiler::Profile& b = after->profile;
        ASSERT_EQ(a.opcodes.size(), b.opcodes.size());
        std::map<std::string, std::uint64_t> cycles;
        for (const profiler::OpcodeEntry& opcode : a.opcodes) {
          cycles["X_" + opcode.mnemonic] = opcode.cycles;
        }
        for (const profiler::OpcodeEntry& opcode : b.opcodes) {
          EXPECT_EQ(cycles[opcode.mnemonic], opcode.cycles) << opcode.mnemonic;
        }
        ASSERT_EQ(a.stages.size(), b.stages.size());
        for (std::size_t i = 0; i < a.stages.size(); ++i) {
          EXPECT_EQ(a.stages[i].counters.cycles, b.stages[i].counters.cycles) << a.stages[i].name;
        }
        ASSERT_EQ(a.model.coverage.has_value(), b.model.coverage.has_value());
        for (std::size_t i = 0; a.model.coverage && i < a.model.coverage->classes.size(); ++i) {
          EXPECT_EQ(a.model.coverage->classes[i].cycles, b.model.coverage->classes[i].cycles);
        }
        EXPECT_EQ(a.model.laws.size(), b.model.laws.size());
        EXPECT_EQ(a.model.assumptions, b.model.assumptions);
        EXPECT_EQ(a.routing.has_value(), b.routing.has_value());
      }
    }
  }
  EXPECT_GE(runs, 3 * 3 * 13);
}

// Cycles of one instruction that runs alone, under a set.
emulator::Cycle CyclesOf(const std::string& line, const isa::InstructionSet& set, const char* model,
                         const std::vector<KeyValue>& settings = {}) {
  test::ScratchFolder folder;
  CorpusEntry entry;
  entry.has_text = true;
  entry.request.program.file = folder.Write("p.asm", line);
  entry.request.machine.timing = model;
  entry.request.machine.set = settings;
  const absl::StatusOr<isa::Program> program = ProgramUnder(entry, set);
  EXPECT_TRUE(program.ok()) << program.status();
  const absl::StatusOr<SideRun> run = RunUnder(entry, *program, set);
  EXPECT_TRUE(run.ok()) << run.status();
  return run.ok() ? run->end.cycles : 0;
}

TEST(LoadedSetRunTest, TheTimingClassOfTheDocumentIsCharged) {
  const Set changed = Load(isa::test::ChangedLatency());
  const isa::InstructionSet& builtin = isa::InstructionSet::Builtin();
  for (const char* model : kModels) {
    const emulator::Cycle exp = CyclesOf("V_EXP_V gp1, gp2\n", builtin, model);
    const emulator::Cycle reciprocal = CyclesOf("V_RECI_V gp1, gp2\n", builtin, model);
    EXPECT_NE(exp, reciprocal) << model;
    EXPECT_EQ(CyclesOf("V_EXP_V gp1, gp2\n", *changed, model), reciprocal) << model;
    EXPECT_EQ(CyclesOf("V_RECI_V gp1, gp2\n", *changed, model), reciprocal) << model;
  }
}

// An instruction is charged like the first built-in one of its class, whatever class it is given.
TEST(LoadedSetRunTest, EveryClassIsChargedToTheInstructionThatHasIt) {
  struct Change {
    const char* line;
    const char* mnemonic;
    isa::TimingClass timing;
    const char* like;  // a line of the class
  };
  const Change changes[] = {
      {"S_ADD_FP f1, f2, f3\n", "S_ADD_FP", isa::TimingClass::kScalarExp, "S_EXP_FP f1, f2\n"},
      {"S_MAX_FP f1, f2, f3\n", "S_MAX_FP", isa::TimingClass::kScalarSquareRoot,
       "S_SQRT_FP f1, f2\n"},
      {"S_RECI_FP f1, f2\n", "S_RECI_FP", isa::TimingClass::kScalarMultiply,
       "S_MUL_FP f1, f2, f3\n"},
      {"V_RECI_V gp1, gp2\n", "V_RECI_V", isa::TimingClass::kVectorExp, "V_EXP_V gp1, gp2\n"},
      {"V_RED_MAX f1, gp2\n", "V_RED_MAX", isa::TimingClass::kReduceSum, "V_RED_SUM f1, gp2\n"},
      {"V_MIN_VF gp1, gp2, f1\n", "V_MIN_VF", isa::TimingClass::kVectorAddScalar,
       "V_ADD_VF gp1, gp2, f1\n"}};
  const isa::InstructionSet& builtin = isa::InstructionSet::Builtin();
  for (const Change& change : changes) {
    isa::Document document = isa::test::Builtin();
    isa::test::Row(document, change.mnemonic).timing = change.timing;
    const Set set = Load(document);
    for (const char* model : {"serial", "pipelined"}) {
      EXPECT_EQ(CyclesOf(change.line, *set, model), CyclesOf(change.like, builtin, model))
          << change.mnemonic << " " << model;
    }
  }
}

// Whatever the classes are, a run ends, and its cycles are attributed exactly (the models check
// that themselves).
TEST(LoadedSetRunTest, AnyClassesEndInAResult) {
  std::mt19937 random(5);
  for (int round = 0; round < 12; ++round) {
    isa::Document document = isa::test::Builtin();
    for (isa::DocumentInstruction& row : document.instructions) {
      if (row.timing >= isa::TimingClass::kPrefetchMatrix) continue;
      row.timing = static_cast<isa::TimingClass>(
          random() % static_cast<unsigned>(isa::TimingClass::kPrefetchMatrix));
    }
    const Set set = Load(document);
    for (CorpusEntry entry : OwnPrograms()) {
      for (const char* model : kModels) {
        SCOPED_TRACE(absl::StrCat(entry.name, " ", model, " round ", round));
        entry.request.machine.timing = model;
        const absl::StatusOr<isa::Program> program = ProgramUnder(entry, *set);
        const isa::InstructionSet& builtin = isa::InstructionSet::Builtin();
        const absl::StatusOr<SideRun> before = RunUnder(entry, *program, builtin);
        const absl::StatusOr<SideRun> after = RunUnder(entry, *program, *set);
        ASSERT_TRUE(after.ok()) << after.status();
        EXPECT_EQ(DifferenceOf(*before, *after), "");  // timing never changes a value
      }
    }
  }
}

// The machine file overrides costs by built-in names; the meaning keeps its cost under a new name.
TEST(LoadedSetRunTest, CostOverridesFollowTheMeaning) {
  const isa::InstructionSet& builtin = isa::InstructionSet::Builtin();
  const Set scrambled = Load(isa::test::Scrambled(9));
  test::ScratchFolder folder;
  CorpusEntry entry;
  entry.has_text = true;
  entry.request.program.file = folder.Write("p.asm", "S_EXP_FP f1, f2\nS_ADD_FP f3, f1, f1\n");
  entry.request.machine.file =
      folder.Write("m.toml",
                   "[MOESCOPE.timing.cost.S_EXP_FP]\nresult = \"77\"\n"
                   "interval = \"50\"\nlabel = \"assumed\"\nsource = \"a test\"\n");
  entry.request.machine.default_missing_keys = true;
  entry.request.machine.timing = "pipelined";
  const absl::StatusOr<isa::Program> program = ProgramUnder(entry, builtin);
  ASSERT_TRUE(program.ok()) << program.status();
  const absl::StatusOr<SideRun> before = RunUnder(entry, *program, builtin);
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_GT(before->end.cycles, 77u);
  const absl::StatusOr<SideRun> after =
      RunUnder(entry, Translated(*program, *scrambled), *scrambled);
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(before->end.cycles, after->end.cycles);
  EXPECT_EQ(after->profile.opcodes.size(), 2u);
}

TEST(LoadedSetRunTest, MeaningsThatThisBuildLacksFaultWhenReached) {
  const Set masked = Load(isa::test::NewField());
  test::ScratchFolder folder;
  CorpusEntry entry;
  entry.has_text = true;
  entry.request.program.file =
      folder.Write("p.asm", "S_ADDI_INT gp1, gp0, 7\nV_SHFT_V gp1, gp2, gp3, 1\n");
  const absl::StatusOr<isa::Program> program = ProgramUnder(entry, *masked);
  ASSERT_TRUE(program.ok()) << program.status();
  const absl::StatusOr<SideRun> run = RunUnder(entry, *program, *masked);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_TRUE(run->end.fault.has_value());
  EXPECT_EQ(run->end.fault->category, emulator::FaultCategory::kUnsupported);
  EXPECT_EQ(run->end.fault->pc, 1u);
  EXPECT_EQ(run->end.fault->disassembly, "V_SHFT_V gp1, gp2, gp3, 1");
  EXPECT_THAT(run->end.fault->text, HasSubstr("has no semantics in this build"));
  EXPECT_EQ(run->state->registers.gp[1], 7u);
}

// ---- The command's run --------------------------------------------------------------------------

class RunWithIsaTest : public ::testing::Test {
 protected:
  RunWithIsaTest() {
    request_.outputs.profile = folder_.Path("p.json");
    request_.machine.timing = "serial";
    context_.console = &captured_.console;
    context_.log = &log_;
  }
  std::string WriteSet(const isa::Document& document) {
    return folder_.Write("set.json", WriteDocumentJson(document));
  }

  test::ScratchFolder folder_;
  test::CapturedConsole captured_;
  Log log_ = Log::None();
  RunRequest request_;
  RunContext context_;
};

TEST_F(RunWithIsaTest, TheProfileNamesVersionHashAndMnemonicsOfTheLoadedSet) {
  const isa::Document document = isa::test::Scrambled(4);
  request_.program.isa = WriteSet(document);
  request_.program.file =
      folder_.Write("p.asm", "X_S_ADDI_INT gp1, gp0, 6\nX_S_MUL_INT gp2, gp1, gp1\nX_C_BREAK\n");
  request_.outputs.pc_table = folder_.Path("pc.csv");
  const Log trace = Log::ToConsole("trace", false, captured_.console);
  context_.log = &trace;
  const absl::StatusOr<RunOutcome> outcome = ExecuteRun(request_, context_);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->code, ExitCode::kSuccess);
  const auto profile = profiler::ReadProfile(folder_.Read("p.json"));
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->isa.version, "1.7");
  EXPECT_EQ(profile->isa.sha256, isa::IsaHash(*Load(document)));
  std::vector<std::string> mnemonics;
  for (const profiler::OpcodeEntry& opcode : profile->opcodes) mnemonics.push_back(opcode.mnemonic);
  EXPECT_THAT(mnemonics, Contains("X_S_MUL_INT"));
  EXPECT_THAT(profile->hot.front().text, StartsWith("X_"));
  EXPECT_THAT(folder_.Read("pc.csv"), HasSubstr("X_S_MUL_INT gp2, gp1, gp1"));
  EXPECT_THAT(captured_.err, HasSubstr("pc 1 X_S_MUL_INT gp2, gp1, gp1\n"));
}

TEST_F(RunWithIsaTest, AContainerOfAnotherSetIsRefusedUnlessForced) {
  request_.program.file = folder_.Write(
      "p.moe",
      isa::WriteContainer(isa::ProgramFromWords({0x0000C864}), isa::InstructionSet::Builtin()));
  request_.program.isa = WriteSet(isa::test::MovedOpcode());
  const absl::StatusOr<RunOutcome> refused = ExecuteRun(request_, context_);
  EXPECT_EQ(ExitCodeOf(refused.status()), ExitCode::kInput);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("[PC005]"));
  request_.program.force_isa = true;
  const absl::StatusOr<RunOutcome> forced = ExecuteRun(request_, context_);
  ASSERT_TRUE(forced.ok()) << forced.status();
  EXPECT_EQ(forced->code, ExitCode::kFault);
  EXPECT_EQ(forced->end.fault->id, "FT101");
}

TEST_F(RunWithIsaTest, ADocumentWithErrorsIsAnInputError) {
  isa::Document document = isa::test::Builtin();
  isa::test::Row(document, "V_EXP_V").encoding = isa::test::Row(document, "V_RECI_V").encoding;
  request_.program.isa = WriteSet(document);
  request_.program.file = folder_.Write("p.asm", "C_BREAK\n");
  const absl::StatusOr<RunOutcome> outcome = ExecuteRun(request_, context_);
  EXPECT_EQ(ExitCodeOf(outcome.status()), ExitCode::kInput);
  EXPECT_THAT(std::string(outcome.status().message()), HasSubstr("[IS010]"));
  request_.program.isa = folder_.Path("missing.json");
  EXPECT_EQ(ExitCodeOf(ExecuteRun(request_, context_).status()), ExitCode::kInput);
}

TEST_F(RunWithIsaTest, TheStagesOfAnotherAssemblyAreReadUnderTheSameSet) {
  request_.program.isa = WriteSet(isa::test::Scrambled(6));
  const char* text = "; @stage=gather\nX_S_ADDI_INT gp1, gp0, 6\nX_C_BREAK\n";
  request_.program.file = folder_.Write("p.asm", "X_S_ADDI_INT gp1, gp0, 6\nX_C_BREAK\n");
  request_.stage_profile.assembly = folder_.Write("marked.asm", text);
  const absl::StatusOr<RunOutcome> outcome = ExecuteRun(request_, context_);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(profiler::FindStage(outcome->profile, "gather")->counters.instructions, 2u);
}

}  // namespace
}  // namespace moescope::session
