#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace moescope::session {

// "5%" or "0.25%" in parts per million; at most 100 %, at most four digits behind the point.
absl::StatusOr<std::uint32_t> ParsePercentPpm(std::string_view text);

// "10" or "0.25" seconds in milliseconds; at most three digits behind the point.
absl::StatusOr<std::uint64_t> ParseSecondsMs(std::string_view text);

}  // namespace moescope::session
