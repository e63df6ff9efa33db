#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/annotate.h"
#include "stages/annotate_rules.h"

namespace moescope::stages {

// A stretch of text between two deciding comments: what its instructions belong to, and why.
struct ProseSegment {
  static constexpr std::size_t kNoRule = std::numeric_limits<std::size_t>::max();

  std::size_t offset = 0;     // in the text, of the line that a marker would go in front of
  std::string_view line_end;  // of that line
  std::string stage;          // empty = the bucket
  std::string detail;         // region below the stage; empty = none
  std::optional<std::uint32_t> pair;
  std::optional<std::uint32_t> expert;
  bool is_decided = false;
  bool must_restate = false;  // the triple may be another one here than text order says
  std::size_t rule = kNoRule;
  std::uint64_t words = 0;
  std::int64_t loop_balance = 0;  // loops opened less loops closed
  std::int64_t loop_lowest = 0;   // smallest balance on the way

  bool HasSameTriple(const ProseSegment& other) const {
    return stage == other.stage && pair == other.pair && expert == other.expert;
  }
};

struct ProseSegments {
  std::vector<ProseSegment> segments;  // those with words, in text order
  bool is_flat = true;                 // no .include, .rept or .macro
};

// Applies the rules to every comment of a text without markers. Adds what happened to `report`.
ProseSegments SegmentProse(std::string_view text, const AnnotateRules& rules,
                           AnnotateReport& report);

}  // namespace moescope::stages
