#include "asm/operand_check.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "asm/expression.h"
#include "base/string_view.h"
#include "isa/instruction_set.h"

namespace moescope::assembler {

namespace {

using isa::OperandKind;
using isa::RegisterFile;

bool Fail(std::string_view id, std::string message, const WrittenOperand& written,
          Problem& problem) {
  problem = {id, std::move(message), written.span, {}};
  return false;
}

std::string Written(const WrittenOperand& written) {
  return written.file == RegisterFile::kNone ? absl::StrCat(written.value)
                                             : std::string(written.text);
}

bool CheckPlaceholder(const isa::Operand& operand, const WrittenOperand& written,
                      Problem& problem) {
  if (written.value == 0) {
    if (written.file == RegisterFile::kNone) return true;
    if (written.file == RegisterFile::kGp && operand.accepts_zero) return true;
  }
  return Fail("AS006",
              absl::StrCat("placeholder must be 0", operand.accepts_zero ? " or gp0" : "", ", not ",
                           Written(written)),
              written, problem);
}

bool CheckRegister(const isa::Instruction& row, std::size_t index, const WrittenOperand& written,
                   Problem& problem) {
  const isa::Operand& operand = row.operands[index];
  const isa::OperandTraits traits = isa::TraitsOf(operand.kind);
  if (written.file == RegisterFile::kNone && operand.accepts_zero && written.value == 0) {
    return true;
  }
  if (written.file != traits.file) {
    return Fail("AS005",
                absl::StrCat("operand ", index + 1, " of ", Absl(row.mnemonic), " must be ",
                             traits.file == RegisterFile::kGp ? "a " : "an ", Absl(traits.name),
                             operand.accepts_zero ? " or 0" : "", ", not ", Written(written)),
                written, problem);
  }
  const std::string_view prefix = RegisterPrefix(written.file);
  if (written.value > traits.largest) {
    return Fail("AS007",
                absl::StrCat("register ", Written(written), " does not exist (", Absl(prefix),
                             "0..", Absl(prefix), traits.largest, ")"),
                written, problem);
  }
  if (operand.kind == OperandKind::kLoopRegister && written.value == 0) {
    return Fail("AS010", "gp0 cannot count a loop; use gp1..gp15", written, problem);
  }
  return true;
}

// What to write instead of an immediate that is too large.
void SuggestSplit(const isa::Instruction& row, const WrittenOperand& written,
                  const WrittenOperand* all, Problem& problem) {
  if (row.mnemonic != "S_ADDI_INT" || written.value > 0xFFFFFFFF) return;
  const std::int64_t value = written.value;
  const std::string destination = Written(all[0]);
  if (all[1].value == 0) {
    problem.hints.push_back(absl::StrCat("split it: S_LUI_INT ", destination, ", hi(", value,
                                         ") then S_ADDI_INT ", destination, ", ", destination,
                                         ", lo(", value, ")"));
  } else {
    problem.hints.push_back(
        absl::StrCat("load it into a free register with S_LUI_INT and S_ADDI_INT, then S_ADD_INT ",
                     destination, ", ", Written(all[1]), ", <that register>"));
  }
}

bool OutOfRange(const isa::Instruction& row, std::size_t index, const WrittenOperand& written,
                const WrittenOperand* all, Problem& problem) {
  const OperandKind kind = row.operands[index].kind;
  const isa::OperandTraits traits = isa::TraitsOf(kind);
  if (kind == OperandKind::kMask) {
    return Fail("AS008", absl::StrCat("mask ", written.value, " is out of range (0..15)"), written,
                problem);
  }
  const char* what = kind == OperandKind::kLoopCount ? "loop count " : "immediate ";
  const char* lowest = kind == OperandKind::kLoopCount ? "1" : "0";
  const std::string range = absl::StrCat(" (range ", lowest, "..", traits.largest, ")");
  if (written.value < 0) {
    Fail("AS009", absl::StrCat(what, written.value, " is negative", range), written, problem);
    if (row.mnemonic == "S_ADDI_INT") {
      problem.hints.push_back(absl::StrCat("load ", 0 - static_cast<std::uint64_t>(written.value),
                                           " into a register and subtract it with S_SUB_INT"));
    }
    return false;
  }
  if (written.value == 0)
    return Fail("AS010", "loop count 0 is reserved; a loop runs at least once", written, problem);
  Fail("AS008",
       absl::StrCat(what, written.value, " does not fit in ", traits.width, " bits", range),
       written, problem);
  SuggestSplit(row, written, all, problem);
  return false;
}

std::string ListOf(std::uint32_t values) {
  std::string list;
  for (std::uint32_t v = 0; v < 32; ++v) {
    if ((values >> v & 1) != 0) absl::StrAppend(&list, list.empty() ? "" : ", ", v);
  }
  return list;
}

// "; V_TOPK policy 15 exists since 1.1" when the built-in set knows the value that an older one
// does not.
std::string WhenItCame(const isa::Instruction& row, const isa::Operand& operand,
                       std::int64_t value) {
  const isa::Instruction* builtin = isa::InstructionSet::Builtin().Find(row.mnemonic);
  if (builtin == nullptr || value < 0 || value > 15) return "";
  const auto small = static_cast<std::uint32_t>(value);
  for (const isa::Operand& known : builtin->operands) {
    if (known.kind != operand.kind || !isa::IsLegalValue(known, small)) continue;
    const isa::Version since = isa::ValueSince(*builtin, known, small);
    return absl::StrCat("; ", Absl(row.mnemonic), " ", Absl(isa::TraitsOf(operand.kind).name), " ",
                        value, " exists since ", since.major, ".", since.minor);
  }
  return "";
}

bool CheckValue(const isa::Instruction& row, std::size_t index, const WrittenOperand& written,
                const WrittenOperand* all, Problem& problem) {
  const isa::Operand& operand = row.operands[index];
  const isa::OperandTraits traits = isa::TraitsOf(operand.kind);
  if (written.file != RegisterFile::kNone) {
    return Fail("AS005",
                absl::StrCat("operand ", index + 1, " of ", Absl(row.mnemonic), " is the ",
                             Absl(traits.name), " and cannot be register ", Written(written)),
                written, problem);
  }
  const bool fits = written.value >= 0 && written.value <= traits.largest &&
                    isa::IsLegalValue(operand, static_cast<std::uint32_t>(written.value));
  if (fits) return true;
  if (!isa::IsEnumerated(operand.kind)) return OutOfRange(row, index, written, all, problem);
  return Fail("AS010",
              absl::StrCat(Absl(traits.name), " ", written.value,
                           " is reserved; legal: ", ListOf(isa::LegalValues(operand)),
                           WhenItCame(row, operand, written.value)),
              written, problem);
}

}  // namespace

bool CheckOperand(const isa::Instruction& row, std::size_t index, const WrittenOperand& written,
                  const WrittenOperand* all, Problem& problem) {
  const isa::Operand& operand = row.operands[index];
  if (operand.kind == OperandKind::kPlaceholder) {
    return CheckPlaceholder(operand, written, problem);
  }
  if (isa::TraitsOf(operand.kind).file != RegisterFile::kNone) {
    return CheckRegister(row, index, written, problem);
  }
  return CheckValue(row, index, written, all, problem);
}

Problem WrongCount(const isa::Instruction& row, std::size_t count, Span statement) {
  std::size_t fewest = 0;
  for (const isa::Operand& operand : row.operands) {
    fewest += operand.presence == isa::Presence::kRequired;
  }
  const std::size_t most = row.operands.size();
  std::string takes = absl::StrCat(fewest);
  if (most > fewest) absl::StrAppend(&takes, fewest + 1 == most ? " or " : " to ", most);
  return {"AS004",
          absl::StrCat(Absl(row.mnemonic), " takes ", takes,
                       most == 1 ? " operand, not " : " operands, not ", count),
          statement,
          {}};
}

}  // namespace moescope::assembler
