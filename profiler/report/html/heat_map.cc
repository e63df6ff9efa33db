#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "profiler/report/html/markup.h"
#include "profiler/report/html/plots.h"
#include "profiler/report/number_text.h"
#include "profiler/report/summary.h"

namespace moescope::profiler {

namespace {

struct Cell {
  std::string name;
  std::uint64_t value = 0;
};

constexpr Tenths kWidth = 9600;
constexpr Tenths kCell = 150;
constexpr Tenths kStep = 160;
constexpr std::size_t kPerRow = static_cast<std::size_t>(kWidth / kStep);
constexpr std::size_t kMaximumCells = 20 * kPerRow;

// Light to dark.
constexpr std::array<std::string_view, 9> kShades = {"#e8eef5", "#d0dff0", "#b0cbe6",
                                                     "#8bb3d9", "#6699ca", "#437fb8",
                                                     "#2a659f", "#184c81", "#0b3560"};

std::string_view Shade(std::uint64_t value, std::uint64_t highest) {
  if (value == 0) return "var(--track)";
  const Tenths step = Portion(static_cast<Tenths>(kShades.size()), value, highest);
  return kShades[static_cast<std::size_t>(
      std::min<Tenths>(step, static_cast<Tenths>(kShades.size()) - 1))];
}

// Cells for at most kMaximumCells boxes: of more, as many neighbours as needed become one.
std::vector<Cell> Folded(const std::vector<Cell>& cells, std::size_t per_box) {
  if (per_box == 1) return cells;
  std::vector<Cell> folded;
  for (std::size_t i = 0; i < cells.size(); i += per_box) {
    const std::size_t end = std::min(i + per_box, cells.size());
    Cell& box = folded.emplace_back();
    box.name = absl::StrCat(cells[i].name, " to ", cells[end - 1].name);
    for (std::size_t j = i; j < end; ++j) box.value += cells[j].value;
  }
  return folded;
}

std::string Map(std::string_view title, std::string_view unit, const std::vector<Cell>& all) {
  const std::size_t per_box = (all.size() + kMaximumCells - 1) / kMaximumCells;
  const std::vector<Cell> cells = Folded(all, per_box);
  std::uint64_t highest = 0;
  for (const Cell& cell : cells) highest = std::max(highest, cell.value);
  const std::size_t rows = (cells.size() + kPerRow - 1) / kPerRow;
  Svg svg(kWidth, kStep * static_cast<Tenths>(rows), title);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    svg.Box(kStep * static_cast<Tenths>(i % kPerRow), kStep * static_cast<Tenths>(i / kPerRow),
            kCell, kCell, Shade(cells[i].value, highest),
            absl::StrCat(cells[i].name, ": ", Thousands(cells[i].value), " ", Absl(unit)));
  }
  const std::string scale =
      per_box == 1 ? "" : absl::StrCat("; a cell is the sum of ", per_box, " neighbours");
  return absl::StrCat("<h3>", Escape(title),
                      "</h3>\n<p class=\"legend\">darkest: ", Thousands(highest), " ", Absl(unit),
                      scale, "</p>\n", svg.Take());
}

// Three maps over the same cells.
template <typename Row>
std::string Maps(std::string_view what, const std::vector<Row>& rows,
                 std::string (*name)(const Row&)) {
  std::vector<Cell> cycles;
  std::vector<Cell> bytes;
  std::vector<Cell> repeats;
  for (const Row& row : rows) {
    cycles.push_back({name(row), row.counters.cycles});
    bytes.push_back({name(row), PhysicalBytes(row.counters)});
    repeats.push_back({name(row), row.counters.read.extra_bytes});
  }
  return absl::StrCat(
      Map(absl::StrCat("Cycles per ", Absl(what)), "cycles", cycles),
      Map(absl::StrCat("HBM bytes per ", Absl(what)), "bytes", bytes),
      Map(absl::StrCat("HBM bytes fetched again per ", Absl(what)), "bytes", repeats));
}

std::string NameOfPair(const PairRow& row) {
  return row.expert ? absl::StrCat("pair ", row.pair, ", expert ", *row.expert)
                    : absl::StrCat("pair ", row.pair);
}

std::string NameOfExpert(const ExpertRow& row) {
  return absl::StrCat("expert ", row.expert, ", ", row.pairs, row.pairs == 1 ? " pair" : " pairs");
}

}  // namespace

std::string HeatMaps(const Profile& profile) {
  std::string text;
  if (profile.pairs && !profile.pairs->rows.empty()) {
    text += Maps<PairRow>("pair", profile.pairs->rows, NameOfPair);
  }
  if (profile.experts && !profile.experts->rows.empty()) {
    text += Maps<ExpertRow>("expert", profile.experts->rows, NameOfExpert);
  }
  return text;
}

}  // namespace moescope::profiler
