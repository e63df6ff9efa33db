#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace moescope {

// The numbers of options, manifests and machine keys: decimal or 0x hexadecimal, '_' between
// digits, and a size suffix K, M, G or T in powers of 1024, optionally followed by 'i' and 'B'.
// Errors quote the text and say what is wrong with it.
absl::StatusOr<std::uint64_t> ParseNumber(std::string_view text);

// "'TEXT' is not a number: REASON".
absl::Status NotANumber(std::string_view text, std::string_view reason);

}  // namespace moescope
