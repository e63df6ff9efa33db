#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/diagnostic.h"

namespace moescope::emulator {

// A place in a machine file; line 0 = no place in it.
struct FilePlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// Collects the problems of one machine file.
class MachineReport {
 public:
  static constexpr std::size_t kMaximumErrors = 20;

  MachineReport(std::string file, std::string_view text);

  void Error(FilePlace place, std::string message, std::string_view id);
  void Warning(FilePlace place, std::string message, std::string_view id);
  // An error that no place in the file caused; `origin` stands for the file name.
  void ErrorAt(const std::string& origin, std::string message, std::string_view id);

  bool ok() const { return errors_.empty(); }
  // All errors by position; of more than kMaximumErrors the first, and how many were left out.
  absl::Status ToStatus() const;
  std::vector<Diagnostic> TakeWarnings() { return std::move(warnings_); }

 private:
  Diagnostic Make(FilePlace place, std::string message, std::string_view id) const;

  std::string file_;
  std::vector<std::string> lines_;
  std::vector<Diagnostic> errors_;
  std::vector<Diagnostic> warnings_;
};

}  // namespace moescope::emulator
