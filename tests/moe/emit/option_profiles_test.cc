#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "emulator/machine.h"
#include "profiler/profile_builder.h"
#include "profiler/recorder.h"
#include "tests/moe/emit/run_layer.h"
#include "tests/support/golden.h"

// The profile of each lowering option alone against `public`, as a golden table of cycles per
// stage under `serial`, and the promises of moe.md, 15.3 about where a gain appears. Golden files:
// tests/golden/moe_*.txt; MOESCOPE_REGENERATE=1 renews them.

namespace moescope::moe {
namespace {

// Two and five tiles of K, so that the down projection is split; a shared expert with a gate.
struct Point {
  OptionValue option;  // over `public`; empty = none
  bool fixed = false;
  bool tuned = false;
  int experts = 32;

  LayerCase Case() const {
    LayerCase c{.layer = {.shape = {128, 320, experts, 4},
                          .router = {.mode = RouterMode::kSoftmaxTopk, .norm = true},
                          .weighting = Weighting::kPost,
                          .weights = WeightFormat::kMxfp8B8,
                          .shared = SharedExpert{64, true}},
                .tokens = fixed ? 3 : 1};
    if (fixed) c.workload = "hot(p=1,n=1)";
    if (tuned) c.lowering = TunedLowering(c.layer, fixed);
    if (!option.option.empty()) {
      EXPECT_TRUE(SetOption(option.option, option.value, c.lowering).ok());
    }
    if (option.value == "norm") c.lowering.gather = GatherSource::kVram;
    return c;
  }
  std::string Key() const {
    return absl::StrCat(option.option, "=", option.value, fixed, tuned, experts);
  }
};

struct Cycles {
  std::uint64_t total = 0;
  std::map<std::string, std::uint64_t> stages;
  std::map<std::string, std::uint64_t> instructions;
};

constexpr auto kSerial = emulator::TimingModelKind::kSerial;
constexpr auto kPipelined = emulator::TimingModelKind::kPipelined;

// Each point is run once.
const Cycles& Profiled(const Point& point, emulator::TimingModelKind timing) {
  static std::map<std::pair<std::string, emulator::TimingModelKind>, Cycles> known;
  const auto [place, added] = known.try_emplace({point.Key(), timing});
  if (!added) return place->second;
  RunLayer run(point.Case());
  EXPECT_TRUE(run.ok());
  emulator::MachineDescription machine = run.compiled().machine;
  machine.timing = timing;
  profiler::Recorder recorder;
  run.ExecuteTimed(machine, recorder);
  const profiler::Profile profile = profiler::MakeProfile(recorder.recording(), {});
  Cycles& cycles = place->second;
  cycles.total = profile.totals.counters.cycles;
  for (const profiler::StageEntry& stage : profile.stages) {
    cycles.stages[stage.name] = stage.counters.cycles;
    cycles.instructions[stage.name] = stage.counters.instructions;
  }
  return cycles;
}

std::vector<OptionValue> EveryAlternative() {
  std::vector<OptionValue> values;
  for (const OptionValue& option : Options(PublicLowering())) {
    for (const std::string_view value : OptionValues(option.option)) {
      if (value != option.value) values.push_back({option.option, std::string(value)});
    }
  }
  return values;
}

std::string Row(const std::string& name, const Cycles& cycles,
                const std::vector<std::string>& stages) {
  std::string row = absl::StrFormat("%-24s %9d", name, cycles.total);
  for (const std::string& stage : stages) {
    const auto place = cycles.stages.find(stage);
    absl::StrAppendFormat(&row, " %8d", place == cycles.stages.end() ? 0 : place->second);
  }
  return row + "\n";
}

TEST(OptionProfilesTest, CyclesOfEveryOptionAlone) {
  std::string text;
  for (const bool fixed : {false, true}) {
    const Point base{.fixed = fixed};
    std::vector<std::string> stages;
    for (const auto& [stage, cycles] : Profiled(base, kSerial).stages) stages.push_back(stage);
    const auto add = [&](const std::string& name, const Point& point) {
      text += Row(name, Profiled(point, kSerial), stages);
    };
    absl::StrAppend(&text, fixed ? "fixed routing, 3 tokens\n" : "device routing, 1 token\n",
                    "cycles, serial: total, ", absl::StrJoin(stages, " "), "\n");
    add("public", base);
    for (const OptionValue& option : EveryAlternative()) {
      if (!fixed && option.option == "reuse") continue;  // needs known ids
      add(option.option + "=" + option.value, {.option = option, .fixed = fixed});
    }
    add("tuned", {.fixed = fixed, .tuned = true});
  }
  test::ExpectGolden("moe_option_cycles.txt", text);
}

// "gain must appear in": stages that must spend less.
struct Gain {
  OptionValue option;
  std::set<std::string> stages;
  bool fixed = false;
  int experts = 32;
};

const Gain kGains[] = {
    {{"k_tiles", "max"}, {"expert_projection"}},
    {{"k_add", "live"}, {"expert_projection"}},
    {{"k_add", "accumulate"}, {"expert_projection"}},
    {{"reuse", "group"}, {"expert_weight_prefetch", "expert_projection"}, true},
    {{"address", "hoist"}, {"expert_weight_address"}},
    {{"zero_row", "once"}, {"gather", "expert_route_weight"}},
    {{"route_weight", "scalar"}, {"expert_route_weight"}},
    {{"gather_padding", "skip"}, {"gather"}},
    {{"router_matrix", "resident"}, {"router_topk"}, false, 64},  // a whole tile of experts
};

TEST(OptionProfilesTest, GainsAppearWhereTheyMust) {
  for (const Gain& gain : kGains) {
    SCOPED_TRACE(gain.option.option + "=" + gain.option.value);
    const Cycles& before = Profiled({.fixed = gain.fixed, .experts = gain.experts}, kSerial);
    const Cycles& after =
        Profiled({.option = gain.option, .fixed = gain.fixed, .experts = gain.experts}, kSerial);
    EXPECT_LT(after.total, before.total);
    for (const std::string& stage : gain.stages) {
      EXPECT_LT(after.stages.at(stage), before.stages.at(stage)) << stage;
    }
  }
}

// Two buffers gain what overlaps: cycles of `pipelined`, and nothing under `serial`.
TEST(OptionProfilesTest, BuffersGainUnderPipelinedOnly) {
  const Point two{.option = {"buffers", "2"}};
  EXPECT_LT(Profiled(two, kPipelined).total, Profiled({}, kPipelined).total);
  EXPECT_EQ(Profiled(two, kSerial).instructions, Profiled({}, kSerial).instructions);
  EXPECT_EQ(Profiled(two, kSerial).total, Profiled({}, kSerial).total);
}

TEST(OptionProfilesTest, TunedIsFasterThanEveryOptionAlone) {
  for (const bool fixed : {false, true}) {
    const std::uint64_t best = Profiled({.fixed = fixed, .tuned = true}, kPipelined).total;
    for (const OptionValue& option : EveryAlternative()) {
      if (!fixed && option.option == "reuse") continue;
      EXPECT_LT(best, Profiled({.option = option, .fixed = fixed}, kPipelined).total)
          << option.option << "=" << option.value;
    }
  }
}

// Static words, dynamic instructions and mnemonics per stage of small programs.
TEST(StageTablesTest, SmallProgramsOfThreePresets) {
  std::string text;
  for (const char* preset : {"gpt-oss-20b", "qwen1.5-moe-a2.7b", "deepseek-v3"}) {
    for (const bool tuned : {false, true}) {
      LayerCase c{.layer = ReducedPreset(preset), .tokens = 2};
      c.layer.shape.hidden = c.layer.shape.intermediate = 128;
      if (tuned) c.lowering = TunedLowering(c.layer, false);
      RunLayer run(std::move(c));
      ASSERT_TRUE(run.ok());
      profiler::Recorder recorder;
      run.ExecuteTimed(run.compiled().machine, recorder);
      const profiler::Profile profile = profiler::MakeProfile(recorder.recording(), {});
      absl::StrAppendFormat(&text, "%s, %s: %d words, %d instructions, %d cycles\n", preset,
                            tuned ? "tuned" : "public", run.compiled().built.program.words.size(),
                            profile.totals.counters.instructions, profile.totals.counters.cycles);
      for (const profiler::StageEntry& stage : profile.stages) {
        absl::StrAppendFormat(&text, "  %-24s %6d words %8d instructions %8d cycles %9d bytes\n",
                              stage.name, stage.static_instructions, stage.counters.instructions,
                              stage.counters.cycles, stage.counters.read.physical_bytes);
        for (const profiler::OpcodeCount& opcode : stage.opcodes) {
          absl::StrAppendFormat(&text, "    %-16s %8d\n", opcode.mnemonic, opcode.instructions);
        }
      }
    }
  }
  test::ExpectGolden("moe_stage_tables.txt", text);
}

}  // namespace
}  // namespace moescope::moe
