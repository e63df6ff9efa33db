#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "isa/program.h"

namespace moescope::stages {

// Largest `pair=` and `expert=`.
inline constexpr std::uint32_t kMaximumAttribute = 2147483647;

enum class MarkerKind : std::uint8_t {
  kStage,  // @stage=
  kEnd,    // @stage_end
  kPush,   // @stage_push=
  kPop,    // @stage_pop
};

// A well-formed marker (profile.md, 2.1); whether the stage exists is not its business.
struct Marker {
  MarkerKind kind = MarkerKind::kStage;
  std::string_view name;  // of kStage and kPush; points into the comment
  std::optional<std::uint32_t> pair;
  std::optional<std::uint32_t> expert;
};

// Why a comment that looks like a marker is none. `offset` and `length` are bytes of the text.
struct MarkerProblem {
  std::string id;  // MS002, MS004, MS005 or MS011
  std::string message;
  std::size_t offset = 0;
  std::size_t length = 0;
};

// An ordinary comment, a marker, or an error.
using ParsedComment = std::variant<std::monostate, Marker, MarkerProblem>;

// `text` is what stands behind the comment character(s), up to the line end.
ParsedComment ParseMarker(std::string_view text, bool is_semicolon = true,
                          bool stands_alone = true);

// "; @stage=gather pair=3".
std::string MarkerText(const Marker& marker);

// For each range of the program the marker line that makes it when the text is assembled again;
// empty for code in front of the first marker. Asking for a range in the bucket inside a region, as
// an unresolved marker leaves it, gives "; @stage_pop" or "" where no marker can express it.
std::vector<std::string> MarkerLines(const isa::Program& program);

}  // namespace moescope::stages
