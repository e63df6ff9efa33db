// The profile against the commit log: in the serial model every cycle from one acceptance to the
// next belongs to the earlier instruction, so that the text of the log alone gives instructions,
// cycles, calls and first cycles of every stage and pair.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "asm/assembler.h"
#include "emulator/run.h"
#include "profiler/log/commit_log.h"
#include "profiler/profile_json.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

struct Line {
  std::uint64_t sequence = 0;
  std::uint64_t cycle = 0;
  std::uint64_t pc = 0;
  std::string word;
  std::string stage;
  std::string pair;  // empty without one
  std::string text;
};

// Lines of a log, without its header.
std::vector<Line> Parse(const std::string& log) {
  std::istringstream in(log);
  std::vector<Line> lines;
  for (std::string text; std::getline(in, text);) {
    if (text.starts_with('#')) continue;
    std::istringstream columns(text);
    Line& line = lines.emplace_back();
    columns >> line.sequence >> line.cycle >> line.pc >> line.word >> line.stage >> line.text;
    EXPECT_FALSE(columns.fail()) << text;
    const std::size_t slash = line.stage.find('/');
    if (slash == std::string::npos) continue;
    line.pair = line.stage.substr(slash + 1);
    line.stage.resize(slash);
  }
  return lines;
}

struct Count {
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::uint64_t calls = 0;
  std::uint64_t first_cycle = 0;
};

// What the log says about each value of a column; calls count changes of (stage, pair, expert), of
// which the log has all but the expert.
struct LogSums {
  std::map<std::string, Count> stages;
  std::map<std::string, Count> pairs;
  std::map<std::string, Count> mnemonics;
  std::map<std::uint64_t, Count> words;
};

LogSums SumUp(const std::vector<Line>& lines, std::uint64_t total) {
  LogSums sums;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    EXPECT_EQ(line.sequence, i);
    const std::uint64_t end = i + 1 < lines.size() ? lines[i + 1].cycle : total;
    EXPECT_GE(end, line.cycle);
    Count* counts[] = {&sums.stages[line.stage], &sums.pairs[line.pair],
                       &sums.mnemonics[line.text.substr(0, line.text.find(':'))],
                       &sums.words[line.pc]};
    for (Count* count : counts) {
      if (count->instructions++ == 0) count->first_cycle = line.cycle;
      count->cycles += end - line.cycle;
    }
    const bool is_new =
        i == 0 || lines[i - 1].stage != line.stage || lines[i - 1].pair != line.pair;
    sums.stages[line.stage].calls += is_new;
  }
  return sums;
}

void ExpectWork(const std::string& name, const Count& count, std::uint64_t instructions,
                std::uint64_t cycles) {
  EXPECT_EQ(count.instructions, instructions) << name;
  EXPECT_EQ(count.cycles, cycles) << name;
}

void ExpectAgreement(const Profile& profile, const std::string& log, bool has_experts) {
  LogSums sums = SumUp(Parse(log), profile.totals.counters.cycles);
  for (const StageEntry& stage : profile.stages) {
    const Count& count = sums.stages[stage.name];
    ExpectWork(stage.name, count, stage.counters.instructions, stage.counters.cycles);
    if (!has_experts) {
      EXPECT_EQ(count.calls, stage.calls) << stage.name;
    }
    if (count.instructions > 0) {
      EXPECT_EQ(count.first_cycle, stage.first_cycle) << stage.name;
    }
  }
  EXPECT_EQ(sums.stages.size(), profile.stages.size());
  for (const OpcodeEntry& opcode : profile.opcodes) {
    ExpectWork(opcode.mnemonic, sums.mnemonics[opcode.mnemonic], opcode.instructions,
               opcode.cycles);
  }
  EXPECT_EQ(sums.mnemonics.size(), profile.opcodes.size());
  for (const HotRow& row : profile.hot) {
    ExpectWork(row.text, sums.words[row.pc], row.instructions, row.cycles);
  }
  if (!profile.pairs) return;
  for (const PairRow& row : profile.pairs->rows) {
    ExpectWork("pair", sums.pairs[std::to_string(row.pair)], row.counters.instructions,
               row.counters.cycles);
  }
  ExpectWork("no pair", sums.pairs[""], profile.pairs->none.instructions,
             profile.pairs->none.cycles);
}

// A log that is kept in a text.
class TextLog {
 public:
  emulator::Listener& listener() { return log_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  CommitLog log_{[this](std::string_view bytes) {
                   text_ += bytes;
                   return absl::OkStatus();
                 },
                 {}};
};

TEST(CommitLogOracleTest, RandomSerialRunsAgree) {
  for (std::uint32_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomRun run(seed, false);
    Recorder recorder;
    run.Play(seed, std::nullopt, recorder);
    TextLog log;
    run.Play(seed, std::nullopt, log.listener());
    ExpectAgreement(MakeProfile(recorder.recording(), test::FixedOptions()), log.text(), true);
    if (HasFailure()) return;
  }
}

TEST(CommitLogOracleTest, CutRunsAgree) {
  for (std::uint64_t cut = 0; cut < 40; ++cut) {
    SCOPED_TRACE(cut);
    test::RandomRun run(77, false);
    Recorder recorder;
    run.Play(5, cut, recorder);
    TextLog log;
    run.Play(5, cut, log.listener());
    ExpectAgreement(MakeProfile(recorder.recording(), test::FixedOptions()), log.text(), true);
    if (HasFailure()) return;
  }
}

// ---- Programs of assembly on the emulator -------------------------------------------------------

struct Ran {
  Profile profile;
  std::string log;
};

Ran Execute(const std::string& text) {
  const auto assembly = assembler::Assemble(text, "program.asm");
  EXPECT_TRUE(assembly.ok()) << assembly.status();
  emulator::MachineDescription machine;
  machine.timing = emulator::TimingModelKind::kSerial;
  machine.memory.hbm_bytes = 1 << 20;
  machine.hbm.model = emulator::HbmModelKind::kFast;
  emulator::MachineState state(machine);
  Recorder recorder;
  TextLog log;
  emulator::Listener* listeners[] = {&recorder, &log.listener()};
  const emulator::RunEnd end = emulator::Run(assembly->program, machine, state, listeners);
  EXPECT_TRUE(end.complete());
  Ran ran{MakeProfile(recorder.recording(), test::FixedOptions()), log.text()};
  EXPECT_TRUE(WriteProfile(ran.profile).ok());
  return ran;
}

TEST(CommitLogOracleTest, LoopsOverStagesAgree) {
  const Ran ran = Execute(
      "S_ADDI_INT gp5, gp0, 64\n"
      "C_LOOP_START gp1, 3\n"
      "; @stage=gather\n"
      "H_PREFETCH_V gp0, gp0, a0, 0, 0\n"
      "C_LOOP_START gp2, 5\n"
      "; @stage=expert_projection\n"
      "M_MM 0, gp0, gp0\n"
      "; @stage=expert_bias\n"
      "V_ADD_VV gp5, gp5, gp0, 0\n"
      "C_LOOP_END gp2\n"
      "; @stage_end\n"
      "C_LOOP_END gp1\n"
      "H_STORE_V gp5, gp0, a0, 0, 0\n");
  ExpectAgreement(ran.profile, ran.log, false);
  EXPECT_EQ(FindStage(ran.profile, "gather")->calls, 3u);
  EXPECT_EQ(FindStage(ran.profile, "expert_projection")->calls, 15u);
  EXPECT_EQ(FindStage(ran.profile, "unattributed")->calls, 4u);
}

TEST(CommitLogOracleTest, PairsAgree) {
  std::string text = "; @stage=accumulator_init\nS_ST_FP f0, gp0, 1\n";
  for (int pair = 0; pair < 6; ++pair) {
    text += "; @stage=gather pair=" + std::to_string(pair) + "\nH_PREFETCH_V gp0, gp0, a0\n";
    text += "; @stage=expert_activation pair=" + std::to_string(pair) + "\n";
    for (int i = 0; i <= pair; ++i) text += "V_EXP_V gp0, gp0\n";
  }
  const Ran ran = Execute(text + "; @stage_end\nC_BREAK\n");
  ExpectAgreement(ran.profile, ran.log, false);
  ASSERT_TRUE(ran.profile.pairs.has_value());
  for (std::uint64_t pair = 0; pair < 6; ++pair) {
    EXPECT_EQ(ran.profile.pairs->rows[pair].counters.instructions, pair + 2);
  }
}

TEST(CommitLogOracleTest, NestedRegionsAgree) {
  const Ran ran = Execute(
      "; @stage=expert_projection pair=0\n"
      "M_MM 0, gp0, gp0\n"
      "; @stage_push=expert_bias\n"
      "V_ADD_VV gp0, gp0, gp0, 0\n"
      "; @stage_push=gather\n"
      "V_ADD_VV gp0, gp0, gp0, 0\n"
      "; @stage_pop\n"
      "S_ADDI_INT gp1, gp0, 4\n"
      "; @stage_pop\n"
      "M_MM_WO gp0, gp0, 0\n");
  ExpectAgreement(ran.profile, ran.log, false);
  EXPECT_EQ(FindStage(ran.profile, "expert_projection")->inclusive.instructions, 5u);
  EXPECT_EQ(FindStage(ran.profile, "expert_bias")->inclusive.instructions, 3u);
}

// The log of one stage has the lines of that stage and no other.
TEST(CommitLogOracleTest, FilteredLogsAreTheLinesOfTheWholeLog) {
  test::RandomRun run(21, false);
  TextLog whole;
  run.Play(9, std::nullopt, whole.listener());
  const std::vector<Line> all = Parse(whole.text());
  std::map<std::string, std::size_t> expected;
  for (const Line& line : all) ++expected[line.stage];
  std::size_t sum = 0;
  for (const auto& [stage, count] : expected) {
    CommitLogOptions options;
    options.filter = *ParseLogFilter("stage=" + stage);
    std::string text;
    CommitLog log(
        [&](std::string_view bytes) {
          text += bytes;
          return absl::OkStatus();
        },
        options);
    run.Play(9, std::nullopt, log);
    const std::vector<Line> lines = Parse(text);
    EXPECT_EQ(lines.size(), count) << stage;
    for (const Line& line : lines) EXPECT_EQ(line.stage, stage);
    sum += lines.size();
  }
  EXPECT_EQ(sum, all.size());
}

}  // namespace
}  // namespace moescope::profiler
