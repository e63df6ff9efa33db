#include "profiler/csv.h"

#include "absl/strings/str_cat.h"

namespace moescope::profiler {

CsvWriter& CsvWriter::Field(std::string_view text) {
  if (!row_is_empty_) text_ += ',';
  row_is_empty_ = false;
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    text_ += text;
    return *this;
  }
  text_ += '"';
  for (const char c : text) {
    if (c == '"') text_ += '"';
    text_ += c;
  }
  text_ += '"';
  return *this;
}

CsvWriter& CsvWriter::Optional(const std::optional<std::uint64_t>& number) {
  return number ? Field(*number) : Field(std::string_view());
}

CsvWriter& CsvWriter::Optional(const std::optional<std::string>& text) {
  return Field(std::string_view(text ? *text : std::string_view()));
}

void CsvWriter::EndRow() {
  text_ += "\r\n";
  row_is_empty_ = true;
}

void CsvWriter::Row(const std::vector<std::string>& fields) {
  for (const std::string& field : fields) Field(field);
  EndRow();
}

namespace {

// Reads one text; knows where it is.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<std::vector<std::string>>> Read() {
    std::vector<std::vector<std::string>> rows;
    while (at_ < text_.size()) {
      std::vector<std::string>& row = rows.emplace_back();
      do {
        if (absl::Status status = ReadField(row.emplace_back()); !status.ok()) return status;
      } while (Skip(','));
      Skip('\r');
      if (at_ < text_.size() && !Skip('\n')) return Error("a quote inside a field");
      ++line_;
    }
    return rows;
  }

 private:
  bool Skip(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  absl::Status ReadField(std::string& field) {
    if (!Skip('"')) {
      const std::size_t end = std::min(text_.find_first_of(",\"\r\n", at_), text_.size());
      field = text_.substr(at_, end - at_);
      at_ = end;
      return absl::OkStatus();
    }
    while (at_ < text_.size()) {
      if (Skip('"')) {
        if (!Skip('"')) return absl::OkStatus();
        field += '"';
        continue;
      }
      if (text_[at_] == '\n') ++line_;
      field += text_[at_++];
    }
    return Error("a quoted field that is not closed");
  }

  absl::Status Error(const char* what) const {
    return absl::InvalidArgumentError(absl::StrCat("line ", line_, ": ", what));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

absl::StatusOr<std::vector<std::vector<std::string>>> ParseCsv(std::string_view text) {
  return CsvReader(text).Read();
}

}  // namespace moescope::profiler
