#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "asm/expression.h"
#include "asm/lexer.h"
#include "isa/instruction_set.h"

namespace moescope::assembler {

// What the checks of a whole program want to know about an instruction.
enum class InstructionRole : std::uint8_t { kOther, kLoopStart, kLoopEnd, kBreak, kLoadUpper };

// One instruction as the assembler uses it: its row and what Parse looks up for every line.
struct InstructionForm {
  const isa::Instruction* row = nullptr;
  InstructionRole role = InstructionRole::kOther;
  std::uint32_t match = 0;
  std::array<int, isa::OperandList::kCapacity> shifts{};  // of the operand's field; -1 = none
  std::size_t fewest = 0;                                 // operands that must be written
};

struct ParsedInstruction {
  std::uint32_t word = 0;
  isa::Operands operands;
  // What was written for each operand of the row; length 0 when it was left out.
  std::array<Span, isa::OperandList::kCapacity> spans{};
};

// Turns the operands of one line into a word; the accepted forms follow from the rows of the
// instruction set, which must outlive the parser.
class InstructionParser {
 public:
  explicit InstructionParser(const isa::InstructionSet& set);

  // Case-insensitive; null when unknown.
  const InstructionForm* Find(std::string_view mnemonic) const;
  const InstructionForm& FormOf(const isa::Instruction* row) const {
    return forms_[set_.IndexOf(row)];
  }

  // Reads the operands that follow a mnemonic up to the end of the line. False with `problem` set
  // on the first error: syntax, then number of operands, then each operand from left to right.
  bool Parse(const InstructionForm& form, Lexer& lexer, const SymbolTable& symbols,
             ParsedInstruction& parsed, Problem& problem) const;

  // The problem of a mnemonic that Find does not know (AS001 or AS002). `also_known` gives further
  // names that can start a statement.
  Problem UnknownMnemonic(std::string_view name, Span span,
                          const std::function<std::vector<std::string_view>()>& also_known) const;

 private:
  const isa::InstructionSet& set_;
  std::vector<InstructionForm> forms_;
  absl::flat_hash_map<std::string, std::size_t> by_name_;  // upper case
};

}  // namespace moescope::assembler
