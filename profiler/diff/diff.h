#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "profiler/diff/side.h"
#include "profiler/diff/tolerance.h"

// `moescope diff` of profiles (profile.md, 6).

namespace moescope::profiler {

struct DiffOptions {
  Filter filter;
  // Stage X of A against stage Y of B.
  std::optional<std::pair<std::string, std::string>> stages;
  std::set<std::string> allow;  // isa model machine clock incomplete
  bool in_ns = false;
  // Without any, every metric is judged and may not move. With some, the metrics that they select
  // are judged, the others only shown. A scope on one side only always counts as a difference.
  std::vector<Tolerance> tolerances;
  bool only_regressions = false;  // --direction=regress: a smaller value is never judged
};

struct DiffRow {
  std::string scope;
  std::string metric;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::int64_t delta = 0;                 // b - a
  std::optional<std::int64_t> delta_ppm;  // of a, rounded towards 0; absent when a is 0
  bool is_judged = false;
  bool is_exceeded = false;
};

// A scope that only one side has.
struct OneSided {
  std::string scope;
  char side = 'A';
};

struct Diff {
  std::string label_a;
  std::string label_b;
  std::vector<std::string> allowed;  // "model: A 'serial', B 'pipelined'"
  std::string unit;                  // cycles ns
  std::vector<DiffRow> rows;         // the total first, then stages and pairs in display order
  std::vector<OneSided> one_sided;
  std::vector<std::string> not_compared;  // "reason:port_a: not measured in B"
  std::optional<std::string> caveat;      // when a shared stage is compared with a routed one

  std::size_t exceeded() const;
  bool is_within() const { return exceeded() == 0 && one_sided.empty(); }
};

// One file of a comparison.
struct DiffInput {
  std::string label;
  std::string_view json;  // a profile, or a public stage profile v1 or v2
};

// FailedPrecondition when the sides must not be compared: the text names each difference and the
// option that allows it. InvalidArgument for malformed files, an unknown stage, pair or expert.
absl::StatusOr<Diff> DiffProfiles(const DiffInput& a, const DiffInput& b,
                                  const DiffOptions& options);

std::string DiffText(const Diff& diff, std::size_t width = 100);
std::string DiffMarkdown(const Diff& diff);
std::string DiffJson(const Diff& diff);

}  // namespace moescope::profiler
