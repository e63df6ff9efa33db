#include "profiler/diff/diff.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "profiler/profile_json.h"
#include "profiler/ratio.h"
#include "stages/stage.h"

namespace moescope::profiler {

namespace {

absl::StatusOr<std::pair<Side, Side>> ReadSides(const DiffInput& a, const DiffInput& b,
                                                const DiffOptions& options) {
  bool all_a = false;
  bool all_b = false;
  const bool public_a = IsPublicStageProfile(a.json, all_a);
  const bool public_b = IsPublicStageProfile(b.json, all_b);
  if ((public_a || public_b) && (!options.filter.is_empty() || options.filter.with_pairs)) {
    return absl::InvalidArgumentError("filters need two profiles, not a public stage profile");
  }
  const auto read = [&](const DiffInput& input, bool is_public, bool other_is_public,
                        bool all_stages) -> absl::StatusOr<Side> {
    absl::StatusOr<Side> side;
    if (is_public) {
      side = PublicSideOf(input.json, input.label, options.in_ns);
    } else {
      absl::StatusOr<Profile> profile = ReadProfile(input.json);
      if (!profile.ok()) {
        side = profile.status();
      } else {
        side = other_is_public ? FoldedSideOf(*profile, input.label, all_stages)
                               : SideOf(*profile, input.label, options.filter);
      }
      if (side.ok() && options.in_ns) ConvertToNanoseconds(*side);
    }
    if (side.ok()) return side;
    if (absl::StartsWith(side.status().message(), input.label)) return side.status();
    return absl::Status(side.status().code(),
                        absl::StrCat(input.label, ": ", side.status().message()));
  };
  ASSIGN_OR_RETURN(Side side_a, read(a, public_a, public_b, all_b));
  ASSIGN_OR_RETURN(Side side_b, read(b, public_b, public_a, all_a));
  return std::pair(std::move(side_a), std::move(side_b));
}

// Differences that make a comparison meaningless unless the user allows them.
absl::Status CheckComparable(const Side& a, const Side& b, const DiffOptions& options, Diff& diff) {
  std::vector<std::string> refused;
  const auto check = [&](const char* name, const std::string& shown) {
    if (options.allow.contains(name)) {
      diff.allowed.push_back(absl::StrCat(name, ": ", shown));
    } else {
      refused.push_back(absl::StrCat(shown, " (--allow=", name, ")"));
    }
  };
  const auto texts = [&](const char* name, const char* what, const std::optional<std::string>& left,
                         const std::optional<std::string>& right) {
    if (!left || !right || *left == *right) return;
    check(name, absl::StrCat(what, " A '", *left, "', B '", *right, "'"));
  };
  texts("isa", "ISA", a.isa, b.isa);
  texts("model", "timing model", a.timing_model, b.timing_model);
  texts("machine", "machine", a.machine, b.machine);
  if (a.clock_period_ps && b.clock_period_ps && *a.clock_period_ps != *b.clock_period_ps) {
    check("clock", absl::StrCat("clock period A ", *a.clock_period_ps, " ps, B ",
                                *b.clock_period_ps, " ps"));
  }
  if (!a.complete || !b.complete) {
    check("incomplete", absl::StrCat(!a.complete && !b.complete ? "both runs are"
                                     : !a.complete              ? "run A is"
                                                                : "run B is",
                                     " incomplete"));
  }
  if (refused.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("not comparable: ", absl::StrJoin(refused, "; ")));
}

class Comparer {
 public:
  Comparer(const DiffOptions& options, Diff& diff) : options_(options), diff_(diff) {}

  // Both sides of one scope, shown under one name.
  void Compare(const std::string& name, const Scope& a, const Scope& b) {
    std::map<std::string_view, std::uint64_t> of_b;
    for (const Metric& metric : b.metrics) of_b[metric.name] = metric.value;
    std::map<std::string_view, bool> in_a;
    for (const Metric& metric : a.metrics) {
      in_a[metric.name] = true;
      const auto at = of_b.find(metric.name);
      if (at != of_b.end()) {
        AddRow(name, metric.name, metric.value, at->second);
      } else if (IsOpcode(metric.name) && b.has_opcodes) {
        AddRow(name, metric.name, metric.value, 0);
      } else {
        NotMeasured(metric.name, 'B');
      }
    }
    for (const Metric& metric : b.metrics) {
      if (in_a.contains(metric.name)) continue;
      if (IsOpcode(metric.name) && a.has_opcodes) {
        AddRow(name, metric.name, 0, metric.value);
      } else {
        NotMeasured(metric.name, 'A');
      }
    }
  }

  void CompareAll(const std::vector<Scope>& a, const std::vector<Scope>& b) {
    std::map<std::string_view, const Scope*> of_a;
    std::map<std::string_view, const Scope*> of_b;
    for (const Scope& scope : a) of_a[scope.name] = &scope;
    for (const Scope& scope : b) of_b[scope.name] = &scope;
    for (const Scope& scope : a) {
      const auto at = of_b.find(scope.name);
      if (at == of_b.end()) {
        diff_.one_sided.push_back({scope.name, 'A'});
      } else {
        Compare(scope.name, scope, *at->second);
      }
    }
    for (const Scope& scope : b) {
      if (!of_a.contains(scope.name)) diff_.one_sided.push_back({scope.name, 'B'});
    }
  }

 private:
  static bool IsOpcode(std::string_view metric) {
    const std::string_view family = FamilyOf(metric);
    return family == "opcode" || family == "opcode_instructions";
  }

  void NotMeasured(const std::string& metric, char side) {
    const std::string text = absl::StrCat(metric, ": not measured in ", std::string(1, side));
    std::vector<std::string>& list = diff_.not_compared;
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  }

  void AddRow(const std::string& scope, const std::string& metric, std::uint64_t a,
              std::uint64_t b) {
    DiffRow row{scope, metric, a, b, static_cast<std::int64_t>(b) - static_cast<std::int64_t>(a)};
    if (a > 0) {
      const auto ppm = static_cast<std::int64_t>(Scaled(a < b ? b - a : a - b, 1'000'000, a));
      row.delta_ppm = a < b ? ppm : -ppm;
    }
    std::optional<Tolerance> tolerance = ToleranceFor(options_.tolerances, metric, scope);
    if (options_.tolerances.empty()) tolerance = Tolerance{};
    row.is_judged = tolerance.has_value() && !(options_.only_regressions && b < a);
    row.is_exceeded = row.is_judged && !tolerance->Allows(a, b);
    diff_.rows.push_back(std::move(row));
  }

  const DiffOptions& options_;
  Diff& diff_;
};

absl::Status CompareStages(const Side& a, const Side& b, const std::string& x, const std::string& y,
                           Comparer& comparer, Diff& diff) {
  for (const auto& [side, name] : {std::pair(&a, &x), std::pair(&b, &y)}) {
    if (side->FindStage(*name) != nullptr) continue;
    std::vector<std::string_view> names;
    for (const Scope& scope : side->stages) names.push_back(scope.name);
    return absl::InvalidArgumentError(
        absl::StrCat(side->label, " has no stage '", *name, "'", DidYouMean(*name, names)));
  }
  comparer.Compare(x == y ? x : absl::StrCat(x, " -> ", y), *a.FindStage(x), *b.FindStage(y));
  if (absl::StartsWith(x, "shared_") != absl::StartsWith(y, "shared_")) {
    diff.caveat = std::string(stages::kSharedVersusRoutedCaveat);
  }
  return absl::OkStatus();
}

}  // namespace

std::size_t Diff::exceeded() const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const DiffRow& row) { return row.is_exceeded; }));
}

absl::StatusOr<Diff> DiffProfiles(const DiffInput& a, const DiffInput& b,
                                  const DiffOptions& options) {
  ASSIGN_OR_RETURN(const auto sides, ReadSides(a, b, options));
  Diff diff;
  diff.label_a = a.label;
  diff.label_b = b.label;
  diff.unit = options.in_ns ? "ns" : "cycles";
  RETURN_IF_ERROR(CheckComparable(sides.first, sides.second, options, diff));
  Comparer comparer(options, diff);
  if (options.stages) {
    RETURN_IF_ERROR(CompareStages(sides.first, sides.second, options.stages->first,
                                  options.stages->second, comparer, diff));
    return diff;
  }
  comparer.Compare("total", sides.first.total, sides.second.total);
  comparer.CompareAll(sides.first.stages, sides.second.stages);
  comparer.CompareAll(sides.first.pairs, sides.second.pairs);
  return diff;
}

}  // namespace moescope::profiler
