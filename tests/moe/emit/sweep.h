#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/moe/emit/run_layer.h"

// The covering set of layers over which every program is compared with its twin. The product of
// presets, widths, tokens, workloads, formats, shared experts and lowering options is far too large
// to run, so the set is the sum of
//   * every preset x every value of every lowering option, and both named lowerings;
//   * every preset x every width x 1, 2 and 8 tokens, with and without a split of K;
//   * every workload x 1, 2 and 8 tokens x both kinds of reuse, for three presets;
//   * every preset x every weight format x every shared expert x both orientations;
//   * seeded random points of the whole product.

namespace moescope::moe {

// One point of the product.
struct Variant {
  std::string preset;
  int hidden = 128;
  int intermediate = 128;
  std::int64_t tokens = 1;
  std::string workload;  // empty: the program routes; "replay" reads a route trace
  WeightFormat format = WeightFormat::kMxfp8B8;
  std::string shared = "preset";     // or none, 128, 128+gate
  std::string lowering = "public";   // or tuned
  std::vector<OptionValue> options;  // over the lowering, in this order
  std::uint64_t seed = 1;
};

std::string NameOf(const Variant& variant);
LayerCase CaseOf(const Variant& variant);
// The id of the refusal that the combination deserves, from the text of moe.md alone.
std::optional<std::string> RefusalOf(const Variant& variant);

std::vector<Variant> OptionSweep();
std::vector<Variant> WidthSweep();
std::vector<Variant> WorkloadSweep();
std::vector<Variant> FormatSweep();
std::vector<Variant> RandomSweep(std::size_t count, std::uint64_t seed);
// Every preset, option value, format, workload and shared expert at least once.
std::vector<Variant> QuickSweep();

struct SweepCounts {
  std::size_t equal = 0;
  std::size_t refused = 0;
};

// Compiles and runs every variant, compares every output with the twin bit for bit, and lints the
// text: nothing above a note. A combination that cannot be expressed must be refused with its id.
// Prints the counts.
SweepCounts RunSweep(std::string_view name, const std::vector<Variant>& variants);

// The findings above a note of a program's text, rendered. Loads of x and stores of y lie outside
// all stages (moe.md, 15.1); in a program without any routed row they are most of what is left, so
// `idle` lifts the limit on the share of such instructions.
std::string FindingsAboveNote(const std::string& text, bool idle = false);

}  // namespace moescope::moe
