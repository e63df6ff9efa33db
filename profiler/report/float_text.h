#pragma once

#include <string>

namespace moescope::profiler {

// A finite number with the fewest digits that read back to it, as Rust's serde_json writes it:
// "0.0", "0.000196", "1e-6", "12345.0".
std::string ShortestFloat(double value);

}  // namespace moescope::profiler
