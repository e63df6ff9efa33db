#include "base/diagnostic.h"

#include <charconv>
#include <optional>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/string_view.h"

namespace moescope {

namespace {

constexpr char kPayloadUrl[] = "moescope/diagnostics";

// The payload is a sequence of length-prefixed fields ("5:AS008"), so any byte may occur in a text.
void AppendField(std::string& out, std::string_view field) {
  absl::StrAppend(&out, field.size(), ":", Absl(field));
}

void AppendNumber(std::string& out, std::uint64_t number) {
  AppendField(out, std::to_string(number));
}

void AppendLocation(std::string& out, const SourceLocation& location) {
  AppendField(out, location.file);
  AppendNumber(out, location.line);
  AppendNumber(out, location.column);
  AppendNumber(out, location.length);
}

// Reads back what the functions above wrote; only ever sees our own payloads.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : text_(text) {}
  bool AtEnd() const { return text_.empty(); }

  std::string Field() {
    const std::size_t colon = text_.find(':');
    CHECK(colon != std::string_view::npos);
    const std::uint64_t size = Parse(text_.substr(0, colon));
    std::string field(text_.substr(colon + 1, size));
    text_.remove_prefix(colon + 1 + size);
    return field;
  }

  std::uint32_t Number() { return static_cast<std::uint32_t>(Parse(Field())); }

  SourceLocation Location() {
    SourceLocation location;
    location.file = Field();
    location.line = Number();
    location.column = Number();
    location.length = Number();
    return location;
  }

 private:
  static std::uint64_t Parse(std::string_view digits) {
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }

  std::string_view text_;
};

std::string Serialise(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) {
    AppendNumber(out, static_cast<std::uint64_t>(d.severity));
    AppendField(out, d.id);
    AppendField(out, d.message);
    AppendLocation(out, d.location);
    AppendField(out, d.source_line);
    AppendNumber(out, d.notes.size());
    for (const DiagnosticNote& note : d.notes) {
      AppendField(out, note.message);
      AppendLocation(out, note.location);
    }
  }
  return out;
}

std::vector<Diagnostic> Deserialise(std::string_view text) {
  std::vector<Diagnostic> diagnostics;
  for (FieldReader reader(text); !reader.AtEnd();) {
    Diagnostic& d = diagnostics.emplace_back();
    d.severity = static_cast<Severity>(reader.Number());
    d.id = reader.Field();
    d.message = reader.Field();
    d.location = reader.Location();
    d.source_line = reader.Field();
    for (std::uint32_t left = reader.Number(); left > 0; --left) {
      DiagnosticNote& note = d.notes.emplace_back();
      note.message = reader.Field();
      note.location = reader.Location();
    }
  }
  return diagnostics;
}

// A caret line under `source_line`: tabs are repeated so that the caret lands under its character.
std::string CaretLine(std::string_view source_line, std::uint32_t column, std::uint32_t length) {
  std::string caret;
  std::uint32_t at = 1;
  for (std::size_t i = 0; i < source_line.size() && at < column; ++i) {
    const auto byte = static_cast<unsigned char>(source_line[i]);
    if ((byte & 0xC0) == 0x80) continue;
    caret += byte == '\t' ? '\t' : ' ';
    ++at;
  }
  caret += '^';
  caret.append(length > 1 ? length - 1 : 0, '~');
  return caret;
}

}  // namespace

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

std::string ToString(const SourceLocation& location) {
  std::string text = location.file;
  if (location.line > 0) absl::StrAppend(&text, ":", location.line);
  if (location.line > 0 && location.column > 0) absl::StrAppend(&text, ":", location.column);
  return text;
}

std::string RenderText(const Diagnostic& d) {
  const std::string place = ToString(d.location);
  const std::string_view severity = SeverityName(d.severity);
  std::string text =
      absl::StrCat(place, place.empty() ? "" : ": ", Absl(severity), ": ", d.message);
  if (!d.id.empty()) absl::StrAppend(&text, " [", d.id, "]");
  text += '\n';
  if (!d.source_line.empty() && d.location.column > 0) {
    const std::string number = absl::StrFormat("%5d", d.location.line);
    absl::StrAppend(&text, number, " | ", d.source_line, "\n", std::string(number.size(), ' '),
                    " | ", CaretLine(d.source_line, d.location.column, d.location.length), "\n");
  }
  for (const DiagnosticNote& note : d.notes) {
    const std::string note_place = ToString(note.location);
    absl::StrAppend(&text, note_place, note_place.empty() ? "" : ": ", "note: ", note.message,
                    "\n");
  }
  return text;
}

absl::Status ToStatus(const Diagnostic& diagnostic) {
  return ToStatus(std::vector<Diagnostic>{diagnostic});
}

absl::Status ToStatus(const std::vector<Diagnostic>& diagnostics) {
  CHECK(!diagnostics.empty());
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += RenderText(diagnostic);
  text.pop_back();
  absl::Status status = absl::InvalidArgumentError(text);
  status.SetPayload(kPayloadUrl, absl::Cord(Serialise(diagnostics)));
  return status;
}

std::vector<Diagnostic> DiagnosticsOf(const absl::Status& status) {
  if (status.ok()) return {};
  if (const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl)) {
    return Deserialise(std::string(*payload));
  }
  Diagnostic plain;
  plain.message = std::string(status.message());
  return {plain};
}

}  // namespace moescope
