#include "stages/lint_suppression.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "stages/source_text.h"

namespace moescope::stages {

namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kMalformed =
    "malformed suppression; expected '; @lint allow=<id>[,<id>] reason=\"<text>\"'";

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Takes `prefix` off the text, or says no.
bool Take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// The ids of `@lint allow=A,B reason="why"`; empty when malformed.
std::vector<std::string> ParseAllowed(std::string_view text) {
  if (!Take(text, "@lint")) return {};
  text = Trimmed(text);
  if (!Take(text, "allow=")) return {};
  const std::size_t end = text.find_first_of(kBlanks);
  if (end == std::string_view::npos) return {};
  std::string_view reason = Trimmed(text.substr(end));
  const bool has_reason = Take(reason, "reason=\"") && reason.size() > 1 &&
                          reason.find('"') == reason.size() - 1 &&
                          !Trimmed(reason.substr(0, reason.size() - 1)).empty();
  if (!has_reason) return {};
  return absl::StrSplit(Absl(text.substr(0, end)), ',');
}

}  // namespace

LintSuppressions::LintSuppressions(LintProgram& program) : program_(program) {
  for (std::uint32_t file = 0; file < program.input().sources.size(); ++file) ReadFile(file);
}

void LintSuppressions::ReadFile(std::uint32_t file) {
  std::size_t waiting = entries_.size();  // the first entry that has no marker yet
  SourceReader reader(program_.input().sources[file]);
  for (SourceLine line; reader.Next(line);) {
    if (!line.HasOnlyComment() || !line.is_semicolon) continue;
    const std::string_view text = Trimmed(line.comment);
    if (text.starts_with("@lint")) {
      ReadComment(file, line.number, static_cast<std::uint32_t>(line.comment_start + 1), text);
    } else if (text.starts_with("@stage")) {
      // In a macro body the marker may hold parameters, so it is not parsed here.
      for (; waiting < entries_.size(); ++waiting) {
        by_marker_[{file, line.number}].push_back(waiting);
      }
    }
  }
}

void LintSuppressions::ReadComment(std::uint32_t file, std::uint32_t line, std::uint32_t column,
                                   std::string_view text) {
  const SourceLocation place = program_.PlaceOf(isa::SourcePosition{file, line, column});
  Entry entry{.ids = ParseAllowed(text), .file = file, .line = line, .column = column};
  if (entry.ids.empty()) {
    program_.ReportPlace("MS199", place, std::string(kMalformed));
    return;
  }
  const std::vector<std::string_view> known = LintRuleIds();
  for (const std::string& id : entry.ids) {
    if (std::find(known.begin(), known.end(), id) != known.end()) continue;
    program_.ReportPlace("MS199", place,
                         absl::StrCat("unknown rule '", id, "'", DidYouMean(id, known)));
    return;
  }
  entries_.push_back(std::move(entry));
}

bool LintSuppressions::Covers(const RawFinding& finding) {
  if (!finding.range) return false;
  const isa::StageRange& range = program_.ranges()[*finding.range];
  const auto found = by_marker_.find({range.file, range.line});
  if (range.line == 0 || found == by_marker_.end()) return false;
  bool is_covered = false;
  for (const std::size_t index : found->second) {
    Entry& entry = entries_[index];
    if (std::find(entry.ids.begin(), entry.ids.end(), finding.id) == entry.ids.end()) continue;
    entry.is_used = true;
    is_covered = true;
  }
  return is_covered;
}

void LintSuppressions::ReportUnused() {
  for (const Entry& entry : entries_) {
    if (entry.is_used) continue;
    std::string ids;
    for (const std::string& id : entry.ids) absl::StrAppend(&ids, ids.empty() ? "" : ",", id);
    program_.ReportPlace(
        "MS199", program_.PlaceOf(isa::SourcePosition{entry.file, entry.line, entry.column}),
        absl::StrCat("'allow=", ids, "' suppresses nothing in the next range"));
  }
}

}  // namespace moescope::stages
