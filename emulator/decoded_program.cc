#include "emulator/decoded_program.h"

namespace moescope::emulator {

namespace {

// Matrix operations and transfers do the work of thousands of scalar instructions.
std::uint32_t Weight(const isa::Instruction& instruction) {
  switch (instruction.timing) {
    case isa::TimingClass::kBroadcastMultiply:
    case isa::TimingClass::kBroadcastWriteOut:
      return 1u << 16;
    case isa::TimingClass::kMatrixMultiply:
    case isa::TimingClass::kBroadcastVector:
    case isa::TimingClass::kPrefetchMatrix:
      return 64;
    default:
      return 1;
  }
}

}  // namespace

std::vector<DecodedWord> DecodeProgram(const isa::Program& program, const isa::InstructionSet& set,
                                       bool strict) {
  std::vector<DecodedWord> words;
  words.reserve(program.words.size());
  for (const std::uint32_t word : program.words) {
    DecodedWord& out = words.emplace_back();
    const isa::Decoded decoded = set.Decode(word, strict);
    out.instruction = decoded.instruction;
    if (decoded.problem != isa::DecodeProblem::kNone) continue;
    out.execute = decoded.instruction->execute;
    out.operands = decoded.operands;
    out.weight = Weight(*decoded.instruction);
  }
  return words;
}

}  // namespace moescope::emulator
