#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace moescope::stages {

struct Stripped {
  std::string text;
  std::size_t markers = 0;  // lines removed
};

// Removes the lines that are stage markers; every other byte stays. Comments that only look like a
// marker stay too, for the assembler to report.
Stripped StripMarkers(std::string_view text);

// The first line with a stage marker or with something that looks like one; 0 when there is none.
std::size_t FirstMarkerLine(std::string_view text);

}  // namespace moescope::stages
