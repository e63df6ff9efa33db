#include "isa/document_coverage.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "isa/document_check.h"
#include "isa/word_cube.h"

namespace moescope::isa {

namespace {

constexpr std::uint32_t kOpcodeMask = 63;

// The words of `cube` that none of `taken` holds.
std::uint64_t CountOutside(const Cube& cube, const std::vector<Cube>& taken) {
  std::uint64_t count = 0;
  for (const Cube& piece : Outside(cube, taken)) count += piece.size();
  return count;
}

}  // namespace

std::vector<std::uint32_t> DocumentCoverage::FreeOpcodes() const {
  std::vector<std::uint32_t> free;
  for (std::uint32_t opcode = 0; opcode < 64; ++opcode) {
    if (by_opcode[opcode].unassigned == std::uint64_t{1} << 26) free.push_back(opcode);
  }
  return free;
}

std::vector<std::uint32_t> DocumentCoverage::PartlyFreeOpcodes() const {
  std::vector<std::uint32_t> partly;
  for (std::uint32_t opcode = 0; opcode < 64; ++opcode) {
    const std::uint64_t unassigned = by_opcode[opcode].unassigned;
    if (unassigned > 0 && unassigned < std::uint64_t{1} << 26) partly.push_back(opcode);
  }
  return partly;
}

DocumentCoverage CoverDocument(const Document& document) {
  DocumentCoverage coverage;
  for (WordCounts& counts : coverage.by_opcode) counts.unassigned = std::uint64_t{1} << 26;
  std::vector<DocumentInstruction> rows = document.instructions;
  SortCanonically(rows);
  // Cubes of the rows so far that can match a word with these low bits: the first match decodes.
  std::array<std::vector<Cube>, 64> taken;
  for (const DocumentInstruction& row : rows) {
    CHECK(EncodingProblem(row.encoding).empty());
    const FixedBits bits = FixedBitsOf(row.encoding);
    const std::vector<Cube> defined = LegalCubes(row, /*strict=*/true);
    for (std::uint32_t opcode = 0; opcode < 64; ++opcode) {
      const Cube low{kOpcodeMask, opcode};
      const Cube whole{bits.mask, bits.match};
      if (!Meet(whole, low)) continue;
      const auto within = [&low](const Cube& cube) { return Intersection(cube, low); };
      std::vector<Cube> before;
      for (const Cube& other : taken[opcode]) {
        if (Meet(other, whole)) before.push_back(other);
      }
      const std::uint64_t matched = CountOutside(within(whole), before);
      std::uint64_t legal = 0;
      for (const Cube& cube : defined) {
        if (Meet(cube, low)) legal += CountOutside(within(cube), before);
      }
      WordCounts& counts = coverage.by_opcode[opcode];
      counts.defined += legal;
      counts.reserved += matched - legal;
      counts.unassigned -= matched;
      taken[opcode].push_back(whole);
    }
  }
  for (const WordCounts& counts : coverage.by_opcode) {
    coverage.total.defined += counts.defined;
    coverage.total.reserved += counts.reserved;
    coverage.total.unassigned += counts.unassigned;
  }
  return coverage;
}

std::string CoverageText(const DocumentCoverage& coverage) {
  std::string text = "opcode     defined    reserved  unassigned\n";
  for (std::uint32_t opcode = 0; opcode < 64; ++opcode) {
    const WordCounts& counts = coverage.by_opcode[opcode];
    absl::StrAppend(&text, absl::StrFormat("0x%02X   %11d %11d %11d\n", opcode, counts.defined,
                                           counts.reserved, counts.unassigned));
  }
  absl::StrAppend(&text,
                  absl::StrFormat("total  %11d %11d %11d  of 4294967296\n", coverage.total.defined,
                                  coverage.total.reserved, coverage.total.unassigned));
  const auto list = [&text](const char* what, const std::vector<std::uint32_t>& opcodes) {
    absl::StrAppend(&text, what);
    if (opcodes.empty()) text += " none";
    for (const std::uint32_t opcode : opcodes) {
      absl::StrAppend(&text, absl::StrFormat(" 0x%02X", opcode));
    }
    text += '\n';
  };
  list("free opcodes:", coverage.FreeOpcodes());
  list("opcodes with free function codes:", coverage.PartlyFreeOpcodes());
  return text;
}

}  // namespace moescope::isa
