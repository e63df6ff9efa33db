#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "stages/annotate_rules.h"

namespace moescope::stages {

struct AnnotateOptions {
  bool detail = false;   // also open regions of plena_detail
  bool replace = false;  // remove the markers that the text has
};

// What the rules did, for people and for --report=json. Words are instruction lines of the text.
struct AnnotateReport {
  struct RuleHits {
    std::string id;
    std::uint64_t comments = 0;
    std::uint64_t words = 0;  // that the rule decided
  };
  struct Undecided {
    std::uint32_t line = 0;
    std::string rule;
    std::string comment;
  };
  // Comments that no rule knows, with every number written as {n}.
  struct UnmatchedShape {
    std::string shape;
    std::uint64_t count = 0;
    std::uint32_t first_line = 0;
  };
  struct StageWords {
    std::string stage;
    std::uint64_t words = 0;
  };

  std::uint64_t words = 0;
  std::uint64_t decided_words = 0;
  std::uint64_t markers = 0;              // inserted
  std::uint64_t removed_markers = 0;      // by `replace`
  std::vector<RuleHits> rules;            // every rule, in file order
  std::vector<StageWords> stages;         // in order of first use; the bucket last, if it has any
  std::vector<Undecided> undecided;       // in text order
  std::vector<UnmatchedShape> unmatched;  // most frequent first

  // Rounded down; all of it for a text without instructions.
  std::uint64_t CoveragePpm() const;
};

struct Annotated {
  std::string text;
  AnnotateReport report;
};

// Inserts a marker wherever the prose comments say that the (stage, pair, expert) triple changes,
// and changes no other byte; inserted lines end as the lines around them do. Rules that matter:
// * Only comments that stand alone on their line count. Bodies of macros are left alone.
// * A comment that no rule knows leaves the triple as it is, but the instructions behind it count
//   as undecided until the next comment that decides. A rule without a case for the comment's
//   operand names sends them to the bucket.
// * A comment without a pair (an expert) leaves that in force; stages of layer scope have none. A
//   new pair without an expert ends the expert that was in force, and the other way round.
// * Behind .include and inside .rept the triple in force is stated again. A file with either, or
//   with a macro, gets no detail regions, nor does code whose loops cross the region.
// FailedPrecondition when the text has markers and `replace` is off.
absl::StatusOr<Annotated> Annotate(std::string_view text, const std::string& path,
                                   const AnnotateRules& rules, const AnnotateOptions& options = {});

}  // namespace moescope::stages
