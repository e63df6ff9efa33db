#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "isa/document.h"

// Arithmetic on sets of 32-bit words, so that questions about all 2^32 are answered exactly and
// without looking at each.

namespace moescope::isa {

// The words w with w & mask == match. `match` has no bit outside `mask`, so it is the smallest.
struct Cube {
  std::uint32_t mask = 0;
  std::uint32_t match = 0;

  std::uint64_t size() const { return std::uint64_t{1} << (32 - std::popcount(mask)); }
};

inline bool Meet(const Cube& a, const Cube& b) {
  return (a.mask & b.mask & (a.match ^ b.match)) == 0;
}

// The common words of two cubes that meet.
inline Cube Intersection(const Cube& a, const Cube& b) {
  return {a.mask | b.mask, a.match | b.match};
}

// Appends the words of `a` that are not in `b`, as disjoint cubes.
void Subtract(const Cube& a, const Cube& b, std::vector<Cube>& out);

// The words of `cube` that none of `taken` holds, as disjoint cubes.
std::vector<Cube> Outside(const Cube& cube, const std::vector<Cube>& taken);

// The words that match `row` and hold a legal value in every field, as disjoint cubes. `strict`:
// only those whose unused bits are 0. The encoding has no problem (EncodingProblem).
std::vector<Cube> LegalCubes(const DocumentInstruction& row, bool strict);

}  // namespace moescope::isa
