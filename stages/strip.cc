#include "stages/strip.h"

#include <variant>

#include "stages/marker.h"
#include "stages/source_text.h"

namespace moescope::stages {

namespace {

ParsedComment ParsedOf(const SourceLine& line) {
  if (!line.has_comment) return std::monostate();
  return ParseMarker(line.comment, line.is_semicolon, line.HasOnlyComment());
}

}  // namespace

Stripped StripMarkers(std::string_view text) {
  Stripped stripped;
  SourceReader reader(text);
  std::size_t kept_from = 0;
  for (SourceLine line; reader.Next(line);) {
    if (!std::holds_alternative<Marker>(ParsedOf(line))) continue;
    stripped.text += text.substr(kept_from, line.offset - kept_from);
    kept_from = line.offset + line.whole.size();
    ++stripped.markers;
  }
  stripped.text += text.substr(kept_from);
  return stripped;
}

std::size_t FirstMarkerLine(std::string_view text) {
  SourceReader reader(text);
  for (SourceLine line; reader.Next(line);) {
    if (!std::holds_alternative<std::monostate>(ParsedOf(line))) return line.number;
  }
  return 0;
}

}  // namespace moescope::stages
