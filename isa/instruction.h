#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "isa/machine.h"
#include "isa/operand.h"

namespace moescope::isa {

// Key of an instruction in the timing tables: its line in timing.md 3.1 and 4.2.
enum class TimingClass : std::uint8_t {
  kMatrixMultiply,
  kBroadcastMultiply,
  kMatrixVector,
  kBroadcastVector,
  kMatrixWriteOut,
  kBroadcastWriteOut,
  kVectorWriteOut,
  kBroadcastVectorWriteOut,
  kVectorAddVector,
  kVectorAddScalar,
  kVectorMultiplyVector,
  kVectorMultiplyScalar,
  kVectorExp,
  kVectorReciprocal,
  kVectorMax,
  kVectorShift,
  kReduceSum,
  kReduceMax,
  kTopK,
  kScalarAdd,
  kScalarMultiply,
  kScalarMax,
  kScalarExp,
  kScalarReciprocal,
  kScalarSquareRoot,
  kScalarMemory,
  kMap,
  kInteger,
  kControl,
  kLoopStart,
  kLoopEnd,
  kPrefetchMatrix,
  kPrefetchVector,
  kStoreVector,
};
inline constexpr std::size_t kTimingClassCount =
    static_cast<std::size_t>(TimingClass::kStoreVector) + 1;

// Instruction groups of profile.md 1.2.
enum class Group : std::uint8_t {
  kInt,
  kSet,
  kMask,
  kPfm,
  kPfv,
  kSto,
  kMat,
  kVal,
  kVex,
  kVrd,
  kVmm,
  kTop,
  kSfp,
  kSls,
  kMap,
};
inline constexpr std::size_t kGroupCount = static_cast<std::size_t>(Group::kMap) + 1;

std::string_view GroupName(Group group);               // "INT", "SET", ...
std::string_view TimingClassName(TimingClass timing);  // "matrix_multiply", ...

struct Version {
  int major = 0;
  int minor = 0;
  friend constexpr auto operator<=>(const Version&, const Version&) = default;
};

inline constexpr Version kIsaVersion{1, 1};

// A short fixed-capacity list, so that a row is a literal type.
class OperandList {
 public:
  static constexpr std::size_t kCapacity = 6;
  constexpr OperandList() = default;
  constexpr OperandList(std::initializer_list<Operand> operands) {
    for (const Operand& operand : operands) items_[size_++] = operand;
  }
  constexpr const Operand* begin() const { return items_; }
  constexpr const Operand* end() const { return items_ + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr const Operand& operator[](std::size_t index) const { return items_[index]; }
  constexpr void push_back(const Operand& operand) { items_[size_++] = operand; }

 private:
  Operand items_[kCapacity]{};
  std::size_t size_ = 0;
};

using Execute = Step (*)(Machine&, const Operands&);

// Everything about one instruction. `encoding` is bit 31 ... bit 0: 0 and 1 are fixed bits, letters
// d a b c f i are the operand fields rd rs1 rs2 rs3 funct1 imm, '-' is an unused bit (written as 0;
// a 1 is ignored unless decoding is strict).
struct Instruction {
  std::string_view mnemonic;
  std::string_view encoding;
  OperandList operands;
  Group group;
  TimingClass timing;
  Execute execute =
      nullptr;  // null: can be assembled and checked, not executed (loaded ISA documents)
  std::string_view summary;
  Version since{1, 0};
  std::string_view semantics = {};  // id of what `execute` does; empty = the mnemonic
  int semantics_version = 1;        // raised when the meaning changes under the same id
};

constexpr std::string_view SemanticsOf(const Instruction& row) {
  return row.semantics.empty() ? row.mnemonic : row.semantics;
}

// The ISA version that brought one value of an operand, when it is younger than its instruction.
constexpr Version ValueSince(const Instruction& row, const Operand& operand, std::uint32_t value) {
  const bool is_young = operand.kind == OperandKind::kPolicy && value == 15;
  return is_young ? std::max(row.since, Version{1, 1}) : row.since;
}

// Mask and value of the fixed bits of an encoding string.
struct FixedBits {
  std::uint32_t mask = 0;
  std::uint32_t match = 0;
  std::uint32_t unused = 0;
};

constexpr FixedBits FixedBitsOf(std::string_view encoding) {
  FixedBits bits;
  for (const char c : encoding) {
    bits.mask = bits.mask << 1 | (c == '0' || c == '1' ? 1u : 0u);
    bits.match = bits.match << 1 | (c == '1' ? 1u : 0u);
    bits.unused = bits.unused << 1 | (c == '-' ? 1u : 0u);
  }
  return bits;
}

// Position of an operand field: value = word >> shift & (2^width - 1). Width 0 when absent.
struct Field {
  int shift = 0;
  int width = 0;
};

constexpr Field FieldOf(std::string_view encoding, char letter) {
  const std::size_t first = encoding.find(letter);
  if (first == std::string_view::npos) return {};
  const std::size_t last = encoding.rfind(letter);
  return {static_cast<int>(encoding.size() - 1 - last), static_cast<int>(last - first + 1)};
}

}  // namespace moescope::isa
