#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace moescope::profiler::test {

// One change of a profile text. `operation` is "set" (a member or array entry, added when new),
// "remove", or "swap" (the member with the one before it). `ids` are the invariants that must fail,
// separated by blanks.
struct Mutation {
  std::string_view operation;
  std::string_view pointer;  // RFC 6901
  std::string_view value;    // JSON
  std::string_view ids;
};

// Changes that the schema forbids, and changes that only the sums and rules of PV01..PV18 notice.
// All apply to test::RichProfile().
std::vector<Mutation> StructureMutations();
std::vector<Mutation> ValueMutations();

// The text after a change, with its profile_sha256 computed anew.
std::string Mutate(std::string_view text, const Mutation& mutation);

}  // namespace moescope::profiler::test
