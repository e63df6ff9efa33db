// Invariants at their edges: the last value that is allowed, the one before and the one behind.
// Members that must change together do, so that nothing but the edge decides.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "profiler/profile_json.h"
#include "profiler/verify.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

constexpr std::uint64_t kMost = (std::uint64_t{1} << 53) - 1;

std::string IdsOf(const Profile& profile) {
  const absl::StatusOr<Verification> result = VerifyProfile(ProfileText(profile));
  EXPECT_TRUE(result.ok()) << result.status();
  std::set<std::string> ids;
  if (result.ok()) {
    for (const Failure& failure : result->failures) ids.insert(failure.id);
  }
  return absl::StrJoin(ids, " ");
}

using Change = std::function<void(Profile&, std::uint64_t)>;

struct Edge {
  const char* name;
  const char* id;  // the only invariant that breaks
  std::vector<std::uint64_t> good;
  std::vector<std::uint64_t> bad;
  Change change;
};

void ExpectEdges(const std::vector<Edge>& edges, const Profile& base) {
  ASSERT_EQ(IdsOf(base), "");
  for (const Edge& edge : edges) {
    for (const std::uint64_t value : edge.good) {
      Profile profile = base;
      edge.change(profile, value);
      EXPECT_EQ(IdsOf(profile), "") << edge.name << " = " << value;
    }
    for (const std::uint64_t value : edge.bad) {
      Profile profile = base;
      edge.change(profile, value);
      EXPECT_EQ(IdsOf(profile), edge.id) << edge.name << " = " << value;
    }
  }
}

StageEntry& Stage(Profile& profile, std::string_view name) {
  return const_cast<StageEntry&>(*FindStage(profile, name));
}

// Applies a change to every block that counts what has neither pair nor expert: the bucket's stage,
// the rests of pairs and experts, and the totals by the same difference.
void ChangeUnattributed(Profile& profile, std::uint64_t value,
                        std::uint64_t& (*member)(CounterBlock&)) {
  CounterBlock& stage = Stage(profile, "unattributed").counters;
  const std::uint64_t before = member(stage);
  for (CounterBlock* block :
       {&stage, &profile.pairs->none, &profile.experts->none, &profile.totals.counters}) {
    member(*block) += value - before;
  }
}

TEST(InvariantBoundaryTest, CyclesAndCalls) {
  ExpectEdges(
      {
          {"last_cycle",
           "PV13",
           {51, 244, 245},
           {246, kMost},
           [](Profile& p, std::uint64_t v) { Stage(p, "router_topk").last_cycle = v; }},
          {"first_cycle",
           "PV13",
           {0, 50, 51},
           {52, 246},
           [](Profile& p, std::uint64_t v) { Stage(p, "router_topk").first_cycle = v; }},
          {"calls",
           "PV13",
           {1, 2, 3},
           {0, 4},
           [](Profile& p, std::uint64_t v) { Stage(p, "expert_projection").calls = v; }},
          {"calls of a stage that never ran",
           "PV13",
           {0},
           {1},
           [](Profile& p, std::uint64_t v) { Stage(p, "shared_expert").calls = v; }},
          {"end.cycle",
           "PV02",
           {245},
           {244, 246},
           [](Profile& p, std::uint64_t v) { p.end.cycle = v; }},
          {"program.words",
           "PV03",
           {10},
           {11},
           [](Profile& p, std::uint64_t v) { p.program.words = v; }},
          {"wait_cycles moved to another opcode",
           "PV06",
           {181, 182, 183},
           {184},
           [](Profile& p, std::uint64_t v) {
             p.opcodes[6].wait_cycles = *p.opcodes[6].wait_cycles + 181 - v;
             p.opcodes[0].wait_cycles = v;
           }},
          {"waits_on",
           "PV04",
           {180},
           {179, 181},
           [](Profile& p, std::uint64_t v) {
             (*Stage(p, "expert_projection").waits_on)[0].count = v;
           }},
          {"inclusive cycles",
           "PV11",
           {194},
           {193, 195},
           [](Profile& p, std::uint64_t v) { Stage(p, "expert_projection").inclusive.cycles = v; }},
      },
      test::RichProfile());
}

TEST(InvariantBoundaryTest, Bytes) {
  ExpectEdges(
      {
          {"burst_bytes",
           "PV10",
           {0, 240, 256, 272},
           {241, 248, 255, 257},
           [](Profile& p, std::uint64_t v) {
             ChangeUnattributed(
                 p, v, [](CounterBlock& b) -> std::uint64_t& { return b.read.burst_bytes; });
           }},
          {"burst_bytes written",
           "PV10",
           {0, 240, 256, 272},
           {15, 17},
           [](Profile& p, std::uint64_t v) {
             ChangeUnattributed(
                 p, v, [](CounterBlock& b) -> std::uint64_t& { return b.write.burst_bytes; });
           }},
          {"repeat_bytes",
           "PV10",
           {0, 255, 256},
           {257},
           [](Profile& p, std::uint64_t v) {
             ChangeUnattributed(
                 p, v, [](CounterBlock& b) -> std::uint64_t& { return b.read.extra_bytes; });
           }},
          {"rmw_read_bytes",
           "PV10",
           {0, 255, 256},
           {257},
           [](Profile& p, std::uint64_t v) {
             ChangeUnattributed(
                 p, v, [](CounterBlock& b) -> std::uint64_t& { return b.write.extra_bytes; });
           }},
          {"lines",
           "PV10",
           {4},
           {3, 5},
           [](Profile& p, std::uint64_t v) {
             ChangeUnattributed(p, v,
                                [](CounterBlock& b) -> std::uint64_t& { return b.write.lines; });
           }},
          {"logical bytes are free",
           "PV05",
           {0, 255, 257, 1 << 20},
           {},
           [](Profile& p, std::uint64_t v) {
             ChangeUnattributed(
                 p, v, [](CounterBlock& b) -> std::uint64_t& { return b.write.logical_bytes; });
           }},
      },
      test::RichProfile());
}

// Busy cycles of one unit, in its stage and in the totals, with the utilisation that follows.
void SetBusy(Profile& profile, std::uint64_t instances, std::uint64_t cycles) {
  const auto unit = static_cast<std::size_t>(emulator::Unit::kDmaM);
  for (NamedCount& entry : profile.model.units) {
    if (entry.name == "dma_m") entry.count = instances;
  }
  StageEntry& stage = Stage(profile, "expert_weight_prefetch");
  stage.counters.units[unit] = cycles;
  profile.totals.counters.units[unit] = cycles;
  stage.utilisation_ppm[unit] = cycles * 1'000'000 / (stage.counters.cycles * instances);
}

TEST(InvariantBoundaryTest, AUnitIsBusyForTheWholeRunAtMost) {
  for (const std::uint64_t instances : {1u, 2u, 3u}) {
    const std::uint64_t most = 245 * instances;
    ExpectEdges({{"busy cycles",
                  "PV09",
                  {0, most - 1, most},
                  {most + 1},
                  [instances](Profile& p, std::uint64_t v) { SetBusy(p, instances, v); }}},
                test::RichProfile());
  }
}

TEST(InvariantBoundaryTest, RangesOfTheSchema) {
  const std::uint64_t u32 = 0xFFFFFFFF;
  ExpectEdges(
      {
          {"a count",
           "PV01",
           {0, kMost - 1, kMost},
           {kMost + 1, UINT64_MAX},
           [](Profile& p, std::uint64_t v) { (*p.structures)[0].high_water = v; }},
          {"a line",
           "PV01",
           {0, kMost},
           {kMost + 1},
           [](Profile& p, std::uint64_t v) { p.hot[0].line = v; }},
          {"a word",
           "PV01",
           {0, u32 - 1, u32},
           {u32 + 1},
           [](Profile& p, std::uint64_t v) { p.hot[0].word = v; }},
          {"the last pair",
           "PV01",
           {1, 2, 2147483646, 2147483647},
           {2147483648},
           [](Profile& p, std::uint64_t v) {
             p.pairs->rows[1].pair = v;
             p.pairs->rows[1].expert_source = "marker";
           }},
          {"an expert",
           "PV01",
           {9, u32 - 1, u32},
           {u32 + 1},
           [](Profile& p, std::uint64_t v) {
             p.pairs->rows[1].expert = v;
             p.pairs->rows[1].expert_source = "marker";
             p.experts->rows[1].expert = v;
           }},
          {"clock period",
           "PV01",
           {1, 1000, u32},
           {0, u32 + 1},
           [](Profile& p, std::uint64_t v) {
             p.machine.clock_period_ps = v;
             p.totals.time_ps = 245 * v;
           }},
          {"length of a label",
           "PV01",
           {0, 65535, 65536},
           {65537},
           [](Profile& p, std::uint64_t v) { p.labels[0].second = std::string(v, 'x'); }},
          {"length of a label's name",
           "PV01",
           {1, 255, 256},
           {0, 257},
           [](Profile& p, std::uint64_t v) { p.labels[0].first = std::string(v, 'a'); }},
          {"length of a path",
           "PV01 PV11",
           {},
           {0, 2049},
           [](Profile& p, std::uint64_t v) { (*p.paths)[0].path = std::string(v, 'a'); }},
          {"length of an extension's name",
           "PV01",
           {64},
           {65},
           [](Profile& p, std::uint64_t v) {
             const std::string name(v, 'k');
             const auto rename = [&](std::string& text) {
               const std::size_t at = text.find("ksplit_add");
               if (at != std::string::npos) text.replace(at, 10, name);
             };
             for (VocabularyEntry& entry : p.program.vocabulary) rename(entry.name);
             for (StageEntry& stage : p.stages) rename(stage.name);
             for (PathEntry& path : *p.paths) rename(path.path);
             for (PairStage& stage : p.pairs->rows[0].stages) rename(stage.name);
             for (HotRow& row : p.hot) rename(row.stage);
             for (StageBins& bins : p.timeline->stage_cycles) rename(bins.name);
             p.program.vocabulary_sha256 = VocabularyHash(p.program.vocabulary);
           }},
      },
      test::RichProfile());
}

TEST(InvariantBoundaryTest, RoutingAndHotRows) {
  ExpectEdges(
      {
          {"num_experts",
           "PV08",
           {0, 31, 32},
           {33},
           [](Profile& p, std::uint64_t v) { p.routing->num_experts = v; }},
          {"executions",
           "PV08",
           {1},
           {0, 2},
           [](Profile& p, std::uint64_t v) { p.routing->executions = v; }},
          {"a hot pc",
           "PV18",
           {9},
           {10, kMost},
           [](Profile& p, std::uint64_t v) { p.hot[1].pc = v; }},
          {"cycles of a hot row",
           "PV18",
           {8, 32, 181},
           {7, 182},
           [](Profile& p, std::uint64_t v) {
             // Equal cycles need ascending words: 4 in front of 9, and 9 in front of 0 is wrong.
             p.hot[1].cycles = v;
             if (v == 8) p.hot[2].cycles = 7;
           }},
          {"events_dropped",
           "PV18",
           {0},
           {1, kMost},
           [](Profile& p, std::uint64_t v) { p.events_dropped = v; }},
          {"instructions of a class",
           "PV18",
           {7},
           {6, 8},
           [](Profile& p, std::uint64_t v) { p.model.coverage->classes[1].instructions = v; }},
      },
      test::RichProfile());
}

TEST(InvariantBoundaryTest, SharesRoundDown) {
  ExpectEdges(
      {
          {"cycle_share_ppm of 3 of 245",
           "PV14",
           {12244},
           {12243, 12245},
           [](Profile& p, std::uint64_t v) { Stage(p, "router_topk").cycle_share_ppm = v; }},
          {"instruction_share_ppm of 1 of 10",
           "PV14",
           {100000},
           {99999, 100001},
           [](Profile& p, std::uint64_t v) { Stage(p, "gather").instruction_share_ppm = v; }},
          {"in_domain_ppm",
           "PV14",
           {889795},
           {889794, 889796},
           [](Profile& p, std::uint64_t v) { p.model.coverage->in_domain_ppm = v; }},
          {"intensity_milli of 4096 / 9344",
           "PV14",
           {438},
           {437, 439},
           [](Profile& p, std::uint64_t v) { p.roofline->point.intensity_milli = v; }},
          {"time_ps",
           "PV14",
           {245000},
           {244999, 245001},
           [](Profile& p, std::uint64_t v) { p.totals.time_ps = v; }},
      },
      test::RichProfile());
}

}  // namespace
}  // namespace moescope::profiler
