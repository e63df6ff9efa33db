#include "profiler/diff/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nlohmann/json.hpp"
#include "profiler/profile_json.h"
#include "profiler/report/report.h"
#include "stages/stage.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/golden.h"

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The rich run, and the same with faster projections and a stage less.
Profile Slow() { return test::RichProfile(); }

Profile Fast() {
  Profile profile = test::RichProfile();
  for (StageEntry& stage : profile.stages) {
    if (stage.name != "expert_projection") continue;
    stage.counters.cycles -= 60;
    stage.counters.reasons[static_cast<int>(emulator::Reason::kHbmBandwidth)] -= 60;
    stage.opcodes[0].cycles -= 60;
    stage.counters.read.physical_bytes += 64;
  }
  profile.totals.counters.cycles -= 60;
  profile.totals.counters.reasons[static_cast<int>(emulator::Reason::kHbmBandwidth)] -= 60;
  profile.totals.counters.read.physical_bytes += 64;
  for (OpcodeEntry& opcode : profile.opcodes) {
    if (opcode.mnemonic == "M_MM") opcode.cycles -= 60;
  }
  std::erase_if(profile.stages, [](const StageEntry& s) { return s.name == "shared_expert"; });
  return profile;
}

absl::StatusOr<Diff> DiffOf(const Profile& a, const Profile& b, DiffOptions options = {}) {
  const std::string text_a = ProfileText(a);
  const std::string text_b = ProfileText(b);
  return DiffProfiles({"a.json", text_a}, {"b.json", text_b}, options);
}

std::string ErrorOf(const Profile& a, const Profile& b, DiffOptions options = {}) {
  const absl::StatusOr<Diff> diff = DiffOf(a, b, options);
  EXPECT_FALSE(diff.ok());
  return std::string(diff.status().message());
}

const DiffRow* Find(const Diff& diff, std::string_view scope, std::string_view metric) {
  for (const DiffRow& row : diff.rows) {
    if (row.scope == scope && row.metric == metric) return &row;
  }
  return nullptr;
}

DiffOptions WithTolerances(std::initializer_list<const char*> texts) {
  DiffOptions options;
  for (const char* text : texts) options.tolerances.push_back(*ParseTolerance(text));
  return options;
}

TEST(DiffTest, EqualProfilesAreWithin) {
  const absl::StatusOr<Diff> diff = DiffOf(Slow(), Slow());
  ASSERT_TRUE(diff.ok()) << diff.status().message();
  EXPECT_TRUE(diff->is_within());
  EXPECT_EQ(diff->exceeded(), 0u);
  EXPECT_THAT(diff->not_compared, IsEmpty());
  for (const DiffRow& row : diff->rows) EXPECT_EQ(row.delta, 0);
}

TEST(DiffTest, RowsHaveDeltasAndShares) {
  const absl::StatusOr<Diff> diff = DiffOf(Slow(), Fast());
  ASSERT_TRUE(diff.ok());
  EXPECT_FALSE(diff->is_within());
  const DiffRow* cycles = Find(*diff, "total", "cycles");
  ASSERT_NE(cycles, nullptr);
  EXPECT_EQ(cycles->a, 245u);
  EXPECT_EQ(cycles->b, 185u);
  EXPECT_EQ(cycles->delta, -60);
  EXPECT_EQ(cycles->delta_ppm, -244'897);
  EXPECT_TRUE(cycles->is_exceeded);
  EXPECT_EQ(Find(*diff, "expert_projection", "reason:hbm_bandwidth")->delta, -60);
  EXPECT_EQ(Find(*diff, "expert_projection", "opcode:M_MM")->delta, -60);
  EXPECT_EQ(Find(*diff, "total", "bytes:hbm.read.physical_bytes")->delta, 64);
  EXPECT_EQ(Find(*diff, "gather", "cycles")->delta, 0);
}

TEST(DiffTest, AStageOnOneSideIsADifferenceAndNotZero) {
  const absl::StatusOr<Diff> diff = DiffOf(Slow(), Fast(), WithTolerances({"*=100"}));
  ASSERT_TRUE(diff.ok());
  ASSERT_EQ(diff->one_sided.size(), 1u);
  EXPECT_EQ(diff->one_sided[0].scope, "shared_expert");
  EXPECT_EQ(diff->one_sided[0].side, 'A');
  EXPECT_EQ(Find(*diff, "shared_expert", "cycles"), nullptr);
  EXPECT_EQ(diff->exceeded(), 0u);
  EXPECT_FALSE(diff->is_within());
  EXPECT_THAT(DiffText(*diff), HasSubstr("shared_expert: only in A\n"));
}

TEST(DiffTest, GoldenTexts) {
  const absl::StatusOr<Diff> diff = DiffOf(Slow(), Fast(), WithTolerances({"cycles=1%"}));
  ASSERT_TRUE(diff.ok());
  moescope::test::ExpectGolden("diff_rich.txt", DiffText(*diff));
  moescope::test::ExpectGolden("diff_rich.md", DiffMarkdown(*diff));
  moescope::test::ExpectGolden("diff_rich.json", DiffJson(*diff));
  EXPECT_EQ(nlohmann::json::parse(DiffJson(*diff))["schema"], "moescope.diff");
}

TEST(DiffTest, TolerancesDecideWhatIsJudged) {
  const struct {
    std::vector<const char*> tolerances;
    std::size_t exceeded;
  } rows[] = {
      {{"cycles=24.4898%"}, 1},  // expert_projection moved by 31.7 %
      {{"cycles=31.7461%"}, 0},
      {{"cycles=24.4896%", "cycles:expert_projection=60"}, 1},
      {{"cycles=24.4898%", "cycles:expert_projection=60"}, 0},
      {{"cycles=24.4898%", "cycles:expert_projection=59"}, 1},
      {{"cycles:total=60"}, 0},
      {{"bytes=64"}, 0},
      {{"bytes=63"}, 2},  // total and expert_projection
      {{"bytes:hbm.write.physical_bytes=0"}, 0},
      {{"reason=0"}, 2},
      {{"reason:hbm_bandwidth=60"}, 0},
      {{"reason:raw_fp=0"}, 0},
      {{"opcode:M_MM=60", "opcode=0"}, 0},  // the closer selector wins, wherever it stands
      {{"*=0", "*=60"}, 2},                 // of equals the last: bytes moved by 64
      {{"instructions=0"}, 0},
  };
  for (const auto& row : rows) {
    DiffOptions options;
    for (const char* text : row.tolerances) options.tolerances.push_back(*ParseTolerance(text));
    const absl::StatusOr<Diff> diff = DiffOf(Slow(), Fast(), options);
    ASSERT_TRUE(diff.ok());
    EXPECT_EQ(diff->exceeded(), row.exceeded) << row.tolerances[0];
  }
}

TEST(DiffTest, OnlyRegressionsCountWhenAsked) {
  DiffOptions options;
  options.only_regressions = true;
  EXPECT_EQ(DiffOf(Slow(), Fast(), options)->exceeded(), 2u);  // bytes grew in two scopes
  options.tolerances = {*ParseTolerance("cycles=0")};
  EXPECT_EQ(DiffOf(Slow(), Fast(), options)->exceeded(), 0u);
  EXPECT_EQ(DiffOf(Fast(), Slow(), options)->exceeded(), 2u);
}

TEST(ToleranceTest, Parses) {
  EXPECT_EQ(ParseTolerance("cycles=0.5%")->limit, 5'000u);
  EXPECT_EQ(ParseTolerance("cycles=1%")->limit, 10'000u);
  EXPECT_TRUE(ParseTolerance("cycles=1%")->is_relative);
  EXPECT_EQ(ParseTolerance("cycles=12")->limit, 12u);
  EXPECT_EQ(ParseTolerance("cycles:gather=12")->selector, "cycles:gather");
}

TEST(ToleranceTest, Errors) {
  for (const char* text :
       {"cycles", "=5", "cycles=", "cycles=x", "cycles=%", "cycles=1.%", "cycles=1.23456%",
        "cycles=-1", "cycles=1e3", "cycles=9999999999999999", "cycles=1.5"}) {
    EXPECT_EQ(ParseTolerance(text).status().message(),
              "tolerance '" + std::string(text) + "': expected METRIC=P% or METRIC=N");
  }
  EXPECT_EQ(ParseTolerance("cylces=1").status().message(),
            "tolerance 'cylces=1': unknown metric 'cylces'; known: *, cycles, instructions, bytes, "
            "reason, unit, opcode, opcode_instructions; did you mean 'cycles'?");
}

TEST(ToleranceTest, RelativeIsExactAtTheEdge) {
  const Tolerance one_percent{"cycles", true, 10'000};
  EXPECT_TRUE(one_percent.Allows(1000, 1010));
  EXPECT_FALSE(one_percent.Allows(1000, 1011));
  EXPECT_TRUE(one_percent.Allows(1000, 990));
  EXPECT_FALSE(one_percent.Allows(0, 1));
  EXPECT_TRUE(one_percent.Allows(0, 0));
}

TEST(DiffTest, WhatCannotBeComparedIsRefused) {
  const struct {
    void (*change)(Profile&);
    const char* error;
    const char* allow;
  } rows[] = {
      {[](Profile& p) { p.isa.sha256 = "sha256:" + std::string(64, '3'); }, "(--allow=isa)", "isa"},
      {[](Profile& p) { p.machine.timing_model = "serial"; },
       "not comparable: timing model A 'pipelined', B 'serial' (--allow=model)", "model"},
      {[](Profile& p) { p.machine.sha256 = "sha256:" + std::string(64, '4'); }, "(--allow=machine)",
       "machine"},
      {[](Profile& p) { p.machine.clock_period_ps = 500; },
       "not comparable: clock period A 1000 ps, B 500 ps (--allow=clock)", "clock"},
      {[](Profile& p) { p.complete = false; },
       "not comparable: run B is incomplete (--allow=incomplete)", "incomplete"},
  };
  for (const auto& row : rows) {
    Profile changed = Slow();
    row.change(changed);
    EXPECT_THAT(ErrorOf(Slow(), changed), HasSubstr(row.error));
    DiffOptions options;
    options.allow = {row.allow};
    const absl::StatusOr<Diff> diff = DiffOf(Slow(), changed, options);
    ASSERT_TRUE(diff.ok()) << row.allow;
    ASSERT_EQ(diff->allowed.size(), 1u);
    EXPECT_THAT(DiffText(*diff), HasSubstr("\nallowed: " + std::string(row.allow) + ": "));
  }
}

TEST(DiffTest, EveryRefusalIsNamedAtOnce) {
  Profile changed = Slow();
  changed.machine.timing_model = "serial";
  changed.complete = false;
  EXPECT_EQ(ErrorOf(Slow(), changed),
            "not comparable: timing model A 'pipelined', B 'serial' (--allow=model); run B is "
            "incomplete (--allow=incomplete)");
}

TEST(DiffTest, NanosecondsConvertBothSides) {
  Profile half = Slow();
  half.machine.clock_period_ps = 500;
  DiffOptions options;
  options.in_ns = true;
  options.allow = {"clock"};
  const absl::StatusOr<Diff> diff = DiffOf(Slow(), half, options);
  ASSERT_TRUE(diff.ok());
  EXPECT_EQ(diff->unit, "ns");
  EXPECT_EQ(Find(*diff, "total", "cycles")->a, 245u);
  EXPECT_EQ(Find(*diff, "total", "cycles")->b, 122u);
  EXPECT_EQ(Find(*diff, "total", "instructions")->b, 10u);
}

TEST(DiffTest, TwoStagesOfOneProfile) {
  DiffOptions options;
  options.stages = {"gather", "shared_expert"};
  const absl::StatusOr<Diff> diff = DiffOf(Slow(), Slow(), options);
  ASSERT_TRUE(diff.ok());
  EXPECT_EQ(Find(*diff, "gather -> shared_expert", "instructions")->delta, -1);
  ASSERT_TRUE(diff->caveat.has_value());
  std::string text = DiffText(*diff);
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_THAT(text, HasSubstr(std::string(stages::kSharedVersusRoutedCaveat)));
  EXPECT_THAT(DiffJson(*diff), HasSubstr("\"caveat\""));
  EXPECT_THAT(DiffMarkdown(*diff), HasSubstr("\n> Read ratios"));

  options.stages = {"gather", "scatter_combine"};
  EXPECT_FALSE(DiffOf(Slow(), Slow(), options)->caveat.has_value());
  options.stages = {"gathr", "gather"};
  EXPECT_EQ(ErrorOf(Slow(), Slow(), options),
            "a.json has no stage 'gathr'; did you mean 'gather'?");
}

TEST(DiffTest, FiltersApplyBeforeTotals) {
  DiffOptions options;
  options.filter.stage_glob = "expert_*";
  absl::StatusOr<Diff> diff = DiffOf(Slow(), Fast(), options);
  ASSERT_TRUE(diff.ok());
  EXPECT_EQ(Find(*diff, "total", "cycles")->a, 4u + 189u);
  EXPECT_EQ(Find(*diff, "gather", "cycles"), nullptr);

  options.filter = {.pair = 0};
  diff = DiffOf(Slow(), Slow(), options);
  ASSERT_TRUE(diff.ok());
  EXPECT_EQ(Find(*diff, "total", "instructions")->a, 5u);
  EXPECT_EQ(Find(*diff, "expert_projection", "instructions")->a, 2u);
  EXPECT_EQ(Find(*diff, "scatter_combine", "instructions"), nullptr);

  options.filter = {.stage_glob = "expert_projection", .pair = 1};
  diff = DiffOf(Slow(), Slow(), options);
  ASSERT_TRUE(diff.ok());
  EXPECT_EQ(Find(*diff, "total", "instructions")->a, 1u);

  options.filter = {.expert = 9};
  diff = DiffOf(Slow(), Slow(), options);
  ASSERT_TRUE(diff.ok());
  EXPECT_EQ(Find(*diff, "total", "instructions")->a, 2u);

  options.filter = {.pair = 7};
  EXPECT_EQ(ErrorOf(Slow(), Slow(), options), "a.json has no pair 7");
  options.filter = {.expert = 4};
  EXPECT_EQ(ErrorOf(Slow(), Slow(), options), "a.json has no pair of expert 4");
}

TEST(DiffTest, PairsOnRequest) {
  DiffOptions options;
  options.filter.with_pairs = true;
  const absl::StatusOr<Diff> diff = DiffOf(Slow(), Slow(), options);
  ASSERT_TRUE(diff.ok());
  EXPECT_EQ(Find(*diff, "pair 1", "instructions")->a, 2u);
}

TEST(DiffTest, WhatOneSideDoesNotMeasureIsNotCompared) {
  DiffOptions options;
  options.allow = {"model", "machine"};
  Profile other = Slow();
  other.machine.timing_model = "serial";
  other.model.reasons = {"execute"};
  other.model.units.clear();
  for (StageEntry& stage : other.stages) {
    stage.counters.reasons.assign(emulator::kReasonCount, 0);
    stage.counters.units.clear();
  }
  const absl::StatusOr<Diff> diff = DiffOf(Slow(), other, options);
  ASSERT_TRUE(diff.ok());
  EXPECT_THAT(diff->not_compared, ::testing::Contains("reason:raw_vram: not measured in B"));
  EXPECT_THAT(diff->not_compared, ::testing::Contains("reason:execute: not measured in A"));
  EXPECT_THAT(diff->not_compared, ::testing::Contains("unit:dma_m: not measured in B"));
  EXPECT_EQ(Find(*diff, "total", "unit:dma_m"), nullptr);
}

TEST(DiffTest, PublicStageProfilesAreASide) {
  const Profile profile = Slow();
  const std::string ours = ProfileText(profile);
  for (const bool all_stages : {false, true}) {
    for (const char* format : {"stage_profile_v1", "stage_profile_v2"}) {
      ReportOptions report;
      report.format = format;
      report.all_stages = all_stages;
      const std::string theirs = *Report(profile, report);
      DiffOptions options;
      options.in_ns = true;
      const absl::StatusOr<Diff> diff = DiffProfiles({"ours", ours}, {"theirs", theirs}, options);
      ASSERT_TRUE(diff.ok()) << diff.status().message();
      EXPECT_TRUE(diff->is_within()) << DiffText(*diff);
      EXPECT_EQ(Find(*diff, "expert_projection", "cycles")->a, 194u);
      EXPECT_EQ(Find(*diff, "expert_projection", "cycles")->b, 194u);
      EXPECT_EQ(Find(*diff, "other", "instructions") != nullptr, true);
    }
  }
}

TEST(DiffTest, TwoPublicStageProfiles) {
  const std::string a = *Report(Slow(), {.format = "stage_profile_v2"});
  const std::string b = *Report(Fast(), {.format = "stage_profile_v2"});
  const absl::StatusOr<Diff> diff = DiffProfiles({"a", a}, {"b", b}, {});
  ASSERT_TRUE(diff.ok());
  EXPECT_EQ(Find(*diff, "total", "cycles")->delta, -60);
  const absl::StatusOr<Diff> v1 =
      DiffProfiles({"a", *Report(Slow(), {.format = "stage_profile_v1"})}, {"b", b}, {});
  ASSERT_TRUE(v1.ok());
  EXPECT_EQ(Find(*v1, "total", "cycles"), nullptr);  // v1 has seconds only
  EXPECT_THAT(v1->not_compared, ::testing::Contains("cycles: not measured in A"));
}

TEST(DiffTest, BadFilesAreNamed) {
  const std::string good = ProfileText(Slow());
  const auto error = [&](const std::string& text, DiffOptions options = {}) {
    return std::string(
        DiffProfiles({"a.json", good}, {"b.json", text}, options).status().message());
  };
  EXPECT_THAT(error("{"), HasSubstr("b.json: not JSON: line 1, column 2"));
  EXPECT_EQ(error("{}"), "b.json: not a profile: /schema is not \"moescope.profile\"");
  EXPECT_EQ(error(R"({"total_profiled_seconds": 1e300, "stages": {}})", {.in_ns = true}),
            "b.json: /total_profiled_seconds is out of range");
  EXPECT_EQ(error(R"({"total_profiled_seconds": 1, "stages": {"x": {"instructions": -1}}})"),
            "b.json: /stages/x/instructions is not a count");
  DiffOptions filtered;
  filtered.filter.pair = 1;
  EXPECT_EQ(error(R"({"total_profiled_seconds": 1, "stages": {}})", filtered),
            "filters need two profiles, not a public stage profile");
}

TEST(GlobTest, Matches) {
  EXPECT_TRUE(MatchesGlob("*", ""));
  EXPECT_TRUE(MatchesGlob("expert_*", "expert_bias"));
  EXPECT_TRUE(MatchesGlob("*_*t", "expert_weight"));
  EXPECT_TRUE(MatchesGlob("g?ther", "gather"));
  EXPECT_FALSE(MatchesGlob("expert", "expert_bias"));
  EXPECT_FALSE(MatchesGlob("?", ""));
  EXPECT_TRUE(MatchesGlob("a**b", "ab"));
  EXPECT_FALSE(MatchesGlob("*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

}  // namespace
}  // namespace moescope::profiler
