#pragma once

#include <string_view>

#include "absl/strings/string_view.h"

namespace moescope {

// Debian's Abseil has a string_view of its own. Our APIs use std::string_view and convert here
// where a text goes into StrCat or StrFormat.
inline absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace moescope
