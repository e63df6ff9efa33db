#include "profiler/report/table.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace moescope::profiler {

namespace {

constexpr std::size_t kGap = 2;

std::string Padded(const std::string& text, std::size_t width, Table::Align align) {
  const std::string blanks(width - std::min(width, text.size()), ' ');
  return align == Table::Align::kLeft ? text + blanks : blanks + text;
}

// Columns of one row; the first cell stands alone when it does not fit.
void AppendRow(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
               const std::vector<Table::Column>& columns, std::string& text) {
  std::string line = Padded(cells[0], widths[0], columns[0].align);
  if (cells[0].size() > widths[0]) {
    absl::StrAppend(&text, cells[0], "\n");
    line = std::string(widths[0], ' ');
  }
  for (std::size_t c = 1; c < cells.size(); ++c) {
    absl::StrAppend(&line, std::string(kGap, ' '), Padded(cells[c], widths[c], columns[c].align));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  absl::StrAppend(&text, line, "\n");
}

}  // namespace

std::vector<std::size_t> Table::Widths(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(columns_[c].title.size());
    for (const auto& row : rows_) widths[c] = std::max(widths[c], row[c].size());
  }
  const std::size_t rest =
      std::accumulate(widths.begin() + 1, widths.end(), kGap * (widths.size() - 1));
  widths[0] = std::min(widths[0], width > rest ? width - rest : 0);
  widths[0] = std::max(widths[0], columns_[0].title.size());
  return widths;
}

std::string Table::Text(std::size_t width) const {
  const std::vector<std::size_t> widths = Widths(width);
  const std::string rule(std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1)),
                         '-');
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string text;
  AppendRow(titles, widths, columns_, text);
  absl::StrAppend(&text, rule, "\n");
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const bool after_line = std::find(lines_.begin(), lines_.end(), r) != lines_.end();
    if (after_line) absl::StrAppend(&text, rule, "\n");
    AppendRow(rows_[r], widths, columns_, text);
  }
  return text;
}

std::string Table::Markdown() const {
  std::string text = "|";
  for (const Column& column : columns_) absl::StrAppend(&text, " ", column.title, " |");
  text += "\n|";
  for (const Column& column : columns_) text += column.align == Align::kLeft ? "---|" : "---:|";
  text += "\n";
  for (const auto& row : rows_) {
    text += "|";
    for (const std::string& cell : row) {
      absl::StrAppend(&text, " ", absl::StrReplaceAll(cell, {{"|", "\\|"}}), " |");
    }
    text += "\n";
  }
  return text;
}

}  // namespace moescope::profiler
