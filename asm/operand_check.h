#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "asm/problem.h"
#include "isa/instruction.h"

namespace moescope::assembler {

// An operand as written: a register, or the value of an expression (file kNone).
struct WrittenOperand {
  isa::RegisterFile file = isa::RegisterFile::kNone;
  std::int64_t value = 0;  // register number (saturated) or value
  Span span;
  std::string_view text;  // of a register
};

// Whether `written` may stand for operand `index` of `row`; false with `problem` set (AS005 to
// AS010) when not. `all` are the operands of the line, for hints.
bool CheckOperand(const isa::Instruction& row, std::size_t index, const WrittenOperand& written,
                  const WrittenOperand* all, Problem& problem);

// AS004 for a line with `count` operands; `statement` is the whole statement.
Problem WrongCount(const isa::Instruction& row, std::size_t count, Span statement);

}  // namespace moescope::assembler
