#include <algorithm>
#include <numeric>

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

std::vector<const StageEntry*> StagesWithCycles(const Profile& profile) {
  std::vector<const StageEntry*> stages;
  for (const StageEntry& stage : profile.stages) {
    if (stage.counters.cycles > 0 && !stage.counters.reasons.empty()) stages.push_back(&stage);
  }
  return stages;
}

}  // namespace

std::string ReasonsPlot(const Profile& profile) {
  const std::vector<const StageEntry*> stages = StagesWithCycles(profile);
  if (stages.empty()) return "";
  std::uint64_t longest = 0;
  for (const StageEntry* stage : stages) longest = std::max(longest, stage->counters.cycles);

  Svg svg(kWidth, kRow * static_cast<Tenths>(stages.size()), "cycles per stage, split by reason");
  Split sum;
  Tenths y = 0;
  for (const StageEntry* stage : stages) {
    svg.Text(kNameWidth - 80, y + 150, Fitting(stage->name), "end");
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < stage->counters.reasons.size(); ++i) {
      const std::uint64_t cycles = stage->counters.reasons[i];
      const Tenths begin = Portion(kBarWidth, before, longest);
      before += cycles;
      const Tenths end = Portion(kBarWidth, before, longest);
      svg.Box(
          kNameWidth + begin, y + 30, end - begin, kBar, Colour(i),
          absl::StrCat(stage->name, ": ", Absl(emulator::kReasonNames[i]), " ", Thousands(cycles),
                       " cycles, ", Percent(Ppm(cycles, stage->counters.cycles))));
    }
    svg.Text(kNameWidth + Portion(kBarWidth, before, longest) + 60, y + 150,
             Thousands(stage->counters.cycles));
    Add(sum, stage->counters.reasons);
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

std::string_view StageColour(const Profile& profile, std::string_view stage) {
  for (std::size_t i = 0; i < profile.stages.size(); ++i) {
    if (profile.stages[i].name != stage) continue;
    return profile.stages[i].origin == "bucket" ? "#bab0ac" : Colour(i);
  }
  return "#bab0ac";
}

}  // namespace moescope::profiler
