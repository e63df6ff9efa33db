#include "asm/reporter.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"

namespace moescope::assembler {

namespace {

constexpr std::size_t kMostErrors = 100'000;
constexpr std::size_t kMostOthers = 1'000;

bool IsRule(std::string_view id) { return id.starts_with("AS1"); }

Diagnostic LeftOut(std::size_t count, std::string_view what, std::string_view advice) {
  Diagnostic note;
  note.severity = Severity::kNote;
  note.message =
      absl::StrCat(count, " more ", Absl(what), count == 1 ? "" : "s", " not shown", Absl(advice));
  return note;
}

}  // namespace

Reporter::Reporter(Sources& sources, const RuleLevels& rules, std::size_t max_errors)
    : sources_(sources),
      rules_(rules),
      max_errors_(max_errors == 0 ? kMostErrors : std::min(max_errors, kMostErrors)) {}

bool Reporter::HasRoomFor(Severity severity) {
  if (severity == Severity::kError) return ++errors_ <= max_errors_;
  return ++others_ <= kMostOthers;
}

void Reporter::Report(std::string_view id, std::string message, const Place& place,
                      std::vector<DiagnosticNote> notes) {
  Severity severity = Severity::kError;
  if (IsRule(id)) {
    const std::optional<Severity> level = rules_.SeverityOf(id, Severity::kWarning);
    if (!level) return;
    severity = *level;
  }
  // Beyond the limit findings are only counted, so that many of them cost little.
  if (severity == Severity::kError ? errors_ >= max_errors_ : others_ >= kMostOthers) {
    ++(severity == Severity::kError ? errors_ : others_);
    return;
  }
  Key key{id, place.at.file, place.at.line, place.at.column, place.origin, message};
  if (seen_.contains(key) || !HasRoomFor(severity)) return;
  seen_.insert(std::move(key));
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.id = std::string(id);
  diagnostic.message = std::move(message);
  diagnostic.location = sources_.LocationOf(place);
  diagnostic.source_line = sources_.LineText(place.at.file, place.at.line);
  if (place.at.column > CountCodePoints(diagnostic.source_line) + 1) {
    diagnostic.source_line.clear();
  }
  diagnostic.notes = std::move(notes);
  for (DiagnosticNote& note : sources_.NotesOf(place.origin)) {
    diagnostic.notes.push_back(std::move(note));
  }
  findings_.push_back({place.order, std::move(diagnostic)});
}

void Reporter::Adopt(Diagnostic diagnostic, std::uint64_t order, std::uint32_t origin) {
  if (!HasRoomFor(diagnostic.severity)) return;
  if (diagnostic.source_line.empty()) diagnostic.source_line = sources_.LineAt(diagnostic.location);
  for (DiagnosticNote& note : sources_.NotesOf(origin)) diagnostic.notes.push_back(std::move(note));
  if (adopted_.insert(RenderText(diagnostic)).second) {
    findings_.push_back({order, std::move(diagnostic)});
  }
}

void Reporter::ReportWithoutPlace(std::string_view id, std::string message, const std::string& file,
                                  std::uint64_t order) {
  if (!HasRoomFor(Severity::kError)) return;
  Diagnostic diagnostic;
  diagnostic.id = std::string(id);
  diagnostic.message = std::move(message);
  diagnostic.location.file = file;
  findings_.push_back({order, std::move(diagnostic)});
}

std::vector<Diagnostic> Reporter::Take() {
  std::stable_sort(findings_.begin(), findings_.end(),
                   [](const Finding& a, const Finding& b) { return a.order < b.order; });
  std::vector<Diagnostic> diagnostics;
  for (Finding& finding : findings_) diagnostics.push_back(std::move(finding.diagnostic));
  if (errors_ > max_errors_) {
    diagnostics.push_back(
        LeftOut(errors_ - max_errors_, "error", "; --max-errors sets how many are"));
  }
  if (others_ > kMostOthers) diagnostics.push_back(LeftOut(others_ - kMostOthers, "warning", ""));
  return diagnostics;
}

}  // namespace moescope::assembler
