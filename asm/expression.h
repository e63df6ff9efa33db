#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "asm/lexer.h"
#include "isa/operand.h"
#include "isa/program.h"

namespace moescope::assembler {

// A name given a value by .equ or -D.
struct Symbol {
  std::int64_t value = 0;
  isa::SourcePosition defined;
};
using SymbolTable = std::map<std::string, Symbol, std::less<>>;

// A name that reads as a register: gp, f or a and a number. Such names cannot be symbols.
struct RegisterName {
  isa::RegisterFile file = isa::RegisterFile::kNone;  // kNone: not a register
  std::uint32_t index = 0;                            // saturated
  bool leading_zero = false;                          // gp01
};
RegisterName ParseRegisterName(std::string_view name);

// "gp", "f", "a"; empty for kNone.
std::string_view RegisterPrefix(isa::RegisterFile file);

// Reads one expression (isa.md, 3.1) from `lexer` and stops after it. Values are 64-bit signed;
// overflow, division by zero and shift counts outside 0..63 are problems. False with `problem` set
// when there is no value. `span` receives the part of the line that was read.
bool EvaluateExpression(Lexer& lexer, const SymbolTable& symbols, std::int64_t& value,
                        Problem& problem, Span* span = nullptr);

// What stands at `token`, for messages: "'gp1'", "the end of the line".
std::string Describe(const Lexer& lexer, const Token& token);

}  // namespace moescope::assembler
