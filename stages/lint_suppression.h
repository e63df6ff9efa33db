#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stages/lint_program.h"

namespace moescope::stages {

// The `; @lint allow=MS108 reason="..."` lines of the sources. Each covers the next marker line of
// its file, in every range that this line makes.
class LintSuppressions {
 public:
  // Reports malformed lines as MS199.
  explicit LintSuppressions(LintProgram& program);

  // Whether the finding is covered; remembers which lines were of use.
  bool Covers(const RawFinding& finding);
  // Reports, as MS199, the lines that covered nothing.
  void ReportUnused();

 private:
  struct Entry {
    std::vector<std::string> ids;
    std::uint32_t file = 0;
    std::uint32_t line = 0;  // of the comment
    std::uint32_t column = 0;
    bool is_used = false;
  };

  void ReadFile(std::uint32_t file);
  void ReadComment(std::uint32_t file, std::uint32_t line, std::uint32_t column,
                   std::string_view text);

  LintProgram& program_;
  std::vector<Entry> entries_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>>
      by_marker_;  // (file, line of the marker) -> indices of entries
};

}  // namespace moescope::stages
