#include "emulator/fault_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/string_view.h"

namespace moescope::emulator {

namespace {

// A word of a known opcode that still matches no row differs in a field that the row fixes.
FaultText Undefined(std::uint32_t word, const isa::InstructionSet& set) {
  constexpr std::uint32_t kOpcode = 63;
  for (const isa::Instruction& row : set.instructions()) {
    const isa::FixedBits bits = isa::FixedBitsOf(row.encoding);
    if ((bits.mask & kOpcode) != kOpcode || ((word ^ bits.match) & kOpcode) != 0) continue;
    return {fault::kFixedFieldNotZero,
            absl::StrFormat("word 0x%08X: %s with bits 0x%08X, which must be 0x%08X", word,
                            std::string(row.mnemonic), word & bits.mask, bits.match),
            {}};
  }
  return {fault::kUndefinedWord,
          absl::StrFormat("word 0x%08X: opcode 0x%02X is not an instruction", word, word & kOpcode),
          {}};
}

// "0, 1 and 15".
std::string ListOf(std::uint32_t values) {
  std::string list;
  for (std::uint32_t v = 0; v < 32; ++v) {
    if ((values >> v & 1) == 0) continue;
    const bool is_last = values >> v == 1;
    absl::StrAppend(&list, list.empty() ? "" : is_last ? " and " : ", ", v);
  }
  return list;
}

FaultText ReservedOperand(const isa::Decoded& decoded) {
  const isa::Operand& operand = *decoded.reserved_operand;
  const isa::OperandTraits traits = isa::TraitsOf(operand.kind);
  const std::uint32_t value = isa::OperandValue(decoded.operands, operand.field);
  const std::string name(decoded.instruction->mnemonic);
  switch (operand.kind) {
    case isa::OperandKind::kLoopRegister:
      return {fault::kLoopOnZeroRegister, name + " on gp0, which always reads 0", {}};
    case isa::OperandKind::kLoopCount:
      return {fault::kLoopCountZero, name + " with count 0; a loop runs at least once", {}};
    case isa::OperandKind::kPolicy:
      return {fault::kReservedValue,
              absl::StrFormat("%s with policy %d; policies are %s", name, value,
                              ListOf(isa::LegalValues(operand))),
              {}};
    default:
      break;
  }
  if (traits.file == isa::RegisterFile::kNone) {
    return {fault::kReservedValue,
            absl::StrFormat("%s with %s %d; the largest is %d", name, std::string(traits.name),
                            value, traits.largest),
            {}};
  }
  return {fault::kRegisterIndex,
          absl::StrFormat("%s names %s %d; the largest is %d", name, std::string(traits.name),
                          value, traits.largest),
          {}};
}

std::pair<std::string, std::string> RegisterValue(isa::RegisterFile file, std::uint32_t index,
                                                  const Registers& registers) {
  switch (file) {
    case isa::RegisterFile::kGp:
      return {absl::StrCat("gp", index), absl::StrFormat("0x%08X", registers.gp[index])};
    case isa::RegisterFile::kFp:
      return {absl::StrCat("f", index), absl::StrFormat("0x%04X", registers.fp[index])};
    default:
      return {absl::StrCat("a", index), absl::StrFormat("0x%016X", registers.address[index])};
  }
}

}  // namespace

FaultText ExplainUndecodable(std::uint32_t word, const isa::InstructionSet& set, bool strict) {
  const isa::Decoded decoded = set.Decode(word, strict);
  switch (decoded.problem) {
    case isa::DecodeProblem::kUndefined:
      return Undefined(word, set);
    case isa::DecodeProblem::kUnusedBits:
      return {fault::kUnusedBitsSet,
              absl::StrFormat("word 0x%08X: %s with unused bits set", word,
                              std::string(decoded.instruction->mnemonic)),
              "the machine decodes strictly (strict_encoding)"};
    case isa::DecodeProblem::kReservedOperand:
      return ReservedOperand(decoded);
    case isa::DecodeProblem::kNone:
      break;
  }
  return {fault::kNoSemantics,
          absl::StrCat(Absl(decoded.instruction->mnemonic),
                       " can be assembled but has no semantics in this build"),
          {}};
}

Fault MakeFault(const FaultText& text, std::uint32_t pc, const isa::Program& program,
                const isa::InstructionSet& set, const MachineState& state) {
  Fault fault;
  fault.category = text.kind.category;
  fault.id = std::string(text.kind.id);
  fault.text = text.text;
  fault.hint = text.hint;
  fault.pc = pc;
  fault.word = program.words[pc];
  fault.disassembly = set.LenientText(fault.word);
  fault.place = program.PlaceOf(pc);
  const isa::Decoded decoded = set.Decode(fault.word);
  if (decoded.problem == isa::DecodeProblem::kNone) {
    for (const isa::Operand& operand : decoded.instruction->operands) {
      const isa::OperandTraits traits = isa::TraitsOf(operand.kind);
      if (operand.field == '\0' || !traits.reads) continue;
      fault.operands.push_back(RegisterValue(
          traits.file, isa::OperandValue(decoded.operands, operand.field), state.registers));
    }
  }
  for (const OpenLoop& loop : state.loops) fault.open_loops.emplace_back(loop.start_pc, loop.reg);
  return fault;
}

}  // namespace moescope::emulator
