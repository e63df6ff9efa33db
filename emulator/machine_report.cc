#include "emulator/machine_report.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/string_view.h"

namespace moescope::emulator {

MachineReport::MachineReport(std::string file, std::string_view text)
    : file_(std::move(file)), lines_(absl::StrSplit(Absl(text), '\n')) {
  for (std::string& line : lines_) {
    if (line.ends_with('\r')) line.pop_back();
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (lines_.front().starts_with(kByteOrderMark)) lines_.front().erase(0, kByteOrderMark.size());
}

Diagnostic MachineReport::Make(FilePlace place, std::string message, std::string_view id) const {
  Diagnostic diagnostic;
  diagnostic.id = std::string(id);
  diagnostic.message = std::move(message);
  diagnostic.location = {.file = file_, .line = place.line, .column = place.column};
  if (place.line > 0 && place.line <= lines_.size()) {
    diagnostic.source_line = lines_[place.line - 1];
  }
  return diagnostic;
}

void MachineReport::Error(FilePlace place, std::string message, std::string_view id) {
  errors_.push_back(Make(place, std::move(message), id));
}

void MachineReport::Warning(FilePlace place, std::string message, std::string_view id) {
  warnings_.push_back(Make(place, std::move(message), id));
  warnings_.back().severity = Severity::kWarning;
}

void MachineReport::ErrorAt(const std::string& origin, std::string message, std::string_view id) {
  errors_.push_back(Make({}, std::move(message), id));
  errors_.back().location = {.file = origin};
}

absl::Status MachineReport::ToStatus() const {
  if (ok()) return absl::OkStatus();
  std::vector<Diagnostic> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.location.line, a.location.column) <
           std::tie(b.location.line, b.location.column);
  });
  if (sorted.size() > kMaximumErrors) {
    const std::size_t left_out = sorted.size() - kMaximumErrors;
    sorted.resize(kMaximumErrors);
    sorted.back().notes.push_back({absl::StrCat(left_out, " more errors are not shown"), {}});
  }
  return moescope::ToStatus(sorted);
}

}  // namespace moescope::emulator
