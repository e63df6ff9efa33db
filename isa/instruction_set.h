#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction.h"

namespace moescope::isa {

// Why a word does not decode (isa.md, section 2).
enum class DecodeProblem : std::uint8_t {
  kNone,
  kUndefined,        // no row matches: illegal_instruction
  kUnusedBits,       // a nonzero unused bit, only when decoding strictly: illegal_instruction
  kReservedOperand,  // a field holds a value that is not legal there: illegal_operand
};

struct Decoded {
  DecodeProblem problem = DecodeProblem::kUndefined;
  const Instruction* instruction = nullptr;   // set unless kUndefined
  Operands operands;                          // valid unless kUndefined
  const Operand* reserved_operand = nullptr;  // the offending operand with kReservedOperand
};

// A set of instructions with its lookups. Builtin() is the table of this binary; others come from
// loaded ISA documents and own their texts.
class InstructionSet {
 public:
  static const InstructionSet& Builtin();

  // `texts` keeps alive what the rows' string views point to. Rows must not overlap.
  InstructionSet(std::vector<Instruction> rows, Version version,
                 std::deque<std::string> texts = {});
  InstructionSet(const InstructionSet&) = delete;
  InstructionSet& operator=(const InstructionSet&) = delete;

  const std::vector<Instruction>& instructions() const { return rows_; }
  Version version() const { return version_; }

  // Case-insensitive; null when unknown.
  const Instruction* Find(std::string_view mnemonic) const;
  std::size_t IndexOf(const Instruction* row) const {
    return static_cast<std::size_t>(row - rows_.data());
  }

  Decoded Decode(std::uint32_t word, bool strict = false) const;
  // A word is canonical when it decodes strictly.
  bool IsCanonical(std::uint32_t word) const;

  // One line of assembly without label or comment. A canonical word prints as its instruction, any
  // other as ".word 0xXXXXXXXX ; <reason>". asm(Text(w)) == w for every w.
  std::string Text(std::uint32_t word) const;
  // The mnemonic form even when unused bits are set; falls back to Text when that is impossible.
  std::string LenientText(std::uint32_t word) const;

 private:
  const Instruction* Match(std::uint32_t word) const;

  std::vector<Instruction> rows_;
  std::vector<FixedBits> bits_;
  std::array<std::vector<std::uint16_t>, 64>
      by_low_bits_;  // rows that a word with these low six bits can match
  Version version_;
  std::deque<std::string> texts_;
};

std::uint32_t FieldValue(const Instruction& row, char letter, std::uint32_t word);
std::uint32_t OperandValue(const Operands& operands, char letter);
void SetOperandValue(Operands& operands, char letter, std::uint32_t value);

Operands ExtractOperands(const Instruction& row, std::uint32_t word);
// The word of an instruction; unused bits are 0. Values must fit their fields (CHECK).
std::uint32_t Encode(const Instruction& row, const Operands& operands);

// "V_ADD_VV gp1, gp2, gp3, 0".
std::string FormatInstruction(const Instruction& row, const Operands& operands);

}  // namespace moescope::isa
