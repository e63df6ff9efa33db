#include "stages/source_text.h"

#include "absl/strings/match.h"
#include "base/string_view.h"

namespace moescope::stages {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t";

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

bool IsInclude(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin != std::string_view::npos && EqualsIgnoringCase(text.substr(begin, 8), ".include");
}

std::size_t FindComment(std::string_view text) {
  bool is_quoted = false;
  const bool has_quotes = text.find('"') != std::string_view::npos && IsInclude(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (has_quotes && text[i] == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (text[i] == ';' || text.substr(i).starts_with("//")) return i;
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view SourceLine::FirstWord() const {
  return statement.substr(0, statement.find_first_of(kBlanks));
}

SourceReader::SourceReader(std::string_view text) : text_(text) {
  if (text.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

bool SourceReader::Next(SourceLine& line) {
  if (at_ >= text_.size()) return false;
  const std::size_t newline = text_.find('\n', at_);
  const std::size_t end = newline == std::string_view::npos ? text_.size() : newline + 1;
  line = {};
  line.number = ++number_;
  line.offset = at_;
  line.whole = text_.substr(at_, end - at_);
  line.text = line.whole;
  if (line.text.ends_with('\n')) line.text.remove_suffix(1);
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  const std::size_t comment = FindComment(line.text);
  line.statement = Trimmed(line.text.substr(0, comment));
  if (comment != std::string_view::npos) {
    line.has_comment = true;
    line.comment_start = comment;
    line.is_semicolon = line.text[comment] == ';';
    line.comment = line.text.substr(comment + (line.is_semicolon ? 1 : 2));
  }
  at_ = end;
  return true;
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(Absl(a), Absl(b));
}

}  // namespace moescope::stages
