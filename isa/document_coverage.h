#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/document.h"

namespace moescope::isa {

// Counts of 32-bit words. `defined` decode strictly; `reserved` match an instruction but have an
// unused bit set or a reserved operand value; the rest are `unassigned`.
struct WordCounts {
  std::uint64_t defined = 0;
  std::uint64_t reserved = 0;
  std::uint64_t unassigned = 0;

  friend bool operator==(const WordCounts&, const WordCounts&) = default;
};

struct DocumentCoverage {
  WordCounts total;                      // sums to 2^32
  std::array<WordCounts, 64> by_opcode;  // of the low six bits; each sums to 2^26

  // Opcodes without any instruction, and those in which some words are unassigned.
  std::vector<std::uint32_t> FreeOpcodes() const;
  std::vector<std::uint32_t> PartlyFreeOpcodes() const;
};

// Exact counts by arithmetic on cubes (sets of words that fix some bits), nothing is sampled. The
// document has no error that CheckDocument finds (CHECK on malformed encodings).
DocumentCoverage CoverDocument(const Document& document);

std::string CoverageText(const DocumentCoverage& coverage);

}  // namespace moescope::isa
