#pragma once

#include <cstdint>
#include <string>

#include "isa/instruction_set.h"
#include "isa/program.h"

namespace moescope::assembler {

struct DisassembleOptions {
  const isa::InstructionSet* instruction_set = &isa::InstructionSet::Builtin();
  bool markers = true;     // write the stage markers
  bool addresses = false;  // pc and word in a comment after each instruction
  bool lenient = false;    // print words with unused bits set as instructions
  std::uint32_t begin_pc = 0;
  std::uint32_t end_pc = 0xFFFFFFFF;  // half open; cut to the size of the program
};

// The program as assembly text, one line per word and per marker. Assembling the text of a whole
// program, without `lenient`, gives its words and, with `markers`, its stage table back.
std::string Disassemble(const isa::Program& program, const DisassembleOptions& options = {});

}  // namespace moescope::assembler
