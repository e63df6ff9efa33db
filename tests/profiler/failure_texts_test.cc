// The exact text of every failure that profile verify can report: each message of profiler/verify/
// with the change of a good profile that causes it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "profiler/explanations.h"
#include "profiler/profile_json.h"
#include "profiler/verify.h"
#include "tests/profiler/mutations.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using test::Mutation;
using ::testing::Contains;
using ::testing::StartsWith;

struct Row {
  Mutation mutation;
  std::string line;  // one of the failures; a text that ends with "(sha256:" is its beginning
};

Mutation Set(const char* pointer, const char* value) { return {"set", pointer, value, ""}; }
Mutation Remove(const char* pointer) { return {"remove", pointer, "", ""}; }
Mutation Swap(const char* pointer) { return {"swap", pointer, "", ""}; }

std::vector<std::string> LinesOf(const Mutation& mutation) {
  static const auto& text = *new std::string(ProfileText(test::RichProfile()));
  const absl::StatusOr<Verification> result = VerifyProfile(test::Mutate(text, mutation));
  EXPECT_TRUE(result.ok()) << mutation.pointer << ": " << result.status();
  std::vector<std::string> lines;
  if (!result.ok()) return lines;
  for (const Failure& failure : result->failures) {
    lines.push_back(absl::StrCat(failure.id, ": ", failure.text));
  }
  return lines;
}

class FailureTextsTest : public ::testing::TestWithParam<Row> {};

TEST_P(FailureTextsTest, IsReported) {
  const Row& row = GetParam();
  if (absl::EndsWith(row.line, "(sha256:")) {
    EXPECT_THAT(LinesOf(row.mutation), Contains(StartsWith(row.line)));
  } else {
    EXPECT_THAT(LinesOf(row.mutation), Contains(row.line));
  }
}

const std::vector<Row> kStructure = {
    {Set("/end/colour", "1"), "PV01: /end: 'colour' is not a known member"},
    {Remove("/tool/git"), "PV01: /tool: 'git' is missing"},
    {Set("/end/reason", "\"tired\""),
     "PV01: /end/reason: \"tired\" is not one of \"end\" \"break\" \"fault\" \"max_cycles\" "
     "\"max_instructions\" \"timeout\" \"interrupt\" \"deadlock\""},
    {Set("/schema_minor", "1"), "PV01: /schema_minor: 1 is not 0"},
    {Set("/totals/cycles", "9007199254740992"),
     "PV01: /totals/cycles: 9007199254740992 is outside 0..9007199254740991"},
    {Set("/totals/cycles", "-1"), "PV01: negative number in /totals/cycles"},
    {Set("/totals/cycles", "245.5"), "PV01: floating-point number in /totals/cycles"},
    {Set("/isa/sha256", "\"md5:0\""),
     "PV01: /isa/sha256: \"md5:0\" does not have the form that is demanded here"},
    {Set("/tool/name", "\"\""), "PV01: /tool/name: a text of 0 characters is outside 1..256"},
    {Set("/stages", "[]"),
     "PV01: /stages: an array of 0 entries is outside 1..18446744073709551615"},
    {Set("/complete", "1"), "PV01: /complete: 1 is not of type boolean"},
    {Swap("/complete"), "PV01: the top level: 'schema_minor' stands too late"},
    {Set("/stages/0/opcodes/v_topk", "{\"instructions\": 0, \"cycles\": 0}"),
     "PV01: /stages/0/opcodes: \"v_topk\" does not have the form that is demanded here (a member "
     "name)"},
    {Set("/stages/1/name", "\"router_topk\""),
     "PV01: stages are not distinct names of program.vocabulary in its order"},
    {Remove("/stages/7"), "PV01: the last stage is not 'unattributed'"},
    {Set("/program/vocabulary/14/scope", "\"layer\""),
     "PV01: stage 'ksplit_add' differs from its vocabulary entry"},
    {Swap("/stages/3/opcodes/M_MM_WO"),
     "PV01: opcodes of stage 'expert_projection' are not in the order of opcodes"},
    {Set("/stages/0/waits_on/elsewhere", "0"),
     "PV01: waits_on of stage 'router_topk' is not in the order of stages"},
    {Swap("/pairs/rows/0/stages/expert_weight_prefetch"),
     "PV01: stages of pair 0 are not in the order of stages"},
    {Swap("/timeline/stage_cycles/gather"),
     "PV01: timeline.stage_cycles is not in the order of stages"},
    {Set("/hot/0/stage", "\"gather2\""), "PV01: hot pc 4 names an unlisted stage"},
    {Swap("/labels/commit"), "PV01: labels are not sorted"},
    {Remove("/model/coverage"), "PV01: 'model.coverage' is absent but not in not_measured"},
    {Remove("/structures"), "PV01: 'structures' is absent but not in not_measured"},
    {Remove("/hbm_channels"), "PV01: 'hbm_channels' is absent but not in not_measured"},
    {Remove("/roofline"), "PV01: 'roofline' is absent but not in not_measured"},
    {Remove("/overlap"), "PV01: 'overlap' is absent but not in not_measured"},
    {Set("/model/reasons", "[]"), "PV01: 'reasons' is absent but not in not_measured"},
    {Set("/not_measured/-", "{\"field\": \"units\", \"why\": \"x\"}"),
     "PV01: 'units' is present and listed in not_measured"},
};

const std::vector<Row> kSums = {
    {Set("/stages/0/cycles", "4"), "PV02: cycles: stages sum != totals (246 != 245)"},
    {Set("/end/cycle", "246"), "PV02: cycles: totals != end.cycle (245 != 246)"},
    {Set("/stages/0/instructions", "2"), "PV03: instructions: stages sum != totals (11 != 10)"},
    {Set("/stages/0/static_instructions", "2"),
     "PV03: static_instructions: stages sum != totals (11 != 10)"},
    {Set("/program/words", "11"), "PV03: static_instructions: totals != program.words (10 != 11)"},
    {Remove("/totals/reasons"),
     "PV04: totals: reasons are absent although model.reasons is not empty"},
    {Remove("/stages/1/reasons"),
     "PV04: stage 'gather': reasons are absent although model.reasons is not empty"},
    {Set("/model/reasons", "[]"), "PV04: totals: reasons are present but model.reasons is empty"},
    {Set("/totals/reasons/fill", "8"), "PV04: totals: reasons sum != cycles (246 != 245)"},
    {Set("/stages/0/reasons/raw_fp", "1"),
     "PV04: stage 'router_topk': reasons sum != cycles (2 != 3)"},
    {Remove("/model/reasons/1"), "PV04: totals: reason 'fill' is not in model.reasons"},
    {Set("/totals/reasons/fill", "8"), "PV04: reason 'fill': stages sum != totals (7 != 8)"},
    {Set("/totals/reasons/other", "1"), "PV04: reason 'other' != 0 (1 != 0)"},
    {Set("/stages/0/waits_on/unattributed", "3"),
     "PV04: stage 'router_topk': waits_on sum != its reasons of waiting (3 != 2)"},
    {Set("/totals/hbm/read/logical_bytes", "5121"),
     "PV05: hbm.read.logical_bytes: stages sum != totals (5120 != 5121)"},
    {Set("/totals/hbm/read/physical_bytes", "9087"),
     "PV05: hbm.read.physical_bytes: stages sum != totals (9088 != 9087)"},
    {Set("/totals/hbm/read/lines", "143"),
     "PV05: hbm.read.lines: stages sum != totals (142 != 143)"},
    {Set("/totals/hbm/read/burst_bytes", "0"),
     "PV05: hbm.read.burst_bytes: stages sum != totals (9088 != 0)"},
    {Set("/totals/hbm/read/repeat_bytes", "191"),
     "PV05: hbm.read.repeat_bytes: stages sum != totals (192 != 191)"},
    {Set("/totals/hbm/write/logical_bytes", "255"),
     "PV05: hbm.write.logical_bytes: stages sum != totals (256 != 255)"},
    {Set("/totals/hbm/write/physical_bytes", "320"),
     "PV05: hbm.write.physical_bytes: stages sum != totals (256 != 320)"},
    {Set("/totals/hbm/write/lines", "5"), "PV05: hbm.write.lines: stages sum != totals (4 != 5)"},
    {Set("/totals/hbm/write/burst_bytes", "272"),
     "PV05: hbm.write.burst_bytes: stages sum != totals (256 != 272)"},
    {Set("/totals/hbm/write/rmw_read_bytes", "257"),
     "PV05: hbm.write.rmw_read_bytes: stages sum != totals (256 != 257)"},
    {Set("/stages/0/opcodes/V_TOPK/cycles", "2"),
     "PV06: stage 'router_topk': cycles of its opcodes != stage (2 != 3)"},
    {Set("/stages/0/opcodes/V_TOPK/instructions", "2"),
     "PV06: stage 'router_topk': instructions of its opcodes != stage (2 != 1)"},
    {Set("/opcodes/0/instructions", "7"),
     "PV06: opcode M_MM: instructions of the stages != opcodes (2 != 7)"},
    {Set("/opcodes/0/cycles", "184"),
     "PV06: opcode M_MM: cycles of the stages != opcodes (183 != 184)"},
    {Set("/opcodes/0/instructions", "3"),
     "PV06: opcodes: instructions of all opcodes != totals (11 != 10)"},
    {Set("/opcodes/0/cycles", "184"),
     "PV06: opcodes: cycles of all opcodes != totals (246 != 245)"},
    {Set("/opcodes/0/wait_cycles", "184"), "PV06: opcode M_MM: wait_cycles > cycles (184 > 183)"},
    {Set("/opcodes/0/wait_cycles", "0"),
     "PV06: opcodes: wait_cycles of all opcodes != reasons of waiting in totals (22 != 203)"},
    {Set("/totals/flops/matrix", "0"), "PV06: flops.matrix: stages sum != totals (4096 != 0)"},
    {Set("/totals/flops/vector", "129"), "PV06: flops.vector: stages sum != totals (128 != 129)"},
    {Set("/totals/flops/scalar", "1"), "PV06: flops.scalar: stages sum != totals (0 != 1)"},
};

const std::vector<Row> kPairs = {
    {Set("/pairs/detail", "\"totals\""), "PV07: pairs: detail (totals != stages)"},
    {Set("/pairs/rows/0/instructions", "6"),
     "PV07: pair 0: stages != pair in instructions (5 != 6)"},
    {Set("/pairs/rows/0/cycles", "198"), "PV07: pair 0: stages != pair in cycles (197 != 198)"},
    {Set("/pairs/rows/0/stages/gather/read_bytes", "0"),
     "PV07: pair 0: stages != pair in read_bytes (8192 != 8832)"},
    {Set("/pairs/rows/1/stages/scatter_combine/write_bytes", "64"),
     "PV07: pair 1: stages != pair in write_bytes (64 != 0)"},
    {Set("/pairs/rows/0/pair", "5"), "PV07: pairs: rows are not ascending"},
    {Set("/pairs/rows/1/expert_source", "\"unknown\""),
     "PV07: pair 1: expert and expert_source 'unknown' contradict each other"},
    {Remove("/pairs/rows/1/expert"),
     "PV07: pair 1: expert and expert_source 'observed' contradict each other"},
    {Set("/pairs/rows/1/expert", "8"), "PV07: pair 1: expert != routing.ids (8 != 9)"},
    {Set("/experts/rows/0/pairs", "2"), "PV08: expert 3: pairs != rows of pairs (2 != 1)"},
    {Set("/experts/rows/0/expert", "10"), "PV08: experts: rows are not ascending"},
    {Remove("/experts"), "PV08: experts are absent although pairs name some"},
    {Set("/routing/counts/5", "2"), "PV08: routing: counts sum != executions x top_k (3 != 2)"},
    {Set("/routing/num_experts", "33"), "PV08: routing: num_experts > counts (33 > 32)"},
    {Set("/routing/ids/-", "[5, 9]"),
     "PV08: routing: ids has more executions than there were (2 > 1)"},
    {Set("/routing/ids/0", "[5]"), "PV08: routing: ids != top_k (1 != 2)"},
    {Set("/routing/ids/0/0", "32"), "PV08: routing: expert 32 in ids is not in counts"},
    {Set("/routing/ids/0/0", "6"), "PV08: routing: expert 6: ids != counts (1 != 0)"},
};

const std::vector<Row> kTime = {
    {Remove("/stages/1/units"), "PV09: stage 'gather': units contradict model.units"},
    {Remove("/totals/units"), "PV09: totals: units contradict model.units"},
    {Set("/totals/units/vx_red", "41"), "PV09: unit 'vx_red': stages sum != totals (40 != 41)"},
    {Set("/totals/units/dma_m", "246"),
     "PV09: unit 'dma_m': busy > cycles x instances (246 > 245)"},
    {Set("/totals/hbm/read/physical_bytes", "9089"),
     "PV10: totals: hbm.read.physical_bytes != 64 x lines (9089 != 9088)"},
    {Set("/totals/hbm/write/lines", "5"),
     "PV10: totals: hbm.write.physical_bytes != 64 x lines (256 != 320)"},
    {Set("/stages/1/hbm/read/burst_bytes", "641"),
     "PV10: stage 'gather': hbm.read.burst_bytes 641 is not a multiple of 16"},
    {Set("/pairs/rows/0/hbm/write/burst_bytes", "8"),
     "PV10: pair 0: hbm.write.burst_bytes 8 is not a multiple of 16"},
    {Set("/experts/rows/1/hbm/read/lines", "1"),
     "PV10: expert 9: hbm.read.physical_bytes != 64 x lines (0 != 64)"},
    {Set("/totals/hbm/read/repeat_bytes", "9089"),
     "PV10: totals: repeat_bytes > hbm.read.physical_bytes (9089 > 9088)"},
    {Set("/stages/0/hbm/write/rmw_read_bytes", "1"),
     "PV10: stage 'router_topk': rmw_read_bytes > hbm.read.physical_bytes (1 > 0)"},
    {Set("/paths/0/instructions", "2"), "PV11: paths: sum != totals in instructions (11 != 10)"},
    {Set("/paths/0/cycles", "4"), "PV11: paths: sum != totals in cycles (246 != 245)"},
    {Set("/paths/0/instructions", "2"),
     "PV11: stage 'router_topk': its paths != self in instructions (2 != 1)"},
    {Set("/paths/0/cycles", "4"),
     "PV11: stage 'router_topk': its paths != self in cycles (4 != 3)"},
    {Set("/stages/3/inclusive/cycles", "195"),
     "PV11: stage 'expert_projection': inclusive != self + nested in cycles (195 != 194)"},
    {Set("/stages/1/inclusive/cycles", "2"),
     "PV11: stage 'gather': inclusive != self + nested in cycles (2 != 1)"},
    {Set("/stages/1/inclusive/instructions", "0"),
     "PV11: stage 'gather': inclusive != self + nested in instructions (0 != 1)"},
    {Remove("/paths"),
     "PV11: stage 'expert_projection': inclusive != self without regions in cycles (194 != 189)"},
    {Set("/paths/4/path", "\"expert_projection/elsewhere\""),
     "PV11: paths: 'elsewhere' is not a listed stage"},
    {Set("/timeline/bin_cycles", "3"), "PV12: timeline: bin_cycles 3 is not a power of two"},
    {Set("/timeline/bin_cycles", "2"),
     "PV12: timeline: bins of hbm_read_bytes != bins of the run (245 != 123)"},
    {Set("/timeline/hbm_write_bytes/-", "0"),
     "PV12: timeline: bins of hbm_write_bytes != bins of the run (246 != 245)"},
    {Set("/timeline/stage_cycles/gather/-", "0"),
     "PV12: timeline: bins of stage 'gather' != bins of the run (246 != 245)"},
    {Set("/timeline/stage_cycles/gather/0", "1"),
     "PV12: timeline: cycles of all stages != width of bin 0 (2 != 1)"},
    {Set("/timeline/stage_cycles/gather/0", "1"),
     "PV12: timeline: bins sum != cycles of stage 'gather' (2 != 1)"},
    {Remove("/timeline/stage_cycles/scatter_combine"),
     "PV12: timeline: bins sum != cycles of stage 'scatter_combine' (0 != 3)"},
    {Set("/timeline/hbm_read_bytes/0", "1"),
     "PV12: timeline: hbm_read_bytes sum != hbm.read.physical_bytes (9089 != 9088)"},
    {Set("/timeline/hbm_write_bytes/0", "1"),
     "PV12: timeline: hbm_write_bytes sum != hbm.write.physical_bytes (257 != 256)"},
    {Set("/stages/0/calls", "0"), "PV13: stage 'router_topk': calls 0 with 1 instructions"},
    {Set("/stages/5/calls", "1"), "PV13: stage 'shared_expert': calls 1 with 0 instructions"},
    {Set("/stages/0/calls", "2"), "PV13: stage 'router_topk': calls > instructions (2 > 1)"},
    {Remove("/stages/0/first_cycle"),
     "PV13: stage 'router_topk': first_cycle must be there exactly when it was executed"},
    {Set("/stages/5/last_cycle", "5"),
     "PV13: stage 'shared_expert': last_cycle although it was never executed"},
    {Set("/stages/0/last_cycle", "246"),
     "PV13: stage 'router_topk': last_cycle > totals.cycles (246 > 245)"},
    {Set("/stages/0/first_cycle", "52"),
     "PV13: stage 'router_topk': first_cycle > last_cycle (52 > 51)"},
    {Set("/stages/0/static_instructions", "0"),
     "PV13: stage 'router_topk': executed instructions without static ones"},
};

const std::vector<Row> kDerived = {
    {Set("/totals/time_ps", "245"), "PV14: totals.time_ps 245 is not 245 x 1000"},
    {Set("/model/coverage/in_domain_ppm", "0"), "PV14: model.coverage.in_domain_ppm (0 != 889795)"},
    {Set("/stages/0/cycle_share_ppm", "12245"),
     "PV14: stage 'router_topk': cycle_share_ppm (12245 != 12244)"},
    {Set("/stages/0/instruction_share_ppm", "99999"),
     "PV14: stage 'router_topk': instruction_share_ppm (99999 != 100000)"},
    {Remove("/stages/1/utilisation_ppm"),
     "PV14: stage 'gather': utilisation contradicts model.units"},
    {Set("/stages/0/utilisation_ppm/vx_red", "1"),
     "PV14: stage 'router_topk': utilisation_ppm of vx_red (1 != 13333333)"},
    {Remove("/stages/0/roofline"),
     "PV14: stage 'router_topk': roofline must be there exactly when it took cycles"},
    {Set("/stages/0/roofline/achieved_milli", "1"),
     "PV14: stage 'router_topk': roofline.achieved_milli (1 != 0)"},
    {Remove("/stages/1/roofline/intensity_milli"),
     "PV14: stage 'gather': roofline.intensity_milli (absent != 0)"},
    {Set("/stages/0/roofline/bound", "\"matrix\""),
     "PV14: stage 'router_topk': roofline.bound (matrix != latency)"},
    {Remove("/stages/0/roofline/bound"),
     "PV14: stage 'router_topk': roofline.bound (absent != latency)"},
    {Set("/roofline/ridge_milli", "4001"), "PV14: roofline.ridge_milli (4001 != 4000)"},
    {Set("/roofline/issued_flops", "4097"), "PV14: roofline.issued_flops (4097 != 4096)"},
    {Set("/roofline/intensity_milli", "439"), "PV14: roofline.intensity_milli (439 != 438)"},
    {Remove("/roofline/achieved_milli"), "PV14: roofline.achieved_milli (absent != 16718)"},
    {Set("/roofline/bound", "\"memory\""), "PV14: roofline.bound (memory != latency)"},
    {Set("/derived/routing_tax_cycles", "0"), "PV14: derived.routing_tax_cycles (0 != 7)"},
    {Remove("/derived/routing_tax_stages/1"),
     "PV14: derived.routing_tax_stages are not the listed stages of the routing tax"},
    {Set("/program/vocabulary/3/name", "\"gathers\""), "PV15: program.vocabulary_sha256 (sha256:"},
    {Set("/machine/effective/MOESCOPE.hbm.refresh", "1"), "PV15: machine.sha256 (sha256:"},
    {Set("/profile_sha256",
         "\"sha256:0000000000000000000000000000000000000000000000000000000000000000\""),
     "PV15: profile_sha256 (sha256:"},
    {Set("/caveats/shared_vs_routed", "\"fine\""),
     "PV16: caveats.shared_vs_routed is not the constant text"},
    {Set("/complete", "false"), "PV17: complete is false although end.reason is 'end'"},
    {Set("/end/reason", "\"max_cycles\""),
     "PV17: complete is true although end.reason is 'max_cycles'"},
    {Set("/end/reason", "\"fault\""), "PV17: end.fault contradicts end.reason 'fault'"},
    {Set("/end", R"({"reason": "end", "cycle": 245, "fault": "FT301"})"),
     "PV17: end.fault contradicts end.reason 'end'"},
    {Set("/end", R"({"reason": "end", "cycle": 245, "signal": 2})"),
     "PV17: end.signal although end.reason is 'end'"},
    {Set("/end", R"({"reason": "deadlock", "cycle": 245, "limit": 9})"),
     "PV17: end.limit although end.reason is 'deadlock'"},
    {Set("/events_dropped", "1"), "PV18: events_dropped (1 != 0)"},
    {Set("/model/coverage/derived/instructions", "8"),
     "PV18: model.coverage: instructions of all classes != totals (11 != 10)"},
    {Set("/model/coverage/unsupported/cycles", "1"),
     "PV18: model.coverage: cycles of all classes != totals (246 != 245)"},
    {Set("/hot/1/pc", "4"), "PV18: hot: pc 4 appears twice"},
    {Set("/hot/9/pc", "10"), "PV18: hot: pc 10 is outside the program"},
    {Set("/hot/1/cycles", "300"), "PV18: hot: row 1 is not in order"},
};

std::string NameOf(const ::testing::TestParamInfo<Row>& row) {
  return absl::StrCat(row.param.line.substr(0, 4), "_", row.index);
}

INSTANTIATE_TEST_SUITE_P(Structure, FailureTextsTest, ::testing::ValuesIn(kStructure), NameOf);
INSTANTIATE_TEST_SUITE_P(Sums, FailureTextsTest, ::testing::ValuesIn(kSums), NameOf);
INSTANTIATE_TEST_SUITE_P(Pairs, FailureTextsTest, ::testing::ValuesIn(kPairs), NameOf);
INSTANTIATE_TEST_SUITE_P(Time, FailureTextsTest, ::testing::ValuesIn(kTime), NameOf);
INSTANTIATE_TEST_SUITE_P(Derived, FailureTextsTest, ::testing::ValuesIn(kDerived), NameOf);

// PV07 and PV08 check the same fifteen counters of pairs and of experts.
TEST(CounterSumTextsTest, OfPairsAndExperts) {
  const struct {
    const char* pointer;
    const char* field;
    std::uint64_t none;    // in the block without pair or expert
    std::uint64_t totals;  // in the totals
  } counters[] = {
      {"/instructions", "instructions", 3, 10},
      {"/cycles", "cycles", 43, 245},
      {"/hbm/read/logical_bytes", "hbm.read.logical_bytes", 0, 5120},
      {"/hbm/read/physical_bytes", "hbm.read.physical_bytes", 256, 9088},
      {"/hbm/read/lines", "hbm.read.lines", 4, 142},
      {"/hbm/read/burst_bytes", "hbm.read.burst_bytes", 256, 9088},
      {"/hbm/read/repeat_bytes", "hbm.read.repeat_bytes", 128, 192},
      {"/hbm/write/logical_bytes", "hbm.write.logical_bytes", 256, 256},
      {"/hbm/write/physical_bytes", "hbm.write.physical_bytes", 256, 256},
      {"/hbm/write/lines", "hbm.write.lines", 4, 4},
      {"/hbm/write/burst_bytes", "hbm.write.burst_bytes", 256, 256},
      {"/hbm/write/rmw_read_bytes", "hbm.write.rmw_read_bytes", 256, 256},
      {"/flops/matrix", "flops.matrix", 0, 4096},
      {"/flops/vector", "flops.vector", 0, 128},
      {"/flops/scalar", "flops.scalar", 0, 0},
  };
  for (const auto& [table, id] : {std::pair("pairs", "PV07"), std::pair("experts", "PV08")}) {
    for (const auto& counter : counters) {
      const std::string pointer = absl::StrCat("/", table, "/none", counter.pointer);
      const std::string value = absl::StrCat(counter.none + 1);
      EXPECT_THAT(
          LinesOf(Set(pointer.c_str(), value.c_str())),
          Contains(absl::StrCat(id, ": ", table, ": rows + none != totals in ", counter.field, " (",
                                counter.totals + 1, " != ", counter.totals, ")")));
    }
  }
}

std::vector<Row> AllRows() {
  std::vector<Row> rows;
  for (const std::vector<Row>* part : {&kStructure, &kSums, &kPairs, &kTime, &kDerived}) {
    rows.insert(rows.end(), part->begin(), part->end());
  }
  return rows;
}

TEST(ProfileExplanationsTest, ExamplesAreLinesThatVerifyPrints) {
  const std::vector<Row> rows = AllRows();
  for (const Explanation& entry : Explanations()) {
    const std::string prefix = absl::StrCat("p.json: ", std::string(entry.id), ": ");
    std::string example(entry.example);
    ASSERT_TRUE(absl::StartsWith(example, prefix)) << example;
    example = example.substr(std::size("p.json: ") - 1);
    const bool is_shown = std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
      return absl::EndsWith(row.line, "(sha256:") ? absl::StartsWith(example, row.line)
                                                  : example == row.line;
    });
    EXPECT_TRUE(is_shown) << example;
  }
}

TEST(ProfileExplanationsTest, AreInOrderCompleteAndSentences) {
  std::vector<std::string> ids;
  for (const Explanation& entry : Explanations()) {
    ids.emplace_back(entry.id);
    EXPECT_FALSE(entry.title.empty() || entry.title.ends_with('.')) << entry.id;
    EXPECT_TRUE(entry.cause.ends_with('.')) << entry.id;
    EXPECT_TRUE(entry.fix.ends_with('.')) << entry.id;
  }
  std::vector<std::string> expected;
  for (int number = 1; number <= 18; ++number) {
    expected.push_back(absl::StrCat(number < 10 ? "PV0" : "PV", number));
  }
  EXPECT_EQ(ids, expected);
}

}  // namespace
}  // namespace moescope::profiler
