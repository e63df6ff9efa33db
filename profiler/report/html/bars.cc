#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "profiler/ratio.h"
#include "profiler/report/html/markup.h"
#include "profiler/report/html/plots.h"
#include "profiler/report/number_text.h"

namespace moescope::profiler {

namespace {

constexpr Tenths kWidth = 9600;
constexpr Tenths kNameWidth = 2000;
constexpr Tenths kValueWidth = 1300;
constexpr Tenths kBarWidth = kWidth - kNameWidth - kValueWidth;
constexpr Tenths kRow = 220;
constexpr Tenths kBar = 160;

// A name that fits its column; the tooltip has all of it.
std::string Fitting(const std::string& name) {
  constexpr std::size_t kMaximum = 26;
  return name.size() <= kMaximum ? name : name.substr(0, kMaximum - 1) + "…";
}

struct Bar {
  std::string name;
  std::uint64_t cycles = 0;
  Split reasons;
};

// The stages that are drawn, in display order, and the sum of the others.
std::vector<Bar> BarsOf(const Profile& profile) {
  const std::set<std::string> drawn = DrawnStages(profile);
  std::vector<Bar> bars;
  Bar rest;
  std::size_t others = 0;
  for (const StageEntry& stage : profile.stages) {
    const CounterBlock& counters = stage.counters;
    if (counters.cycles == 0 || counters.reasons.empty()) continue;
    if (drawn.contains(stage.name)) {
      bars.push_back({stage.name, counters.cycles, counters.reasons});
      continue;
    }
    ++others;
    rest.cycles += counters.cycles;
    Add(rest.reasons, counters.reasons);
  }
  if (others == 0) return bars;
  rest.name = OtherStages(others);
  bars.push_back(std::move(rest));
  return bars;
}

}  // namespace

std::string ReasonsPlot(const Profile& profile) {
  const std::vector<Bar> bars = BarsOf(profile);
  if (bars.empty()) return "";
  std::uint64_t longest = 0;
  for (const Bar& bar : bars) longest = std::max(longest, bar.cycles);

  Svg svg(kWidth, kRow * static_cast<Tenths>(bars.size()), "cycles per stage, split by reason");
  Split sum;
  Tenths y = 0;
  for (const Bar& bar : bars) {
    svg.Text(kNameWidth - 80, y + 150, Fitting(bar.name), "end");
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < bar.reasons.size(); ++i) {
      const std::uint64_t cycles = bar.reasons[i];
      const Tenths begin = Portion(kBarWidth, before, longest);
      before += cycles;
      const Tenths end = Portion(kBarWidth, before, longest);
      svg.Box(kNameWidth + begin, y + 30, end - begin, kBar, Colour(i),
              absl::StrCat(bar.name, ": ", Absl(emulator::kReasonNames[i]), " ", Thousands(cycles),
                           " cycles, ", Percent(Ppm(cycles, bar.cycles))));
    }
    svg.Text(kNameWidth + Portion(kBarWidth, before, longest) + 60, y + 150, Thousands(bar.cycles));
    Add(sum, bar.reasons);
    y += kRow;
  }
  std::string legend = "<p class=\"legend\">";
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (sum[i] > 0) legend += LegendEntry(Colour(i), emulator::kReasonNames[i]);
  }
  return absl::StrCat(svg.Take(), legend, "</p>\n");
}

std::string UnitsPlot(const Profile& profile) {
  const Split& units = profile.totals.counters.units;
  if (units.empty() || profile.model.units.empty()) return "";
  Svg svg(kWidth, kRow * static_cast<Tenths>(profile.model.units.size()),
          "busy share of every unit");
  Tenths y = 0;
  for (const NamedCount& unit : profile.model.units) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (unit.name != emulator::kUnitNames[i]) continue;
      const std::uint64_t ppm =
          Scaled(units[i], 1'000'000, Wide{profile.totals.counters.cycles} * unit.count);
      const std::string text = absl::StrCat(unit.name, ": busy ", Thousands(units[i]), " of ",
                                            Thousands(profile.totals.counters.cycles), " cycles");
      svg.Text(kNameWidth - 80, y + 150, unit.name, "end");
      svg.Box(kNameWidth, y + 30, kBarWidth, kBar, "var(--track)", text);
      svg.Box(kNameWidth, y + 30,
              Portion(kBarWidth, std::min<std::uint64_t>(ppm, 1'000'000), 1'000'000), kBar,
              Colour(i), text);
      svg.Text(kNameWidth + kBarWidth + 60, y + 150, Percent(ppm));
    }
    y += kRow;
  }
  return svg.Take();
}

std::set<std::string> DrawnStages(const Profile& profile) {
  std::vector<const StageEntry*> stages;
  for (const StageEntry& stage : profile.stages) {
    if (stage.counters.cycles > 0) stages.push_back(&stage);
  }
  std::stable_sort(stages.begin(), stages.end(), [](const StageEntry* a, const StageEntry* b) {
    return a->counters.cycles > b->counters.cycles;
  });
  if (stages.size() > kMaximumDrawnStages) stages.resize(kMaximumDrawnStages);
  std::set<std::string> names;
  for (const StageEntry* stage : stages) names.insert(stage->name);
  return names;
}

std::string OtherStages(std::size_t count) {
  return absl::StrCat(count, count == 1 ? " other stage" : " other stages");
}

std::string_view StageColour(const Profile& profile, std::string_view stage) {
  for (std::size_t i = 0; i < profile.stages.size(); ++i) {
    if (profile.stages[i].name != stage) continue;
    return profile.stages[i].origin == "bucket" ? "#bab0ac" : Colour(i);
  }
  return "#bab0ac";
}

}  // namespace moescope::profiler
