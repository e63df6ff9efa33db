// Every broken profile is refused under the id of the invariant that it breaks, and an outside
// validator agrees about the structure.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "profiler/document_json.h"
#include "profiler/profile_json.h"
#include "profiler/verify.h"
#include "tests/profiler/mutations.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/outside_validator.h"

namespace moescope::profiler {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string IdsOf(const Verification& verification) {
  std::set<std::string> ids;
  for (const Failure& failure : verification.failures) ids.insert(failure.id);
  return absl::StrJoin(ids, " ");
}

std::string Shown(const Verification& verification) {
  std::string text;
  for (const Failure& f : verification.failures) absl::StrAppend(&text, f.id, ": ", f.text, "\n");
  return text;
}

void ExpectIds(const std::vector<test::Mutation>& mutations) {
  const std::string text = ProfileText(test::RichProfile());
  for (const test::Mutation& mutation : mutations) {
    const absl::StatusOr<Verification> result = VerifyProfile(test::Mutate(text, mutation));
    ASSERT_TRUE(result.ok()) << mutation.pointer << ": " << result.status().message();
    EXPECT_EQ(IdsOf(*result), mutation.ids)
        << mutation.operation << " " << mutation.pointer << " " << mutation.value << "\n"
        << Shown(*result);
  }
}

TEST(MutatedProfileTest, BrokenStructureIsPv01) {
  std::vector<test::Mutation> mutations = test::StructureMutations();
  EXPECT_GE(mutations.size(), 40u);
  const std::string text = ProfileText(test::RichProfile());
  for (const test::Mutation& mutation : mutations) {
    const absl::StatusOr<Verification> result = VerifyProfile(test::Mutate(text, mutation));
    ASSERT_TRUE(result.ok()) << mutation.pointer << ": " << result.status().message();
    ASSERT_FALSE(result->failures.empty()) << mutation.pointer;
    EXPECT_EQ(result->failures[0].id, "PV01") << mutation.pointer << "\n" << Shown(*result);
  }
}

TEST(MutatedProfileTest, BrokenValuesFailUnderTheirIds) {
  EXPECT_GE(test::ValueMutations().size(), 40u);
  ExpectIds(test::ValueMutations());
}

TEST(MutatedProfileTest, EveryInvariantIsBrokenOnce) {
  std::set<std::string> seen;
  for (const test::Mutation& mutation : test::ValueMutations()) {
    for (const auto id : absl::StrSplit(mutation.ids.data(), ' ')) seen.insert(std::string(id));
  }
  EXPECT_THAT(seen, SizeIs(18));
}

TEST(MutatedProfileTest, TextsOfFailures) {
  const std::string text = ProfileText(test::RichProfile());
  const struct {
    test::Mutation mutation;
    std::string expected;
  } rows[] = {
      {{"set", "/end/cycle", "246", ""}, "PV02: cycles: totals != end.cycle (245 != 246)\n"},
      {{"set", "/stages/0/cycle_share_ppm", "12245", ""},
       "PV14: stage 'router_topk': cycle_share_ppm (12245 != 12244)\n"},
      {{"set", "/totals/units/vx_red", "41", ""},
       "PV09: unit 'vx_red': stages sum != totals (40 != 41)\n"},
      {{"set", "/complete", "false", ""}, "PV17: complete is false although end.reason is 'end'\n"},
      {{"set", "/end/colour", "1", ""}, "PV01: /end: 'colour' is not a known member\n"},
      {{"set", "/labels/n", "3", ""}, "PV01: /labels/n: 3 is not of type string\n"},
      {{"remove", "/overlap", "", ""}, "PV01: 'overlap' is absent but not in not_measured\n"},
      {{"swap", "/complete", "", ""}, "PV01: the top level: 'schema_minor' stands too late\n"},
      {{"set", "/totals/flops/scalar", "1.5", ""},
       "PV01: floating-point number in /totals/flops/scalar\n"
       "PV01: /totals/flops/scalar: 1.5 is not of type integer\n"},
      {{"set", "/model/units/0/instances", "0", ""},
       "PV01: /model/units/0/instances: 0 is outside 1..4294967295\n"},
  };
  for (const auto& row : rows) {
    const absl::StatusOr<Verification> result = VerifyProfile(test::Mutate(text, row.mutation));
    ASSERT_TRUE(result.ok());
    const std::string shown = Shown(*result);
    EXPECT_EQ(shown.substr(0, row.expected.size()), row.expected) << row.mutation.pointer;
  }
}

TEST(MutatedProfileTest, MarkersThatContradictTheRoutingAreWarnings) {
  const absl::StatusOr<Verification> result = VerifyProfile(ProfileText(test::RichProfile()));
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(result->failures, IsEmpty());
  EXPECT_THAT(result->warnings,
              ::testing::ElementsAre("pair 0 is marked expert=3, but V_TOPK chose 5"));
}

TEST(MutatedProfileTest, WhatIsNoProfileIsAnError) {
  const struct {
    std::string text;
    std::string error;
  } rows[] = {
      {"", "not JSON: line 1, column 1: "},
      {"{\"schema\": \"moescope.profile\",}", "not JSON: line 1, column 31: "},
      {"[]", "not a profile: the top level is not an object"},
      {"{}", "not a profile: /schema is not \"moescope.profile\""},
      {"{\"schema\": \"moescope.lint\", \"schema_version\": 1}",
       "not a profile: /schema is not \"moescope.profile\""},
      {"{\"schema\": \"moescope.profile\"}", "not a profile: /schema_version is missing"},
      {"{\"schema\": \"moescope.profile\", \"schema_version\": 2}",
       "schema_version 2 is newer than 1, the latest that this tool reads"},
      {std::string(100, '['), "not JSON: nested deeper than 64 levels"},
  };
  for (const auto& row : rows) {
    const absl::StatusOr<Verification> result = VerifyProfile(row.text);
    ASSERT_FALSE(result.ok()) << row.text;
    const std::string message(result.status().message());
    EXPECT_EQ(message.substr(0, row.error.size()), row.error);
    EXPECT_FALSE(ReadProfile(row.text).ok());
  }
}

TEST(MutatedProfileTest, EveryByteChangeIsHandled) {
  const std::string text = ProfileText(test::SerialProfile());
  for (std::size_t at = 0; at < text.size(); at += 97) {
    for (const char byte : {'9', '"', '{', '\xFF', '\0'}) {
      std::string changed = text;
      changed[at] = byte;
      if (changed == text) continue;
      const absl::StatusOr<Verification> result = VerifyProfile(changed);
      EXPECT_TRUE(!result.ok() || !result->failures.empty()) << "byte " << at;
    }
    EXPECT_FALSE(VerifyProfile(text.substr(0, at)).ok());
  }
}

TEST(MutatedProfileTest, ReformattingIsPv01) {
  std::string text = ProfileText(test::SerialProfile());
  text.pop_back();
  const absl::StatusOr<Verification> result = VerifyProfile(text);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(Shown(*result),
            "PV01: the text is not written with two-space indent and a trailing newline\n");
}

TEST(MutatedProfileTest, DuplicateKeysArePv01) {
  std::string text = ProfileText(test::SerialProfile());
  const std::string first = "  \"events_dropped\": 0,\n";
  text.insert(text.find(first), first);
  const absl::StatusOr<Verification> result = VerifyProfile(text);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->failures[0],
            (Failure{"PV01", "duplicate key 'events_dropped' in the top level"}));
}

// Long lists of numbers cut to a few, which spares the slow outside validator most of its work.
std::string WithShortLists(const std::string& text) {
  Json tree = Json::parse(text);
  const std::function<void(Json&)> shorten = [&](Json& value) {
    constexpr std::size_t kMost = 4;
    if (value.is_array() && value.size() > kMost && value[0].is_number()) {
      value.erase(value.begin() + kMost, value.end());
    }
    if (value.is_structured()) {
      for (Json& child : value) shorten(child);
    }
  };
  shorten(tree);
  return PrettyText(tree);
}

TEST(MutatedProfileTest, AnOutsideValidatorAgreesAboutStructure) {
  using moescope::test::OutsideValidator;
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  OutsideValidator validator("profiles");
  const std::string text = ProfileText(test::RichProfile());
  validator.AddGood(text);
  validator.AddGood(WithShortLists(text));
  validator.AddGood(ProfileText(test::SerialProfile()));
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    test::RandomRun run(seed, seed % 2 == 0);
    Recorder recorder;
    run.Play(seed, seed % 3 == 0 ? std::optional<std::uint64_t>(5) : std::nullopt, recorder);
    validator.AddGood(ProfileText(MakeProfile(recorder.recording(), test::FixedOptions())));
  }
  for (const test::Mutation& mutation : test::StructureMutations()) {
    validator.AddBad(WithShortLists(test::Mutate(text, mutation)));
  }
  EXPECT_TRUE(validator.Agrees("profiler/schema/profile-v1.schema.json"));
}

}  // namespace
}  // namespace moescope::profiler
