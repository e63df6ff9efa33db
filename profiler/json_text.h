#pragma once

#include <string>
#include <string_view>

namespace moescope::profiler {

// A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);

}  // namespace moescope::profiler
