#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"

namespace moescope::profiler {

// Which part of a run a trace shows: cycles FIRST..LAST (both included) or one stage.
struct TraceWindow {
  std::optional<std::pair<std::uint64_t, std::uint64_t>> cycles;
  std::optional<std::string> stage;
};

struct TraceOptions {
  std::uint64_t max_events = 2'000'000;
  std::uint64_t max_bytes = std::uint64_t{256} << 20;
  TraceWindow window;
};

// "100..2000" or "stage=gather"; InvalidArgument says what is allowed.
absl::StatusOr<TraceWindow> ParseTraceWindow(std::string_view text);

}  // namespace moescope::profiler
