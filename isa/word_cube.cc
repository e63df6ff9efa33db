#include "isa/word_cube.h"

#include <utility>

namespace moescope::isa {

namespace {

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
      // The lower half of the doubled block is legal already. The legal values of a wide field
      // have no gap, so its ends speak for the upper half.
      const bool is_wide = field.width > 5;
      bool all = is_legal(value + 2 * block - 1);
      for (std::uint32_t v = value + block; all && !is_wide && v < value + 2 * block; ++v) {
        all = is_legal(v);
      }
      if (!all) break;
      block *= 2;
    }
    const std::uint32_t field_mask = (count - 1) & ~(block - 1);
    cubes.push_back({field_mask << field.shift, value << field.shift});
    value += block;
  }
  return cubes;
}

}  // namespace

// One cube per bit that only `b` fixes.
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

std::vector<Cube> Outside(const Cube& cube, const std::vector<Cube>& taken) {
  std::vector<Cube> left = {cube};
  for (const Cube& other : taken) {
    std::vector<Cube> next;
    for (const Cube& piece : left) Subtract(piece, other, next);
    left = std::move(next);
  }
  return left;
}

std::vector<Cube> LegalCubes(const DocumentInstruction& row, bool strict) {
  const FixedBits bits = FixedBitsOf(row.encoding);
  std::vector<Cube> cubes = {{strict ? bits.mask | bits.unused : bits.mask, bits.match}};
  for (const Operand& operand : row.operands) {
    if (operand.field == '\0') continue;
    std::vector<Cube> next;
    for (const Cube& values : ValueCubes(operand, FieldOf(row.encoding, operand.field))) {
      for (const Cube& cube : cubes) next.push_back(Intersection(cube, values));
    }
    cubes = std::move(next);
  }
  return cubes;
}

}  // namespace moescope::isa
