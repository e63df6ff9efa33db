#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace moescope::isa {

// The bucket of instructions that no marker covers; always index 0 of Program::names.
inline constexpr std::string_view kUnattributed = "unattributed";

// Where the stage table of a program came from (profile.md, 5.2).
enum class AttributionSource : std::uint8_t { kNone, kMarkers, kSidecar, kAnnotated };
enum class StageOrigin : std::uint8_t { kBucket, kBuiltin, kExtension };
enum class StageScope : std::uint8_t { kLayer, kPair };

struct StageName {
  std::string name;
  StageOrigin origin = StageOrigin::kBuiltin;
  StageScope scope = StageScope::kLayer;
  std::string parent;  // stage in whose regions this one may be used; empty = anywhere

  friend bool operator==(const StageName&, const StageName&) = default;
};

// The instructions that one marker governs: pcs [begin_pc, end_pc). Empty ranges are kept for lint.
struct StageRange {
  std::uint32_t begin_pc = 0;
  std::uint32_t end_pc = 0;
  std::uint32_t name = 0;  // index into Program::names
  std::optional<std::uint32_t> pair;
  std::optional<std::uint32_t> expert;
  std::optional<std::uint32_t> parent;  // index of the enclosing region's range
  std::uint32_t file = 0;               // index into Program::files
  std::uint32_t line = 0;               // of the marker; 0 = none

  friend bool operator==(const StageRange&, const StageRange&) = default;
};

struct SourcePosition {
  std::uint32_t file = 0;  // index into Program::files
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(const SourcePosition&, const SourcePosition&) = default;
};

// Tile parameters that a program says it was compiled for; 0 = not said.
struct StatedShape {
  std::uint32_t mlen = 0;
  std::uint32_t blen = 0;
  std::uint32_t vlen = 0;
  std::uint32_t hlen = 0;

  friend bool operator==(const StatedShape&, const StatedShape&) = default;
};

// A program: its words, the stage of every word, and where each word came from. Plain data;
// Validate tells whether it is consistent, and every reader of containers and sidecars calls it.
struct Program {
  std::vector<std::uint32_t> words;

  std::vector<StageName> names{{std::string(kUnattributed), StageOrigin::kBucket}};
  // In display order of the vocabulary in force; the first is the bucket. Sorted by begin_pc,
  // disjoint, and covering [0, words.size()) exactly.
  std::vector<StageRange> ranges;
  AttributionSource attribution = AttributionSource::kNone;
  std::vector<std::string> unresolved_markers;

  std::vector<std::string> files;
  std::vector<SourcePosition> positions;  // one per word, or empty when unknown
  StatedShape stated_shape;

  // Hash of the words alone, and of the stage table alone ("sha256:...").
  std::string WordsHash() const;
  std::string StageTableHash() const;

  // "file:line:col" of a word, or empty.
  std::string PlaceOf(std::uint32_t pc) const;

  friend bool operator==(const Program&, const Program&) = default;
};

// A program of bare words: one range, in the bucket.
Program ProgramFromWords(std::vector<std::uint32_t> words);

absl::Status Validate(const Program& program);

}  // namespace moescope::isa
