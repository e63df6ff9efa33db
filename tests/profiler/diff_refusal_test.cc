// What profile.md 6 refuses to compare: every combination of differences against every combination
// of --allow, the facts that public stage profiles do not state, and every unreadable input.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "profiler/diff/diff.h"
#include "profiler/profile_json.h"
#include "profiler/report/report.h"
#include "stages/stage.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Obstacle {
  const char* name;  // of --allow
  void (*apply)(Profile&);
  std::string text;  // of the difference
};

const std::array<Obstacle, 5>& Obstacles() {
  static const auto& obstacles = *new std::array<Obstacle, 5>{{
      {"isa", [](Profile& p) { p.isa.sha256 = "sha256:" + std::string(64, '3'); },
       absl::StrCat("ISA A 'sha256:", std::string(64, '2'), "', B 'sha256:", std::string(64, '3'),
                    "'")},
      {"model", [](Profile& p) { p.machine.timing_model = "serial"; },
       "timing model A 'pipelined', B 'serial'"},
      {"machine", [](Profile& p) { p.machine.sha256 = "sha256:" + std::string(64, '4'); },
       absl::StrCat("machine A '", test::RichProfile().machine.sha256,
                    "', B 'sha256:", std::string(64, '4'), "'")},
      {"clock", [](Profile& p) { p.machine.clock_period_ps = 500; },
       "clock period A 1000 ps, B 500 ps"},
      {"incomplete", [](Profile& p) { p.complete = false; }, "run B is incomplete"},
  }};
  return obstacles;
}

// The rich profile without its tables, so that reading it is quick.
Profile BareProfile() {
  Profile profile = test::RichProfile();
  profile.stages.erase(profile.stages.begin(), profile.stages.end() - 1);
  profile.program.vocabulary.clear();
  profile.opcodes.clear();
  profile.hot.clear();
  profile.pairs.reset();
  profile.experts.reset();
  profile.timeline.reset();
  return profile;
}

TEST(RefusalTest, EveryCombinationOfDifferencesAndAllowances) {
  const Profile a = BareProfile();
  const std::string text_a = ProfileText(a);
  for (unsigned differ = 0; differ < 32; ++differ) {
    Profile b = a;
    for (unsigned i = 0; i < 5; ++i) {
      if ((differ >> i & 1) != 0) Obstacles()[i].apply(b);
    }
    const std::string text_b = ProfileText(b);
    for (unsigned allow = 0; allow < 32; ++allow) {
      DiffOptions options;
      std::vector<std::string> refused;
      std::vector<std::string> allowed;
      for (unsigned i = 0; i < 5; ++i) {
        const Obstacle& obstacle = Obstacles()[i];
        if ((allow >> i & 1) != 0) options.allow.insert(obstacle.name);
        if ((differ >> i & 1) == 0) continue;
        if ((allow >> i & 1) != 0) {
          allowed.push_back(absl::StrCat(obstacle.name, ": ", obstacle.text));
        } else {
          refused.push_back(absl::StrCat(obstacle.text, " (--allow=", obstacle.name, ")"));
        }
      }
      const absl::StatusOr<Diff> diff = DiffProfiles({"a", text_a}, {"b", text_b}, options);
      ASSERT_EQ(diff.ok(), refused.empty()) << differ << " " << allow;
      if (diff.ok()) {
        EXPECT_EQ(diff->allowed, allowed);
      } else {
        EXPECT_EQ(diff.status().code(), absl::StatusCode::kFailedPrecondition);
        EXPECT_EQ(diff.status().message(), "not comparable: " + absl::StrJoin(refused, "; "));
      }
    }
  }
}

TEST(RefusalTest, IncompleteSidesAreNamed) {
  Profile cut = test::RichProfile();
  cut.complete = false;
  const std::string whole_text = ProfileText(test::RichProfile());
  const std::string cut_text = ProfileText(cut);
  const auto error = [](const std::string& a, const std::string& b) {
    return std::string(DiffProfiles({"a", a}, {"b", b}, {}).status().message());
  };
  EXPECT_EQ(error(cut_text, whole_text),
            "not comparable: run A is incomplete (--allow=incomplete)");
  EXPECT_EQ(error(whole_text, cut_text),
            "not comparable: run B is incomplete (--allow=incomplete)");
  EXPECT_EQ(error(cut_text, cut_text),
            "not comparable: both runs are incomplete (--allow=incomplete)");
}

TEST(RefusalTest, TwoStagesOfOneFileNeedNoAllowance) {
  Profile cut = test::RichProfile();
  const std::string text = ProfileText(cut);
  DiffOptions options;
  options.stages = {"gather", "expert_projection"};
  EXPECT_TRUE(DiffProfiles({"p", text}, {"p", text}, options).ok());
}

// What was allowed heads every format.
TEST(RefusalTest, AllowancesHeadTheOutput) {
  const std::string a = ProfileText(test::RichProfile());
  Profile other = test::RichProfile();
  for (const Obstacle& obstacle : Obstacles()) obstacle.apply(other);
  const std::string b = ProfileText(other);
  DiffOptions options;
  options.allow = {"isa", "model", "machine", "clock", "incomplete"};
  const absl::StatusOr<Diff> diff = DiffProfiles({"a.json", a}, {"b.json", b}, options);
  ASSERT_TRUE(diff.ok());
  const std::vector<std::string> text = absl::StrSplit(DiffText(*diff, 400), '\n');
  const std::vector<std::string> markdown = absl::StrSplit(DiffMarkdown(*diff), '\n');
  EXPECT_EQ(text[0], "A: a.json");
  EXPECT_EQ(text[1], "B: b.json");
  EXPECT_EQ(markdown[2], "* A: a.json");
  for (std::size_t i = 0; i < Obstacles().size(); ++i) {
    const std::string line =
        absl::StrCat("allowed: ", Obstacles()[i].name, ": ", Obstacles()[i].text);
    EXPECT_EQ(text[2 + i], line);
    EXPECT_EQ(markdown[4 + i], "* " + line);
    EXPECT_THAT(DiffJson(*diff), HasSubstr(absl::StrCat("\"", Obstacles()[i].name, ": ")));
  }
}

// ---- Public stage profiles ----------------------------------------------------------------------

std::string Public(const Profile& profile, const char* format) {
  return *Report(profile, {.format = format});
}

// They state neither ISA, model, machine nor clock, so those cannot differ.
TEST(RefusalTest, PublicFilesStateNoFactsButTheirEnd) {
  Profile other = test::RichProfile();
  for (std::size_t i = 0; i < 4; ++i) Obstacles()[i].apply(other);
  const std::string ours = ProfileText(other);
  const std::string theirs = Public(test::RichProfile(), "stage_profile_v2");
  EXPECT_TRUE(DiffProfiles({"ours", ours}, {"theirs", theirs}, {}).ok());
  EXPECT_TRUE(DiffProfiles({"theirs", theirs}, {"ours", ours}, {}).ok());

  Profile cut = test::RichProfile();
  cut.complete = false;
  const std::string incomplete = Public(cut, "stage_profile_v2");
  EXPECT_EQ(DiffProfiles({"a", theirs}, {"b", incomplete}, {}).status().message(),
            "not comparable: run B is incomplete (--allow=incomplete)");
  DiffOptions options;
  options.allow = {"incomplete"};
  EXPECT_TRUE(DiffProfiles({"a", theirs}, {"b", incomplete}, options).ok());
  // Version 1 does not say whether the run was complete.
  EXPECT_TRUE(DiffProfiles({"a", theirs}, {"b", Public(cut, "stage_profile_v1")}, {}).ok());
}

TEST(RefusalTest, OnlyMetricsOfBothSidesAreCompared) {
  const std::string ours = ProfileText(test::RichProfile());
  const std::string v1 = Public(test::RichProfile(), "stage_profile_v1");
  const std::string v2 = Public(test::RichProfile(), "stage_profile_v2");
  const struct {
    const std::string* a;
    const std::string* b;
    std::vector<std::string> not_compared;
  } rows[] = {
      {&ours, &v2, {}},
      {&v1,
       &v2,
       {"cycles: not measured in A", "bytes:hbm.read.logical_bytes: not measured in A",
        "bytes:hbm.write.logical_bytes: not measured in A"}},
      {&v2,
       &v1,
       {"cycles: not measured in B", "bytes:hbm.read.logical_bytes: not measured in B",
        "bytes:hbm.write.logical_bytes: not measured in B"}},
      {&v1, &v1, {}},
  };
  for (const auto& row : rows) {
    const absl::StatusOr<Diff> diff = DiffProfiles({"a", *row.a}, {"b", *row.b}, {});
    ASSERT_TRUE(diff.ok()) << diff.status();
    EXPECT_TRUE(diff->is_within()) << DiffText(*diff);
    for (const std::string& text : row.not_compared) {
      EXPECT_THAT(diff->not_compared, ::testing::Contains(text));
    }
    for (const DiffRow& r : diff->rows) {
      EXPECT_THAT(r.metric, Not(HasSubstr("reason:")));
      EXPECT_THAT(r.metric, Not(HasSubstr("opcode")));
    }
  }
}

TEST(RefusalTest, FiltersNeedTwoProfiles) {
  const std::string ours = ProfileText(test::RichProfile());
  const std::string theirs = Public(test::RichProfile(), "stage_profile_v2");
  const std::vector<Filter> filters = {
      {.stage_glob = "gather"}, {.pair = 0}, {.expert = 3}, {.with_pairs = true}};
  for (const Filter& filter : filters) {
    DiffOptions options;
    options.filter = filter;
    for (const auto& [a, b] : {std::pair(&ours, &theirs), std::pair(&theirs, &ours)}) {
      EXPECT_EQ(DiffProfiles({"a", *a}, {"b", *b}, options).status().message(),
                "filters need two profiles, not a public stage profile");
    }
    EXPECT_TRUE(DiffProfiles({"a", ours}, {"b", ours}, options).ok());
  }
}

// An extension stage that is nested in two stages cannot be folded without the per-pc table.
TEST(RefusalTest, AnAmbiguousFoldIsRefused) {
  Profile profile = test::RichProfile();
  profile.paths->push_back({"gather/ksplit_add", 0, 0});
  const std::string ours = ProfileText(profile);
  const std::string theirs = Public(test::RichProfile(), "stage_profile_v2");
  const absl::Status status = DiffProfiles({"ours", ours}, {"theirs", theirs}, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("ours: stage 'ksplit_add' is nested in 'expert_projection' and 'gather'"));
}

// ---- Inputs -------------------------------------------------------------------------------------

TEST(RefusalTest, UnreadableInputsAreNamedOnEitherSide) {
  const std::string good = ProfileText(test::RichProfile());
  const struct {
    std::string text;
    const char* error;
  } rows[] = {
      {"", "not JSON: line 1, column 1: "},
      {"[]", "not a profile: the top level is not an object"},
      {"{\"schema\": \"moescope.lint\"}", "not a profile: /schema is not \"moescope.profile\""},
      {absl::StrReplaceAll(good, {{"\"schema_version\": 1", "\"schema_version\": 2"}}),
       "schema_version 2 is newer than 1, the latest that this tool reads"},
      {absl::StrReplaceAll(good, {{"\"cycle\": 245", "\"cycle\": -1"}}),
       "/end/cycle is not an integer from 0 to 2^53 - 1"},
  };
  for (const auto& row : rows) {
    const absl::Status b = DiffProfiles({"a.json", good}, {"b.json", row.text}, {}).status();
    const absl::Status a = DiffProfiles({"a.json", row.text}, {"b.json", good}, {}).status();
    EXPECT_TRUE(absl::StartsWith(b.message(), absl::StrCat("b.json: ", row.error))) << b;
    EXPECT_TRUE(absl::StartsWith(a.message(), absl::StrCat("a.json: ", row.error))) << a;
    EXPECT_EQ(a.code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(RefusalTest, UnknownStagesAreSuggested) {
  const std::string text = ProfileText(test::RichProfile());
  const auto error = [&](const char* x, const char* y) {
    DiffOptions options;
    options.stages = {x, y};
    return std::string(
        DiffProfiles({"a.json", text}, {"b.json", text}, options).status().message());
  };
  EXPECT_EQ(error("gather", "expert_bias"), "b.json has no stage 'expert_bias'");
  EXPECT_EQ(error("router_topl", "gather"),
            "a.json has no stage 'router_topl'; did you mean 'router_topk'?");
}

// The caveat stands exactly where a shared stage meets a routed one.
TEST(CaveatTest, OfEveryPairOfStages) {
  const Profile profile = test::RichProfile();
  const std::string text = ProfileText(profile);
  for (const StageEntry& x : profile.stages) {
    for (const StageEntry& y : profile.stages) {
      DiffOptions options;
      options.stages = {x.name, y.name};
      const absl::StatusOr<Diff> diff = DiffProfiles({"p", text}, {"p", text}, options);
      ASSERT_TRUE(diff.ok());
      const bool mixed = x.name.starts_with("shared_") != y.name.starts_with("shared_");
      EXPECT_EQ(diff->caveat.has_value(), mixed) << x.name << " " << y.name;
      if (mixed) {
        EXPECT_EQ(*diff->caveat, stages::kSharedVersusRoutedCaveat);
      }
    }
  }
}

// ---- One-sided scopes ---------------------------------------------------------------------------

TEST(OneSidedTest, EveryStageThatOneSideLacksIsADifference) {
  const Profile whole = test::RichProfile();
  for (const StageEntry& stage : whole.stages) {
    Profile less = whole;
    std::erase_if(less.stages, [&](const StageEntry& s) { return s.name == stage.name; });
    const std::string a = ProfileText(whole);
    const std::string b = ProfileText(less);
    DiffOptions options;
    options.tolerances = {*ParseTolerance("*=999999999999999")};
    for (const bool swapped : {false, true}) {
      const absl::StatusOr<Diff> diff =
          DiffProfiles({"a", swapped ? b : a}, {"b", swapped ? a : b}, options);
      ASSERT_TRUE(diff.ok()) << diff.status();
      ASSERT_EQ(diff->one_sided.size(), 1u);
      EXPECT_EQ(diff->one_sided[0].scope, stage.name);
      EXPECT_EQ(diff->one_sided[0].side, swapped ? 'B' : 'A');
      EXPECT_FALSE(diff->is_within());
      EXPECT_EQ(diff->exceeded(), 0u);
      const std::string line =
          absl::StrCat("\n", stage.name, ": only in ", swapped ? "B" : "A", "\n");
      EXPECT_THAT(DiffText(*diff), HasSubstr(line));
      EXPECT_THAT(DiffText(*diff), HasSubstr("; 1 on one side only\n"));
    }
  }
}

}  // namespace
}  // namespace moescope::profiler
