#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "asm/registers.h"
#include "base/check.h"
#include "isa/table.h"

// What Builder::Writer::Emit needs to check operands against an instruction row while compiling.

namespace moescope::assembler {

// A mnemonic as a template argument.
template <std::size_t kSize>
struct MnemonicText {
  char text[kSize]{};

  constexpr MnemonicText(const char (&literal)[kSize]) {  // NOLINT: written as a literal
    std::copy_n(literal, kSize, text);
  }
  constexpr std::string_view view() const { return {text, kSize - 1}; }
};

// The row of a mnemonic, or isa::kInstructionCount. (clang 14 rejects the consteval isa::Op with a
// template argument.)
constexpr std::size_t IndexOfMnemonic(std::string_view mnemonic) {
  std::size_t index = 0;
  while (index < isa::kInstructionCount && isa::kInstructions[index].mnemonic != mnemonic) ++index;
  return index;
}

// An operand of any class: a register, a lent register, or a value.
struct AnyOperand {
  isa::RegisterFile file = isa::RegisterFile::kNone;
  std::uint64_t value = 0;

  constexpr AnyOperand(Gp gp) : file(Gp::kFile), value(gp.index()) {}     // NOLINT
  constexpr AnyOperand(Fp fp) : file(Fp::kFile), value(fp.index()) {}     // NOLINT
  constexpr AnyOperand(Ar ar) : file(Ar::kFile), value(ar.index()) {}     // NOLINT
  AnyOperand(const RegisterPool<Gp>::Loan& gp) : AnyOperand(gp.get()) {}  // NOLINT
  AnyOperand(const RegisterPool<Fp>::Loan& fp) : AnyOperand(fp.get()) {}  // NOLINT
  AnyOperand(const RegisterPool<Ar>::Loan& ar) : AnyOperand(ar.get()) {}  // NOLINT
  template <std::integral Integer>
  constexpr AnyOperand(Integer number)  // NOLINT
      : value(static_cast<std::uint64_t>(number)) {
    if constexpr (std::is_signed_v<Integer>) CHECK(number >= 0);
  }
};

// The register file that an argument type stands for; kNone for values.
template <typename T>
constexpr isa::RegisterFile RegisterFileOfType() {
  if constexpr (std::convertible_to<T, Gp>) {
    return Gp::kFile;
  } else if constexpr (std::convertible_to<T, Fp>) {
    return Fp::kFile;
  } else if constexpr (std::convertible_to<T, Ar>) {
    return Ar::kFile;
  } else {
    static_assert(std::integral<T>, "an operand is a register or a number");
    return isa::RegisterFile::kNone;
  }
}

struct OperandCounts {
  std::size_t fewest = 0;
  std::size_t most = 0;
};

// How many encoded operands an instruction takes.
constexpr OperandCounts CountsOf(const isa::Instruction& row) {
  OperandCounts counts;
  for (const isa::Operand& operand : row.operands) {
    if (operand.field == '\0') continue;
    ++counts.most;
    if (operand.presence == isa::Presence::kRequired) ++counts.fewest;
  }
  return counts;
}

constexpr bool OperandCountFits(std::size_t op, std::size_t count) {
  const OperandCounts counts = CountsOf(isa::kInstructions[op]);
  return count >= counts.fewest && count <= counts.most;
}

template <typename... Types>
constexpr bool OperandKindsFit(std::size_t op) {
  constexpr std::size_t kCount = sizeof...(Types);
  const isa::RegisterFile files[kCount + 1] = {RegisterFileOfType<Types>()...};
  std::size_t next = 0;
  for (const isa::Operand& operand : isa::kInstructions[op].operands) {
    if (operand.field == '\0' || next == kCount) continue;
    if (isa::TraitsOf(operand.kind).file != files[next++]) return false;
  }
  return true;
}

}  // namespace moescope::assembler
