#include "isa/document_coverage.h"

#include <bit>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "isa/document_check.h"

namespace moescope::isa {

namespace {

constexpr std::uint32_t kOpcodeMask = 63;

// The words w with w & mask == match.
struct Cube {
  std::uint32_t mask = 0;
  std::uint32_t match = 0;

  std::uint64_t size() const { return std::uint64_t{1} << (32 - std::popcount(mask)); }
};

bool Meet(const Cube& a, const Cube& b) { return (a.mask & b.mask & (a.match ^ b.match)) == 0; }

// The words of `a` that are not in `b`, as disjoint cubes: one per bit that only `b` fixes.
void Subtract(const Cube& a, const Cube& b, std::vector<Cube>& out) {
  if (!Meet(a, b)) {
    out.push_back(a);
    return;
  }
  Cube rest = a;
  for (std::uint32_t bits = b.mask & ~a.mask; bits != 0; bits &= bits - 1) {
    const std::uint32_t bit = bits & -bits;
    out.push_back({rest.mask | bit, rest.match | (~b.match & bit)});
    rest.mask |= bit;
    rest.match |= b.match & bit;
  }
}

// The words of `cube` that none of `taken` holds.
std::uint64_t CountOutside(const Cube& cube, const std::vector<Cube>& taken) {
  std::vector<Cube> left = {cube};
  for (const Cube& other : taken) {
    std::vector<Cube> next;
    for (const Cube& piece : left) Subtract(piece, other, next);
    left = std::move(next);
  }
  std::uint64_t count = 0;
  for (const Cube& piece : left) count += piece.size();
  return count;
}

// The legal values of a field as disjoint cubes of the field: the largest aligned blocks of values.
std::vector<Cube> ValueCubes(const Operand& operand, Field field) {
  const std::uint32_t count = std::uint32_t{1} << field.width;
  // Fields wider than five bits hold immediates: all values, or all but 0.
  const auto is_legal = [&operand](std::uint32_t value) { return IsLegalValue(operand, value); };
  std::vector<Cube> cubes;
  for (std::uint32_t value = 0; value < count;) {
    if (!is_legal(value)) {
      ++value;
      continue;
    }
    std::uint32_t block = 1;
    while (value % (2 * block) == 0 && value + 2 * block <= count) {
      bool all = true;
      // The lower half of the doubled block is legal already.
      for (std::uint32_t v = value + block; all && v < value + 2 * block; ++v) all = is_legal(v);
      if (!all) break;
      block *= 2;
    }
    const std::uint32_t field_mask = (count - 1) & ~(block - 1);
    cubes.push_back({field_mask << field.shift, value << field.shift});
    value += block;
  }
  return cubes;
}

// The words that decode strictly as `row`, as disjoint cubes.
std::vector<Cube> DefinedCubes(const DocumentInstruction& row) {
  const FixedBits bits = FixedBitsOf(row.encoding);
  std::vector<Cube> cubes = {{bits.mask | bits.unused, bits.match}};
  for (const Operand& operand : row.operands) {
    if (operand.field == '\0') continue;
    std::vector<Cube> next;
    for (const Cube& values : ValueCubes(operand, FieldOf(row.encoding, operand.field))) {
      for (const Cube& cube : cubes) {
        next.push_back({cube.mask | values.mask, cube.match | values.match});
      }
    }
    cubes = std::move(next);
  }
  return cubes;
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
    const std::vector<Cube> defined = DefinedCubes(row);
    for (std::uint32_t opcode = 0; opcode < 64; ++opcode) {
      const Cube low{kOpcodeMask, opcode};
      const Cube whole{bits.mask, bits.match};
      if (!Meet(whole, low)) continue;
      const auto within = [&low](const Cube& cube) {
        return Cube{cube.mask | low.mask, cube.match | low.match};
      };
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
