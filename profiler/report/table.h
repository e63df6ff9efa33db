#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace moescope::profiler {

// A table of texts, printed for a terminal or as Markdown.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kRight;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // A line before the next row.
  void AddLine() { lines_.push_back(rows_.size()); }

  // Columns two blanks apart. When a row would be wider than `width`, its first cell gets a line of
  // its own, so that no name is cut.
  std::string Text(std::size_t width = 100) const;
  std::string Markdown() const;

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

 private:
  std::vector<std::size_t> Widths(std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> lines_;
};

}  // namespace moescope::profiler
