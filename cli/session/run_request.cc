#include "cli/session/run_request.h"

#include <algorithm>
#include <array>

#include "cli/session/number.h"

namespace moescope::session {

namespace {

constexpr std::array<std::string_view, 6> kMemoryNames = {"vram",    "mram", "fpsram",
                                                          "intsram", "hbm",  "registers"};

}  // namespace

std::string_view MemoryName(Memory memory) {
  return kMemoryNames[static_cast<std::size_t>(memory)];
}

std::optional<Memory> ParseMemory(std::string_view name) {
  const auto it = std::find(kMemoryNames.begin(), kMemoryNames.end(), name);
  if (it == kMemoryNames.end()) return std::nullopt;
  return static_cast<Memory>(it - kMemoryNames.begin());
}

std::optional<DumpRange> ParseDumpRange(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const absl::StatusOr<std::uint64_t> begin = ParseNumber(text.substr(0, dots));
  const absl::StatusOr<std::uint64_t> end = ParseNumber(text.substr(dots + 2));
  if (!begin.ok() || !end.ok() || *begin > *end) return std::nullopt;
  return DumpRange{*begin, *end};
}

}  // namespace moescope::session
