// No number of a profile can be changed without an invariant noticing, apart from those that
// nothing in the file determines. The exceptions are listed, so that a new member must be judged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <regex>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "profiler/document_json.h"
#include "profiler/profile_json.h"
#include "profiler/verify.h"
#include "tests/profiler/mutations.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using ::testing::IsEmpty;

// Facts about the run that no other member repeats.
constexpr std::array<const char*, 13> kFreeNumbers = {
    "/end/(pc|limit|signal)",
    "/images/\\d+/bytes",
    "/stages/\\d+/(calls|first_cycle|last_cycle)",  // bounded, but not determined
    "/pairs/rows/\\d+/pair",
    "/hot/\\d+/(pc|word|line|instructions|cycles)",
    "/roofline/peak_vector_flops_per_cycle",
    "/routing/num_experts",
    "/structures/\\d+/(capacity|high_water|cycle)",
    "/hbm_channels/\\d+/.*",
    "/overlap/.*",
    "/model/missing_interlocks/\\d+/count",
    "/model/units/\\d+/instances",  // more instances only make the limit larger; utilisation tells
    "/host/.*",
};

bool IsFree(const std::string& pointer) {
  for (const char* pattern : kFreeNumbers) {
    if (std::regex_match(pointer, std::regex(pattern))) return true;
  }
  return false;
}

void CollectNumbers(const Json& value, const std::string& pointer,
                    std::vector<std::string>& pointers) {
  if (value.is_number_integer()) pointers.push_back(pointer);
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      CollectNumbers(member, absl::StrCat(pointer, "/", key), pointers);
    }
  }
  if (value.is_array()) {
    // Of a long list of numbers the first few and the last stand for all.
    const bool is_long = value.size() > 8 && value[0].is_number();
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (is_long && i > 3 && i + 1 < value.size()) continue;
      CollectNumbers(value[i], absl::StrCat(pointer, "/", i), pointers);
    }
  }
}

// Pointers of numbers whose change by one went unnoticed.
std::vector<std::string> Unnoticed(const Profile& profile) {
  const std::string text = ProfileText(profile);
  const Json tree = Json::parse(text);
  std::vector<std::string> pointers;
  CollectNumbers(tree, "", pointers);
  std::vector<std::string> unnoticed;
  for (const std::string& pointer : pointers) {
    if (IsFree(pointer)) continue;
    const std::uint64_t value = tree.at(Json::json_pointer(pointer)).get<std::uint64_t>();
    const std::string changed = std::to_string(value + 1);
    const absl::StatusOr<Verification> result =
        VerifyProfile(test::Mutate(text, {"set", pointer, changed, ""}));
    if (result.ok() && result->failures.empty()) unnoticed.push_back(pointer);
  }
  return unnoticed;
}

TEST(EveryNumberTest, OfTheSerialProfileCounts) {
  EXPECT_THAT(Unnoticed(test::SerialProfile()), IsEmpty());
}

TEST(EveryNumberTest, OfTheRichProfileCounts) {
  EXPECT_THAT(Unnoticed(test::RichProfile()), IsEmpty());
}

TEST(EveryNumberTest, OfARandomProfileCounts) {
  test::RandomRun run(12, true);
  Recorder recorder;
  run.Play(12, 20, recorder);
  EXPECT_THAT(Unnoticed(MakeProfile(recorder.recording(), test::FixedOptions())), IsEmpty());
}

// Every member of the file, removed alone, is missed.
TEST(EveryMemberTest, IsMissedWhenRemoved) {
  const std::string text = ProfileText(test::RichProfile());
  const Json tree = Json::parse(text);
  for (const auto& [key, value] : tree.items()) {
    if (key == "schema" || key == "schema_version") continue;  // then it is no profile at all
    const absl::StatusOr<Verification> result =
        VerifyProfile(test::Mutate(text, {"remove", "/" + key, "", ""}));
    // What the program does not have may be absent.
    if (key == "pairs" || key == "experts" || key == "routing" || key == "timeline") continue;
    ASSERT_TRUE(result.ok()) << key << ": " << result.status();
    EXPECT_FALSE(result->failures.empty()) << key;
  }
}

TEST(EveryMemberTest, MayNotMoveUp) {
  const std::string text = ProfileText(test::RichProfile());
  const Json tree = Json::parse(text);
  bool is_first = true;
  for (const auto& [key, value] : tree.items()) {
    if (!is_first) {
      const absl::StatusOr<Verification> result =
          VerifyProfile(test::Mutate(text, {"swap", "/" + key, "", ""}));
      ASSERT_TRUE(result.ok()) << key;
      ASSERT_FALSE(result->failures.empty()) << key;
      EXPECT_EQ(result->failures[0].id, "PV01") << key;
    }
    is_first = false;
  }
}

}  // namespace
}  // namespace moescope::profiler
