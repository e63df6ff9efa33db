#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace moescope {

enum class Severity : std::uint8_t { kNote, kWarning, kError };

std::string_view SeverityName(Severity severity);

// A place in a text file. Lines and columns start at 1; a column counts code points. Line 0 means
// the whole file, column 0 the whole line. `length` is the number of code points to underline (0 =
// none).
struct SourceLocation {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

// "file:line:col", leaving out what is 0.
std::string ToString(const SourceLocation& location);

struct DiagnosticNote {
  std::string message;
  SourceLocation location;

  friend bool operator==(const DiagnosticNote&, const DiagnosticNote&) = default;
};

// One finding about an input: what tools.md calls a diagnostic. `id` is a stable identifier such as
// "AS008"; `source_line` is the text of the line at `location`, without its line end, when known.
struct Diagnostic {
  Severity severity = Severity::kError;
  std::string id;
  std::string message;
  SourceLocation location;
  std::string source_line;
  std::vector<DiagnosticNote> notes;

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

// The text form: "file:line:col: error: message [ID]", the source line with a caret line when the
// column is known, then one line per note. Ends with a newline.
std::string RenderText(const Diagnostic& diagnostic);

// An InvalidArgument status whose message is RenderText(diagnostic) without its final newline and
// which carries the diagnostic itself. DiagnosticsOf gives the diagnostics of a status back: all
// that it carries, or a single one without id and place made from its message.
absl::Status ToStatus(const Diagnostic& diagnostic);
absl::Status ToStatus(const std::vector<Diagnostic>& diagnostics);
std::vector<Diagnostic> DiagnosticsOf(const absl::Status& status);

}  // namespace moescope
