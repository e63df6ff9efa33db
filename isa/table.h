#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "isa/instruction.h"
#include "isa/instructions/control.h"
#include "isa/instructions/matrix.h"
#include "isa/instructions/scalar.h"
#include "isa/instructions/vector.h"

// The built-in instruction table, in opcode order, and the proofs that it is well formed.

namespace moescope::isa {

inline constexpr std::size_t kInstructionCount =
    std::size(kMatrixInstructions) + std::size(kVectorInstructions) +
    std::size(kScalarInstructions) + std::size(kControlInstructions);

inline constexpr std::array<Instruction, kInstructionCount> kInstructions = [] {
  std::array<Instruction, kInstructionCount> table{};
  auto out = table.begin();
  out = std::copy(std::begin(kMatrixInstructions), std::end(kMatrixInstructions), out);
  out = std::copy(std::begin(kVectorInstructions), std::end(kVectorInstructions), out);
  out = std::copy(std::begin(kScalarInstructions), std::end(kScalarInstructions), out);
  std::copy(std::begin(kControlInstructions), std::end(kControlInstructions), out);
  std::sort(table.begin(), table.end(), [](const Instruction& a, const Instruction& b) {
    return (FixedBitsOf(a.encoding).match & 63) < (FixedBitsOf(b.encoding).match & 63);
  });
  return table;
}();

namespace table_checks {

constexpr bool IsEncodingCharacter(char c) {
  return std::string_view("01-dabcfi").find(c) != std::string_view::npos;
}

constexpr bool IsContiguous(std::string_view encoding, char letter) {
  const Field field = FieldOf(encoding, letter);
  return std::count(encoding.begin(), encoding.end(), letter) == field.width;
}

// 32 known characters; each letter is one contiguous field of the width its operand demands, and
// belongs to exactly one operand.
constexpr bool EncodingFits(const Instruction& row) {
  if (row.encoding.size() != 32) return false;
  if (!std::all_of(row.encoding.begin(), row.encoding.end(), IsEncodingCharacter)) return false;
  for (const char letter : std::string_view("dabcfi")) {
    if (!IsContiguous(row.encoding, letter)) return false;
    const auto owners = std::count_if(row.operands.begin(), row.operands.end(),
                                      [letter](const Operand& o) { return o.field == letter; });
    if (owners != (FieldOf(row.encoding, letter).width > 0 ? 1 : 0)) return false;
  }
  return std::all_of(row.operands.begin(), row.operands.end(), [&row](const Operand& o) {
    return (o.field == '\0' ? 0 : FieldOf(row.encoding, o.field).width) == TraitsOf(o.kind).width;
  });
}

// No word matches two rows: somewhere both fix a bit, to different values.
constexpr bool Overlap(const Instruction& a, const Instruction& b) {
  const FixedBits x = FixedBitsOf(a.encoding);
  const FixedBits y = FixedBitsOf(b.encoding);
  return (x.mask & y.mask & (x.match ^ y.match)) == 0;
}

template <typename Table>
constexpr bool AllEncodingsFit(const Table& table) {
  return std::all_of(std::begin(table), std::end(table), EncodingFits);
}

template <typename Table>
constexpr bool NoTwoRowsOverlap(const Table& table) {
  for (auto a = std::begin(table); a != std::end(table); ++a) {
    for (auto b = std::next(a); b != std::end(table); ++b) {
      if (Overlap(*a, *b)) return false;
    }
  }
  return true;
}

template <typename Table>
constexpr bool MnemonicsAreUnique(const Table& table) {
  for (auto a = std::begin(table); a != std::end(table); ++a) {
    for (auto b = std::next(a); b != std::end(table); ++b) {
      if (a->mnemonic == b->mnemonic) return false;
    }
  }
  return true;
}

template <typename Table>
constexpr bool SummariesEndWithAFullStop(const Table& table) {
  return std::all_of(std::begin(table), std::end(table),
                     [](const Instruction& row) { return row.summary.ends_with('.'); });
}

}  // namespace table_checks

static_assert(table_checks::AllEncodingsFit(kInstructions));
static_assert(table_checks::NoTwoRowsOverlap(kInstructions), "two encodings share a word");
static_assert(table_checks::MnemonicsAreUnique(kInstructions));
static_assert(table_checks::SummariesEndWithAFullStop(kInstructions));

// Index of a row in kInstructions: the identity of an instruction at run time.
using InstructionIndex = std::uint8_t;

// Op("V_TOPK") is the row index of an instruction; an unknown mnemonic does not compile.
consteval InstructionIndex Op(std::string_view mnemonic) {
  for (std::size_t i = 0; i < kInstructions.size(); ++i) {
    if (kInstructions[i].mnemonic == mnemonic) return static_cast<InstructionIndex>(i);
  }
  throw "unknown mnemonic";  // fence: reached only while compiling, and makes that an error
}

}  // namespace moescope::isa
