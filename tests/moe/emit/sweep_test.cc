#include "tests/moe/emit/sweep.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

// The quick part of the sweep, and that the sets cover what they promise.

namespace moescope::moe {
namespace {

TEST(SweepTest, EveryProgramOfTheQuickSetEqualsItsTwin) {
  const SweepCounts counts = RunSweep("quick", QuickSweep());
  EXPECT_GT(counts.equal, 25u);
}

// Values of all options, as "option=value".
std::set<std::string> OptionsOf(const std::vector<Variant>& variants) {
  std::set<std::string> seen;
  for (const Variant& variant : variants) {
    for (const OptionValue& option : variant.options) {
      seen.insert(option.option + "=" + option.value);
    }
  }
  return seen;
}

template <typename Property>
auto Collect(const std::vector<Variant>& variants, Property property) {
  std::set<decltype(property(variants.front()))> seen;
  for (const Variant& variant : variants) seen.insert(property(variant));
  return seen;
}

void ExpectEveryOption(const std::vector<Variant>& variants) {
  const std::set<std::string> seen = OptionsOf(variants);
  for (const std::string_view option : OptionNames()) {
    for (const std::string_view value : OptionValues(option)) {
      EXPECT_TRUE(seen.contains(std::string(option) + "=" + std::string(value)))
          << option << "=" << value;
    }
  }
}

TEST(SweepCoverageTest, TheQuickSetTouchesEverything) {
  const std::vector<Variant> quick = QuickSweep();
  ExpectEveryOption(quick);
  EXPECT_EQ(Collect(quick, [](const Variant& v) { return v.preset; }).size(), Presets().size());
  EXPECT_EQ(Collect(quick, [](const Variant& v) { return int{v.format}; }).size(), 4u);
  EXPECT_EQ(Collect(quick, [](const Variant& v) { return v.shared; }).size(), 4u);
  EXPECT_GE(Collect(quick, [](const Variant& v) { return v.workload; }).size(), 12u);
}

TEST(SweepCoverageTest, TheFullSetsAreProducts) {
  const std::size_t presets = Presets().size();
  ExpectEveryOption(OptionSweep());
  EXPECT_EQ(WidthSweep().size(), presets * 4 * 3);
  EXPECT_EQ(WorkloadSweep().size(), 3u * 12 * 3 * 2);
  EXPECT_EQ(FormatSweep().size(), presets * 4 * 4 * 2);
  const std::set<std::string> single =
      Collect(OptionSweep(), [](const Variant& v) { return NameOf(v); });
  EXPECT_EQ(single.size(), OptionSweep().size());
}

TEST(SweepCoverageTest, RandomPointsAreSeededAndReachEveryOption) {
  const std::vector<Variant> points = RandomSweep(300, 1);
  ExpectEveryOption(points);
  EXPECT_EQ(NameOf(points.front()), NameOf(RandomSweep(1, 1).front()));
  EXPECT_NE(NameOf(points.front()), NameOf(RandomSweep(1, 2).front()));
  std::size_t legal = 0;
  for (const Variant& point : points) legal += RefusalOf(point).has_value() ? 0u : 1u;
  EXPECT_GT(legal, 60u);
}

}  // namespace
}  // namespace moescope::moe
