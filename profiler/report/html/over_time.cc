#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "profiler/ratio.h"
#include "profiler/report/html/markup.h"
#include "profiler/report/html/plots.h"
#include "profiler/report/number_text.h"

namespace moescope::profiler {

namespace {

constexpr Tenths kWidth = 9600;
constexpr Tenths kLeft = 900;
constexpr Tenths kRight = 100;
constexpr Tenths kTop = 150;
constexpr Tenths kHeight = 1800;
constexpr Tenths kBottom = 300;
constexpr Tenths kPlotWidth = kWidth - kLeft - kRight;

// Where time and values lie in a plot.
class Frame {
 public:
  Frame(const Profile& profile, std::uint64_t top)
      : bin_cycles_(profile.timeline->bin_cycles),
        total_(std::max<std::uint64_t>(profile.totals.counters.cycles, 1)),
        top_(std::max<std::uint64_t>(top, 1)) {}

  Tenths X(std::size_t bin) const {
    const std::uint64_t cycle = std::min<std::uint64_t>(bin * bin_cycles_, total_);
    return kLeft + Portion(kPlotWidth, cycle, total_);
  }
  Tenths Y(std::uint64_t value) const {
    return kTop + kHeight - Portion(kHeight, std::min(value, top_), top_);
  }
  // Cycles of a bin; the last one may be short.
  std::uint64_t Length(std::size_t bin) const {
    const std::uint64_t begin = std::min<std::uint64_t>(bin * bin_cycles_, total_);
    return std::min<std::uint64_t>(begin + bin_cycles_, total_) - begin;
  }
  void DrawAxes(Svg& svg, const std::string& top_text) const {
    svg.Line(kLeft, kTop, kLeft, kTop + kHeight, "axis");
    svg.Line(kLeft, kTop + kHeight, kWidth - kRight, kTop + kHeight, "axis");
    svg.Text(kLeft - 60, kTop + 60, top_text, "end");
    svg.Text(kLeft - 60, kTop + kHeight, "0", "end");
    svg.Text(kLeft, kTop + kHeight + 200, "cycle 0");
    svg.Text(kWidth - kRight, kTop + kHeight + 200, Thousands(total_), "end");
  }

 private:
  std::uint64_t bin_cycles_;
  std::uint64_t total_;
  std::uint64_t top_;
};

// The band between two step curves over the bins.
std::string Band(const Frame& frame, const std::vector<std::uint64_t>& low,
                 const std::vector<std::uint64_t>& high) {
  std::string data = absl::StrCat("M", Pixels(frame.X(0)), " ", Pixels(frame.Y(low[0])));
  for (std::size_t bin = 0; bin < high.size(); ++bin) {
    absl::StrAppend(&data, "V", Pixels(frame.Y(high[bin])), "H", Pixels(frame.X(bin + 1)));
  }
  for (std::size_t bin = high.size(); bin-- > 0;) {
    absl::StrAppend(&data, "V", Pixels(frame.Y(low[bin])), "H", Pixels(frame.X(bin)));
  }
  return data + "Z";
}

std::uint64_t Sum(const std::vector<std::uint64_t>& values) {
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) sum += value;
  return sum;
}

// Bytes per thousand cycles of each bin.
std::vector<std::uint64_t> Rates(const Frame& frame, const std::vector<std::uint64_t>& bytes) {
  std::vector<std::uint64_t> rates;
  for (std::size_t bin = 0; bin < bytes.size(); ++bin) {
    rates.push_back(Scaled(bytes[bin], 1000, frame.Length(bin)));
  }
  return rates;
}

bool HasBins(const Profile& profile) {
  return profile.timeline && !profile.timeline->hbm_read_bytes.empty() &&
         profile.timeline->hbm_read_bytes.size() == profile.timeline->hbm_write_bytes.size();
}

}  // namespace

// The share of each stage in every bin, stacked to the full height.
std::string TimelinePlot(const Profile& profile) {
  if (!HasBins(profile)) return "";
  constexpr std::uint64_t kFull = 1'000'000;
  const Frame frame(profile, kFull);
  const std::size_t bins = profile.timeline->hbm_read_bytes.size();
  Svg svg(kWidth, kTop + kHeight + kBottom, "share of the stages in the cycles over time");
  std::vector<std::uint64_t> cycles(bins, 0);
  std::vector<std::uint64_t> low(bins, 0);
  std::string legend = "<p class=\"legend\">";
  const auto draw = [&](const std::string& name, std::string_view colour,
                        const std::vector<std::uint64_t>& row) {
    std::vector<std::uint64_t> high;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      cycles[bin] += row[bin];
      high.push_back(std::min(kFull, Ppm(cycles[bin], frame.Length(bin))));
    }
    svg.Area(Band(frame, low, high), colour,
             absl::StrCat(name, ": ", Thousands(Sum(row)), " cycles"));
    legend += LegendEntry(colour, name);
    low = std::move(high);
  };
  const std::set<std::string> drawn = DrawnStages(profile);
  std::vector<std::uint64_t> rest(bins, 0);
  std::size_t others = 0;
  for (const StageBins& stage : profile.timeline->stage_cycles) {
    if (stage.cycles.size() != bins) continue;
    if (drawn.contains(stage.name)) {
      draw(stage.name, StageColour(profile, stage.name), stage.cycles);
      continue;
    }
    ++others;
    for (std::size_t bin = 0; bin < bins; ++bin) rest[bin] += stage.cycles[bin];
  }
  if (others > 0) draw(OtherStages(others), "#bab0ac", rest);
  frame.DrawAxes(svg, "100 %");
  return absl::StrCat(svg.Take(), legend, "</p>\n");
}

std::string BandwidthPlot(const Profile& profile) {
  if (!HasBins(profile)) return "";
  const TimelineBins& timeline = *profile.timeline;
  const Frame unscaled(profile, 1);
  const std::vector<std::uint64_t> read = Rates(unscaled, timeline.hbm_read_bytes);
  std::vector<std::uint64_t> both = Rates(unscaled, timeline.hbm_write_bytes);
  for (std::size_t bin = 0; bin < both.size(); ++bin) both[bin] += read[bin];
  const std::uint64_t peak = profile.roofline ? profile.roofline->hbm_peak_bytes_per_kcycle : 0;
  const std::uint64_t highest = *std::max_element(both.begin(), both.end());
  const Frame frame(profile, std::max(peak, highest));

  Svg svg(kWidth, kTop + kHeight + kBottom, "HBM bytes per thousand cycles over time");
  const std::vector<std::uint64_t> zero(read.size(), 0);
  svg.Area(Band(frame, zero, read), Colour(0),
           absl::StrCat("read: ", Thousands(Sum(timeline.hbm_read_bytes)), " bytes"));
  svg.Area(Band(frame, read, both), Colour(1),
           absl::StrCat("written: ", Thousands(Sum(timeline.hbm_write_bytes)), " bytes"));
  frame.DrawAxes(svg, Thousands(std::max(peak, highest)));
  if (peak > 0) svg.Line(kLeft, frame.Y(peak), kWidth - kRight, frame.Y(peak), "roof");
  return absl::StrCat(svg.Take(), "<p class=\"legend\">", LegendEntry(Colour(0), "read"),
                      LegendEntry(Colour(1), "written"), "bytes per thousand cycles",
                      peak > 0 ? "; the line is the peak" : "", "</p>\n");
}

}  // namespace moescope::profiler
