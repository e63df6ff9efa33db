#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "profiler/profile.h"

namespace moescope::profiler {

// A measured value. `name` is "cycles", "instructions", "bytes:hbm.read.physical_bytes",
// "reason:hbm_bandwidth", "unit:mx_compute", "opcode:M_MM" (its cycles) or
// "opcode_instructions:M_MM"; what stands before the colon is its family.
struct Metric {
  std::string name;
  std::uint64_t value = 0;
};

// A stage, a pair, or the total, with everything that is measured there. Zeros are listed, except
// for opcodes: one that is missing was not executed when `has_opcodes`.
struct Scope {
  std::string name;  // "total", a stage, "pair 3"
  std::vector<Metric> metrics;
  bool has_opcodes = false;
};

// What --stage, --pair and --expert leave of a side.
struct Filter {
  std::string stage_glob = "*";  // * and ? as in file names
  std::optional<std::uint64_t> pair;
  std::optional<std::uint64_t> expert;
  bool with_pairs = false;  // one scope per pair as well

  bool is_empty() const { return stage_glob == "*" && !pair && !expert; }
};

// One side of a comparison. Facts that a file does not state are absent and not compared.
struct Side {
  std::string label;
  std::optional<std::string> isa;
  std::optional<std::string> timing_model;
  std::optional<std::string> machine;
  std::optional<std::uint64_t> clock_period_ps;
  bool complete = true;
  Scope total;
  std::vector<Scope> stages;  // display order
  std::vector<Scope> pairs;

  const Scope* FindStage(std::string_view name) const;
};

// FailedPrecondition when the profile has no such pair or expert.
absl::StatusOr<Side> SideOf(const Profile& profile, std::string label, const Filter& filter);

// A profile folded to the stages of a public stage profile, with the metrics that those have.
absl::StatusOr<Side> FoldedSideOf(const Profile& profile, std::string label, bool all_stages);

// A public stage profile (v1 or v2). Cycles exist in v2 only; with `in_ns` both versions give
// nanoseconds. InvalidArgument names the JSON path of what is wrong.
absl::StatusOr<Side> PublicSideOf(std::string_view json, std::string label, bool in_ns);
// Whether a JSON text looks like a public stage profile, and whether it has fifteen stages.
bool IsPublicStageProfile(std::string_view json, bool& all_stages);

// Turns cycles into nanoseconds, rounding down.
void ConvertToNanoseconds(Side& side);

// Whether a name matches a pattern of literal characters, * and ?.
bool MatchesGlob(std::string_view pattern, std::string_view name);

// "reason" of "reason:hbm_row".
std::string_view FamilyOf(std::string_view metric);

}  // namespace moescope::profiler
