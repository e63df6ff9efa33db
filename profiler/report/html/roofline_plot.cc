#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "profiler/ratio.h"
#include "profiler/report/html/markup.h"
#include "profiler/report/html/plots.h"
#include "profiler/report/number_text.h"

namespace moescope::profiler {

namespace {

constexpr Tenths kWidth = 9600;
constexpr Tenths kLeft = 900;
constexpr Tenths kRight = 200;
constexpr Tenths kTop = 150;
constexpr Tenths kHeight = 3600;
constexpr Tenths kBottom = 400;
constexpr Tenths kPlotWidth = kWidth - kLeft - kRight;
constexpr std::int64_t kOctave = 1024;

struct Point {
  std::string name;
  std::uint64_t intensity = 0;
  std::uint64_t achieved = 0;
};

// Logarithmic axes over whole octaves.
struct Axes {
  std::int64_t x_low = 0, x_high = 0, y_low = 0, y_high = 0;

  static void Widen(std::int64_t& low, std::int64_t& high, std::uint64_t value) {
    const std::int64_t log = Log2(value);
    low = std::min(low, log / kOctave * kOctave);
    high = std::max(high, (log / kOctave + 1) * kOctave);
  }
  Tenths X(std::int64_t log) const { return kLeft + kPlotWidth * (log - x_low) / (x_high - x_low); }
  Tenths Y(std::int64_t log) const {
    return kTop + kHeight - kHeight * (log - y_low) / (y_high - y_low);
  }
};

void DrawGrid(Svg& svg, const Axes& axes) {
  // At most about eight labels per axis.
  const auto step = [](std::int64_t low, std::int64_t high) {
    return std::max<std::int64_t>(1, (high - low) / kOctave / 8) * kOctave;
  };
  for (std::int64_t log = axes.x_low; log <= axes.x_high; log += step(axes.x_low, axes.x_high)) {
    svg.Line(axes.X(log), kTop, axes.X(log), kTop + kHeight, "grid");
    svg.Text(axes.X(log), kTop + kHeight + 180, Thousandths(std::uint64_t{1} << (log / kOctave)),
             "middle");
  }
  for (std::int64_t log = axes.y_low; log <= axes.y_high; log += step(axes.y_low, axes.y_high)) {
    svg.Line(kLeft, axes.Y(log), kWidth - kRight, axes.Y(log), "grid");
    svg.Text(kLeft - 60, axes.Y(log) + 40, Thousandths(std::uint64_t{1} << (log / kOctave)), "end");
  }
  svg.Text(kLeft + kPlotWidth / 2, kTop + kHeight + 370, "matrix FLOP per HBM byte", "middle");
}

// The slope up to the ridge, then the matrix peak.
void DrawRoofs(Svg& svg, const Axes& axes, const Roofline& roofline) {
  const std::int64_t ridge = Log2(roofline.ridge_milli);
  const std::int64_t peak = Log2(roofline.peak_matrix_flops_per_cycle * 1000);
  // Below the ridge one octave less of intensity is one octave less of rate.
  const std::int64_t from = std::max(axes.x_low, ridge - (peak - axes.y_low));
  svg.Line(axes.X(from), axes.Y(peak - (ridge - from)), axes.X(ridge), axes.Y(peak), "roof");
  svg.Line(axes.X(ridge), axes.Y(peak), kWidth - kRight, axes.Y(peak), "roof");
}

struct Points {
  std::vector<Point> drawn;
  std::vector<std::string> without_bytes;
  std::size_t others = 0;  // beyond the stages that a plot draws
};

// Stages with matrix work and HBM bytes, and the whole run. Bytes count where they were asked for,
// so a stage that multiplies what another one fetched has no intensity of its own.
Points PointsOf(const Profile& profile) {
  Points points;
  const std::set<std::string> drawn = DrawnStages(profile);
  for (const StageEntry& stage : profile.stages) {
    if (!stage.roofline || stage.counters.flops.matrix == 0) continue;
    if (!drawn.contains(stage.name)) {
      ++points.others;
      continue;
    }
    const std::uint64_t intensity = stage.roofline->intensity_milli.value_or(0);
    const std::uint64_t achieved = stage.roofline->achieved_milli.value_or(0);
    if (intensity > 0 && achieved > 0) {
      points.drawn.push_back({stage.name, intensity, achieved});
    } else {
      points.without_bytes.push_back(
          absl::StrCat(Escape(stage.name), " (", Thousandths(achieved), " FLOP per cycle)"));
    }
  }
  const RooflinePoint& run = profile.roofline->point;
  if (run.intensity_milli.value_or(0) > 0 && run.achieved_milli.value_or(0) > 0) {
    points.drawn.push_back({"whole run", *run.intensity_milli, *run.achieved_milli});
  }
  return points;
}

Axes AxesFor(const Roofline& roofline, const std::vector<Point>& points) {
  const std::int64_t ridge = Log2(roofline.ridge_milli) / kOctave * kOctave;
  const std::int64_t peak =
      (Log2(roofline.peak_matrix_flops_per_cycle * 1000) / kOctave + 1) * kOctave;
  Axes axes{std::max<std::int64_t>(0, ridge - 3 * kOctave), ridge + 4 * kOctave,
            std::max<std::int64_t>(0, peak - 6 * kOctave), peak};
  for (const Point& point : points) {
    Axes::Widen(axes.x_low, axes.x_high, point.intensity);
    Axes::Widen(axes.y_low, axes.y_high, point.achieved);
  }
  return axes;
}

}  // namespace

// One bit of the logarithm per squaring.
std::int64_t Log2(std::uint64_t value) {
  CHECK(value > 0);
  int exponent = 0;
  while (value >> exponent > 1) ++exponent;
  std::int64_t log = exponent;
  Wide mantissa = Wide{value} << (63 - exponent);  // in [2^63, 2^64)
  for (std::int64_t bit = kOctave; bit > 1; bit /= 2) {
    mantissa = mantissa * mantissa >> 63;
    log *= 2;
    if (mantissa >> 64 != 0) {
      mantissa >>= 1;
      ++log;
    }
  }
  return log;
}

std::string RooflinePlot(const Profile& profile) {
  if (!profile.roofline || profile.roofline->ridge_milli == 0 ||
      profile.roofline->peak_matrix_flops_per_cycle == 0) {
    return "";
  }
  const Points points = PointsOf(profile);
  const Axes axes = AxesFor(*profile.roofline, points.drawn);
  Svg svg(kWidth, kTop + kHeight + kBottom, "roofline: matrix FLOP per cycle over FLOP per byte");
  DrawGrid(svg, axes);
  DrawRoofs(svg, axes, *profile.roofline);
  for (const Point& point : points.drawn) {
    const Tenths x = axes.X(Log2(point.intensity));
    const Tenths y = axes.Y(Log2(point.achieved));
    svg.Dot(x, y, StageColour(profile, point.name),
            absl::StrCat(point.name, ": ", Thousandths(point.intensity), " FLOP/byte, ",
                         Thousandths(point.achieved), " FLOP/cycle"));
    svg.Text(x + 90, y + 40, point.name);
  }
  std::string text = svg.Take();
  if (!points.without_bytes.empty()) {
    absl::StrAppend(&text, "<p class=\"legend\">Matrix work without HBM bytes of its own: ",
                    absl::StrJoin(points.without_bytes, ", "), "</p>\n");
  }
  if (points.others > 0) {
    absl::StrAppend(&text, "<p class=\"legend\">Not drawn: ", OtherStages(points.others),
                    " with matrix work and fewer cycles</p>\n");
  }
  return text;
}

}  // namespace moescope::profiler
