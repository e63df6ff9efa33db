#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace moescope::test {

// Cells of the lines of a tab-separated text; empty lines and lines that start with '#' are left
// out.
inline std::vector<std::vector<std::string>> ReadTsv(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> cells;
    while (true) {
      const std::size_t tab = line.find('\t');
      cells.emplace_back(line.substr(0, tab));
      if (tab == std::string_view::npos) break;
      line = line.substr(tab + 1);
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

}  // namespace moescope::test
