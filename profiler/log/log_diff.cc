#include "profiler/log/log_diff.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "profiler/log/commit_log.h"

namespace moescope::profiler {

namespace {

constexpr std::array<std::string_view, 7> kColumns = {"seq",   "cycle", "pc",     "word",
                                                      "stage", "text",  "effects"};
constexpr std::size_t kEffects = 6;
constexpr std::size_t kMaximumLine = 16u << 20;

// Lines of a source, one at a time; a view is valid until the next call.
class LineReader {
 public:
  LineReader(const ByteSource& source, char name) : source_(source), name_(name) {}

  // Absent at the end.
  absl::StatusOr<std::optional<std::string_view>> Next() {
    for (;;) {
      const std::size_t end = buffer_.find('\n', begin_ + searched_);
      if (end != std::string::npos) {
        const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
        begin_ = end + 1;
        searched_ = 0;
        ++number_;
        return std::optional(line);
      }
      searched_ = buffer_.size() - begin_;
      if (searched_ > kMaximumLine) return ErrorIn(number_ + 1, "a line of more than 16 MiB");
      ASSIGN_OR_RETURN(const bool more, Fill());
      if (more) continue;
      if (searched_ == 0) return std::optional<std::string_view>();
      return ErrorIn(number_ + 1, "the last line is not complete");
    }
  }

  // About the line that Next gave last.
  absl::Status Error(std::string_view problem) const { return ErrorIn(number_, problem); }
  std::uint64_t number() const { return number_; }

 private:
  absl::Status ErrorIn(std::uint64_t line, std::string_view problem) const {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(1, name_), ":", line, ": ", Absl(problem)));
  }

  absl::StatusOr<bool> Fill() {
    constexpr std::size_t kChunk = 1 << 18;
    buffer_.erase(0, begin_);
    begin_ = 0;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kChunk);
    const absl::StatusOr<std::size_t> got = source_(buffer_.data() + before, kChunk);
    buffer_.resize(before + got.value_or(0));
    if (!got.ok()) return got.status();
    return *got > 0;
  }

  const ByteSource& source_;
  char name_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t searched_ = 0;  // bytes behind begin_ that hold no line end
  std::uint64_t number_ = 0;
};

struct Header {
  std::vector<std::pair<std::string, std::string>> facts;  // program, machine, isa
};

absl::StatusOr<Header> ReadHeader(LineReader& reader) {
  const auto next = [&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const std::optional<std::string_view> line, reader.Next());
    return std::string(line.value_or(""));
  };
  ASSIGN_OR_RETURN(const std::string first, next());
  if (first != absl::StrCat("# moescope commit log ", kCommitLogVersion)) {
    return reader.Error(absl::StrCat("not a commit log of version ", kCommitLogVersion));
  }
  Header header;
  for (const char* name : {"program", "machine", "isa"}) {
    ASSIGN_OR_RETURN(const std::string line, next());
    const std::string prefix = absl::StrCat("# ", name, " ");
    if (!line.starts_with(prefix)) return reader.Error(absl::StrCat("expected '", prefix, "...'"));
    header.facts.emplace_back(name, line.substr(prefix.size()));
  }
  ASSIGN_OR_RETURN(const std::string columns, next());
  if (columns != absl::StrCat("# columns ", absl::StrJoin(kColumns, " ",
                                                          [](std::string* out, std::string_view c) {
                                                            out->append(c);
                                                          }))) {
    return reader.Error("other columns than those of this version");
  }
  return header;
}

// The six single columns and the rest of a line.
absl::StatusOr<std::array<std::string_view, 7>> Split(std::string_view line,
                                                      const LineReader& reader) {
  std::array<std::string_view, 7> columns;
  for (std::size_t i = 0; i < kEffects; ++i) {
    const std::size_t blank = line.find(' ');
    columns[i] = line.substr(0, blank);
    if (columns[i].empty() || (blank == std::string_view::npos && i + 1 < kEffects)) {
      return reader.Error("a line without seven columns");
    }
    line = blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
  }
  columns[kEffects] = line;
  return columns;
}

std::vector<std::string> Without(std::string_view effects, std::string_view others) {
  const std::set<std::string> known = absl::StrSplit(Absl(others), ' ', absl::SkipEmpty());
  std::vector<std::string> result;
  for (const auto effect : absl::StrSplit(Absl(effects), ' ', absl::SkipEmpty())) {
    if (!known.contains(std::string(effect))) result.emplace_back(effect);
  }
  return result;
}

class Differ {
 public:
  Differ(const ByteSource& a, const ByteSource& b, const LogDiffOptions& options)
      : options_(options), a_(a, 'A'), b_(b, 'B') {
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      ignored_[i] = options.ignore.contains(std::string(kColumns[i]));
    }
  }

  absl::StatusOr<LogDiff> Run() {
    LogDiff diff;
    ASSIGN_OR_RETURN(const Header header_a, ReadHeader(a_));
    ASSIGN_OR_RETURN(const Header header_b, ReadHeader(b_));
    for (std::size_t i = 0; i < header_a.facts.size(); ++i) {
      const auto& [name, value] = header_a.facts[i];
      if (value == header_b.facts[i].second) continue;
      diff.notes.push_back(absl::StrCat(name, " ", value, " / ", header_b.facts[i].second));
    }
    for (;; ++diff.lines) {
      ASSIGN_OR_RETURN(const std::optional<std::string_view> a, a_.Next());
      ASSIGN_OR_RETURN(const std::optional<std::string_view> b, b_.Next());
      if (!a && !b) return diff;
      ASSIGN_OR_RETURN(const bool equal, Equal(a, b));
      if (!equal) {
        ASSIGN_OR_RETURN(diff.difference, Describe(a, b));
        return diff;
      }
      Remember(*a);
    }
  }

 private:
  absl::StatusOr<bool> Equal(const std::optional<std::string_view>& a,
                             const std::optional<std::string_view>& b) {
    if (!a || !b) return false;
    if (*a == *b) return true;
    if (options_.ignore.empty()) return false;
    ASSIGN_OR_RETURN(const auto columns_a, Split(*a, a_));
    ASSIGN_OR_RETURN(const auto columns_b, Split(*b, b_));
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      if (!ignored_[i] && columns_a[i] != columns_b[i]) return false;
    }
    return true;
  }

  absl::StatusOr<LogDifference> Describe(const std::optional<std::string_view>& a,
                                         const std::optional<std::string_view>& b) {
    LogDifference difference;
    difference.line = std::max(a_.number(), b_.number());
    difference.context.assign(context_.begin(), context_.end());
    if (a) difference.a = *a;
    if (b) difference.b = *b;
    if (a) difference.place = PlaceOf(*a);
    if (!a || !b) return difference;
    ASSIGN_OR_RETURN(const auto columns_a, Split(*a, a_));
    ASSIGN_OR_RETURN(const auto columns_b, Split(*b, b_));
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      if (!ignored_[i] && columns_a[i] != columns_b[i]) {
        difference.columns.emplace_back(kColumns[i]);
      }
    }
    difference.only_in_a = Without(columns_a[kEffects], columns_b[kEffects]);
    difference.only_in_b = Without(columns_b[kEffects], columns_a[kEffects]);
    return difference;
  }

  std::string PlaceOf(std::string_view line) const {
    constexpr std::size_t kPc = 2;
    const absl::StatusOr<std::array<std::string_view, 7>> columns = Split(line, a_);
    std::uint64_t pc = 0;
    if (!options_.place || !columns.ok()) return "";
    const std::string_view text = (*columns)[kPc];
    std::from_chars(text.data(), text.data() + text.size(), pc);
    return options_.place(pc);
  }

  // A ring of the last lines, whose strings are reused.
  void Remember(std::string_view line) {
    if (options_.context == 0) return;
    if (context_.size() == options_.context) {
      std::rotate(context_.begin(), context_.begin() + 1, context_.end());
      context_.back().assign(line);
    } else {
      context_.emplace_back(line);
    }
  }

  const LogDiffOptions& options_;
  LineReader a_;
  LineReader b_;
  std::array<bool, kColumns.size()> ignored_{};
  std::deque<std::string> context_;
};

}  // namespace

absl::StatusOr<LogDiff> DiffLogs(const ByteSource& a, const ByteSource& b,
                                 const LogDiffOptions& options) {
  for (const std::string& column : options.ignore) {
    if (std::find(kColumns.begin(), kColumns.end(), column) != kColumns.end()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("unknown column '", column, "' to ignore", DidYouMean(column, kColumns)));
  }
  return Differ(a, b, options).Run();
}

std::string LogDiffText(const LogDiff& diff) {
  std::string text;
  for (const std::string& note : diff.notes) absl::StrAppend(&text, "note: differ in ", note, "\n");
  if (!diff.difference) {
    return absl::StrCat(text, "equal: ", diff.lines, diff.lines == 1 ? " line\n" : " lines\n");
  }
  const LogDifference& d = *diff.difference;
  absl::StrAppend(&text, "first difference in line ", d.line, " after ", diff.lines,
                  " equal instructions\n");
  for (const std::string& line : d.context) absl::StrAppend(&text, "  ", line, "\n");
  absl::StrAppend(&text, "A ", d.a.value_or("(the log ends)"), "\n");
  absl::StrAppend(&text, "B ", d.b.value_or("(the log ends)"), "\n");
  if (!d.place.empty()) absl::StrAppend(&text, "source: ", d.place, "\n");
  if (!d.columns.empty()) {
    absl::StrAppend(&text, "columns that differ: ", absl::StrJoin(d.columns, ", "), "\n");
  }
  for (const std::string& effect : d.only_in_a) absl::StrAppend(&text, "only in A: ", effect, "\n");
  for (const std::string& effect : d.only_in_b) absl::StrAppend(&text, "only in B: ", effect, "\n");
  return text;
}

}  // namespace moescope::profiler
