// Differences of random profiles: exactly the values that were changed are found, whatever the
// tolerance, direction and filter do is recomputed in the plainest way, and every output format
// says the same.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "profiler/diff/diff.h"
#include "profiler/profile_json.h"
#include "profiler/report/report.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Place = std::pair<std::string, std::string>;  // scope, metric

Profile ProfileOf(std::uint32_t seed) {
  test::RandomRun run(seed, true);
  Recorder recorder;
  run.Play(seed, std::nullopt, recorder);
  return MakeProfile(recorder.recording(), test::FixedOptions());
}

Diff DiffOf(const Profile& a, const Profile& b, const DiffOptions& options = {}) {
  const std::string text_a = ProfileText(a);
  const std::string text_b = ProfileText(b);
  const absl::StatusOr<Diff> diff = DiffProfiles({"a", text_a}, {"b", text_b}, options);
  EXPECT_TRUE(diff.ok()) << diff.status();
  return diff.value_or(Diff{});
}

// Every number that diff compares, by its place, in a profile that may be changed.
using Leaves = std::map<Place, std::uint64_t*>;

void AddBlock(const std::string& scope, CounterBlock& block, Leaves& leaves) {
  leaves[{scope, "cycles"}] = &block.cycles;
  leaves[{scope, "instructions"}] = &block.instructions;
  for (const auto& [direction, traffic, extra] :
       {std::tuple("read", &block.read, "repeat_bytes"),
        std::tuple("write", &block.write, "rmw_read_bytes")}) {
    const std::string prefix = absl::StrCat("bytes:hbm.", direction, ".");
    leaves[{scope, prefix + "logical_bytes"}] = &traffic->logical_bytes;
    leaves[{scope, prefix + "physical_bytes"}] = &traffic->physical_bytes;
    leaves[{scope, prefix + "burst_bytes"}] = &traffic->burst_bytes;
    leaves[{scope, prefix + extra}] = &traffic->extra_bytes;
  }
  for (std::size_t i = 0; i < block.reasons.size(); ++i) {
    const std::string name(emulator::kReasonNames[i]);
    if (name == "execute" || name == "other") continue;  // not listed by the model of these runs
    leaves[{scope, "reason:" + name}] = &block.reasons[i];
  }
  for (std::size_t i = 0; i < block.units.size(); ++i) {
    leaves[{scope, absl::StrCat("unit:", std::string(emulator::kUnitNames[i]))}] = &block.units[i];
  }
}

template <typename Opcode>
void AddOpcodes(const std::string& scope, std::vector<Opcode>& opcodes, Leaves& leaves) {
  for (Opcode& opcode : opcodes) {
    leaves[{scope, "opcode:" + opcode.mnemonic}] = &opcode.cycles;
    leaves[{scope, "opcode_instructions:" + opcode.mnemonic}] = &opcode.instructions;
  }
}

Leaves LeavesOf(Profile& profile, bool with_pairs) {
  Leaves leaves;
  AddBlock("total", profile.totals.counters, leaves);
  AddOpcodes("total", profile.opcodes, leaves);
  for (StageEntry& stage : profile.stages) {
    AddBlock(stage.name, stage.counters, leaves);
    AddOpcodes(stage.name, stage.opcodes, leaves);
  }
  if (!with_pairs || !profile.pairs) return leaves;
  for (PairRow& row : profile.pairs->rows) {
    AddBlock(absl::StrCat("pair ", row.pair), row.counters, leaves);
  }
  return leaves;
}

// Changes `count` numbers; what each was and became.
std::map<Place, std::pair<std::uint64_t, std::uint64_t>> ChangeSome(Profile& profile, int count,
                                                                    bool with_pairs,
                                                                    std::mt19937& random) {
  const Leaves leaves = LeavesOf(profile, with_pairs);
  std::map<Place, std::pair<std::uint64_t, std::uint64_t>> changed;
  while (static_cast<int>(changed.size()) < count) {
    auto at = std::next(leaves.begin(), static_cast<std::ptrdiff_t>(random() % leaves.size()));
    if (changed.contains(at->first)) continue;
    const std::uint64_t before = *at->second;
    const std::uint64_t step = 1 + random() % 50;
    *at->second = before >= step && random() % 2 == 0 ? before - step : before + step;
    changed[at->first] = {before, *at->second};
  }
  return changed;
}

TEST(DiffPropertyTest, ExactlyTheChangedNumbersAreFound) {
  std::mt19937 random(1);
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const Profile a = ProfileOf(seed);
    Profile b = a;
    const bool with_pairs = seed % 2 == 0;
    const auto changed = ChangeSome(b, static_cast<int>(random() % 12), with_pairs, random);
    DiffOptions options;
    options.filter.with_pairs = with_pairs;
    const Diff diff = DiffOf(a, b, options);
    std::map<Place, std::pair<std::uint64_t, std::uint64_t>> found;
    for (const DiffRow& row : diff.rows) {
      EXPECT_EQ(row.delta, static_cast<std::int64_t>(row.b - row.a));
      if (row.delta != 0) found[{row.scope, row.metric}] = {row.a, row.b};
    }
    EXPECT_EQ(found, changed) << seed;
    EXPECT_EQ(diff.exceeded(), changed.size());
    EXPECT_EQ(diff.is_within(), changed.empty());
    EXPECT_THAT(diff.one_sided, IsEmpty());
    EXPECT_THAT(diff.not_compared, IsEmpty());
    Profile all = a;
    EXPECT_EQ(diff.rows.size(), LeavesOf(all, with_pairs).size()) << seed;
  }
}

TEST(DiffPropertyTest, ExchangingTheSidesNegatesTheDeltas) {
  std::mt19937 random(2);
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const Profile a = ProfileOf(seed);
    Profile b = a;
    ChangeSome(b, 8, true, random);
    DiffOptions options;
    options.filter.with_pairs = true;
    const Diff there = DiffOf(a, b, options);
    const Diff back = DiffOf(b, a, options);
    ASSERT_EQ(there.rows.size(), back.rows.size());
    for (std::size_t i = 0; i < there.rows.size(); ++i) {
      EXPECT_EQ(there.rows[i].metric, back.rows[i].metric);
      EXPECT_EQ(there.rows[i].delta, -back.rows[i].delta);
      EXPECT_EQ(there.rows[i].is_exceeded, back.rows[i].is_exceeded);
    }
  }
}

TEST(DiffPropertyTest, SharesAreRoundedTowardsZero) {
  std::mt19937 random(3);
  const Profile a = ProfileOf(5);
  Profile b = a;
  ChangeSome(b, 60, true, random);
  for (const DiffRow& row : DiffOf(a, b).rows) {
    if (row.a == 0) {
      EXPECT_FALSE(row.delta_ppm.has_value());
    } else {
      EXPECT_EQ(row.delta_ppm, row.delta * 1'000'000 / static_cast<std::int64_t>(row.a));
    }
  }
}

// ---- Tolerances ---------------------------------------------------------------------------------

// What a list of tolerances means for one number, said the plain way: the closest selector wins,
// of equals the last.
struct Verdict {
  bool is_judged = false;
  bool is_exceeded = false;
};

Verdict Judge(const std::vector<std::string>& texts, const DiffRow& row, bool only_regressions) {
  const std::string family = row.metric.substr(0, row.metric.find(':'));
  const std::vector<std::string> selectors = {"*", family, row.metric, family + ":" + row.scope,
                                              row.metric + ":" + row.scope};
  Verdict verdict;
  for (const std::string& selector : selectors) {
    for (const std::string& text : texts) {
      if (text.substr(0, text.rfind('=')) != selector) continue;
      std::string limit = text.substr(text.rfind('=') + 1);
      const std::uint64_t distance = row.a < row.b ? row.b - row.a : row.a - row.b;
      verdict.is_judged = true;
      if (limit.back() == '%') {
        limit.pop_back();
        verdict.is_exceeded = distance * 100 > row.a * std::stoull(limit);
      } else {
        verdict.is_exceeded = distance > std::stoull(limit);
      }
    }
  }
  if (only_regressions && row.b < row.a) return {};
  return verdict;
}

TEST(DiffPropertyTest, TolerancesJudgeLikeThePlainRule) {
  std::mt19937 random(4);
  std::size_t judged = 0;
  std::size_t exceeded = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Profile a = ProfileOf(seed % 8);
    Profile b = a;
    const auto changed = ChangeSome(b, 30, true, random);
    std::vector<std::string> texts;
    const std::size_t count = 1 + random() % 5;
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = std::next(changed.begin(), static_cast<std::ptrdiff_t>(random() % 30));
      const auto& [scope, metric] = at->first;
      const std::string family = metric.substr(0, metric.find(':'));
      const std::string selectors[] = {"*", family, metric, family + ":" + scope,
                                       metric + ":" + scope};
      texts.push_back(
          absl::StrCat(selectors[random() % 5], "=", random() % 60, random() % 2 == 0 ? "%" : ""));
    }
    DiffOptions options;
    options.filter.with_pairs = true;
    options.only_regressions = random() % 3 == 0;
    for (const std::string& text : texts) options.tolerances.push_back(*ParseTolerance(text));
    for (const DiffRow& row : DiffOf(a, b, options).rows) {
      const Verdict verdict = Judge(texts, row, options.only_regressions);
      EXPECT_EQ(row.is_judged, verdict.is_judged) << row.scope << " " << row.metric;
      EXPECT_EQ(row.is_exceeded, verdict.is_exceeded) << row.scope << " " << row.metric;
      judged += row.is_judged;
      exceeded += row.is_exceeded;
    }
  }
  EXPECT_GT(judged, 500u);
  EXPECT_GT(exceeded, 25u);
}

TEST(ToleranceEdgeTest, AbsoluteAndRelativeLimits) {
  for (const std::uint64_t limit : {0u, 1u, 59u, 60u, 61u}) {
    const Tolerance absolute{"cycles", false, limit};
    for (const std::uint64_t distance : {0u, 1u, 59u, 60u, 61u, 62u}) {
      EXPECT_EQ(absolute.Allows(100, 100 + distance), distance <= limit);
      EXPECT_EQ(absolute.Allows(100 + distance, 100), distance <= limit);
    }
  }
  const struct {
    const char* text;
    std::uint64_t a, most;  // the largest distance that is allowed
  } rows[] = {{"cycles=0%", 1000, 0},
              {"cycles=0.1%", 1000, 1},
              {"cycles=0.0999%", 1000, 0},
              {"cycles=0.1001%", 1000, 1},
              {"cycles=100%", 1000, 1000},
              {"cycles=250%", 1000, 2500},
              {"cycles=0.0001%", 999'999, 0},
              {"cycles=0.0001%", 1'000'000, 1},
              {"cycles=33.3333%", 3, 0},
              {"cycles=33.3334%", 3, 1},
              {"cycles=50%", (std::uint64_t{1} << 53) - 2, (std::uint64_t{1} << 52) - 1}};
  for (const auto& row : rows) {
    const Tolerance tolerance = *ParseTolerance(row.text);
    EXPECT_TRUE(tolerance.Allows(row.a, row.a + row.most)) << row.text;
    EXPECT_FALSE(tolerance.Allows(row.a, row.a + row.most + 1)) << row.text;
    if (row.most <= row.a) {
      EXPECT_TRUE(tolerance.Allows(row.a, row.a - row.most)) << row.text;
    }
  }
}

// ---- Filters ------------------------------------------------------------------------------------

TEST(DiffPropertyTest, AStageFilterSumsTheStagesItLetsThrough) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const Profile profile = ProfileOf(seed);
    for (const char* glob : {"*", "expert_*", "*r", "gather", "un*", "?*_*?", "nothing"}) {
      DiffOptions options;
      options.filter.stage_glob = glob;
      std::uint64_t cycles = 0;
      std::set<std::string> stages;
      for (const StageEntry& stage : profile.stages) {
        if (!MatchesGlob(glob, stage.name)) continue;
        cycles += stage.counters.cycles;
        stages.insert(stage.name);
      }
      std::set<std::string> shown;
      for (const DiffRow& row : DiffOf(profile, profile, options).rows) {
        if (row.scope != "total") shown.insert(row.scope);
        if (row.scope == "total" && row.metric == "cycles") {
          EXPECT_EQ(row.a, cycles) << glob;
        }
      }
      EXPECT_EQ(shown, stages) << glob;
    }
  }
}

TEST(DiffPropertyTest, APairFilterShowsTheRowOfThePair) {
  int pairs = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Profile profile = ProfileOf(seed);
    if (!profile.pairs) continue;
    for (const PairRow& pair : profile.pairs->rows) {
      DiffOptions options;
      options.filter.pair = pair.pair;
      for (const DiffRow& row : DiffOf(profile, profile, options).rows) {
        if (row.scope != "total") continue;
        if (row.metric == "cycles") {
          EXPECT_EQ(row.a, pair.counters.cycles);
        }
        if (row.metric == "bytes:hbm.read.repeat_bytes") {
          EXPECT_EQ(row.a, pair.counters.read.extra_bytes);
        }
      }
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 20);
}

// ---- Formats ------------------------------------------------------------------------------------

TEST(DiffPropertyTest, JsonHoldsEveryRow) {
  std::mt19937 random(6);
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Profile a = ProfileOf(seed);
    Profile b = a;
    ChangeSome(b, 9, false, random);
    const Diff diff = DiffOf(a, b);
    const auto json = nlohmann::json::parse(DiffJson(diff));
    EXPECT_EQ(json["schema"], "moescope.diff");
    EXPECT_EQ(json["exceeded"], diff.exceeded());
    EXPECT_EQ(json["within"], diff.is_within());
    ASSERT_EQ(json["rows"].size(), diff.rows.size());
    for (std::size_t i = 0; i < diff.rows.size(); ++i) {
      const auto& row = json["rows"][i];
      EXPECT_EQ(row["scope"], diff.rows[i].scope);
      EXPECT_EQ(row["metric"], diff.rows[i].metric);
      EXPECT_EQ(row["a"], diff.rows[i].a);
      EXPECT_EQ(row["b"], diff.rows[i].b);
      EXPECT_EQ(row["delta"], diff.rows[i].delta);
      EXPECT_EQ(row.contains("delta_ppm"), diff.rows[i].delta_ppm.has_value());
      EXPECT_EQ(row["exceeded"], diff.rows[i].is_exceeded);
    }
    for (const DiffRow& row : diff.rows) {
      if (!row.is_exceeded) continue;
      const std::string name = absl::StrCat(row.scope, " ", row.metric);
      EXPECT_THAT(DiffMarkdown(diff), HasSubstr("\n| " + name + " | "));
      EXPECT_THAT(DiffText(diff, 400), HasSubstr("\n" + name + " "));
    }
  }
}

}  // namespace
}  // namespace moescope::profiler
