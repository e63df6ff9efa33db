#include "isa/reference.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "base/string_view.h"
#include "isa/names.h"
#include "isa/serial_cost_text.h"

namespace moescope::isa {

namespace {

std::string_view RegisterName(RegisterFile file) {
  switch (file) {
    case RegisterFile::kGp:
      return "gp";
    case RegisterFile::kFp:
      return "f";
    case RegisterFile::kAddress:
      return "a";
    case RegisterFile::kNone:
      break;
  }
  return "";
}

std::string OperandSyntax(const Operand& operand) {
  if (operand.kind == OperandKind::kPlaceholder) return "0";
  const OperandTraits traits = TraitsOf(operand.kind);
  if (traits.file != RegisterFile::kNone) {
    return absl::StrCat(Absl(RegisterName(traits.file)), operand.accepts_zero ? "|0" : "");
  }
  switch (operand.kind) {
    case OperandKind::kImmediate18:
      return "imm18";
    case OperandKind::kImmediate22:
    case OperandKind::kLoopCount:
      return "imm22";
    default:
      return std::string(traits.name);
  }
}

std::string ValuesText(const Operand& operand) {
  const OperandTraits traits = TraitsOf(operand.kind);
  if (IsEnumerated(operand.kind)) {
    std::string text;
    for (std::uint32_t v = 0; v < 16; ++v) {
      if ((LegalValues(operand) >> v & 1) != 0) absl::StrAppend(&text, text.empty() ? "" : ", ", v);
    }
    return text;
  }
  const std::string_view prefix = RegisterName(traits.file);
  const int lowest = IsLegalValue(operand.kind, 0) ? 0 : 1;
  return absl::StrCat(Absl(prefix), lowest, "..", Absl(prefix), traits.largest);
}

std::string AccessText(OperandKind kind) {
  switch (kind) {
    case OperandKind::kVectorSource:
      return "VRAM address, its memory is read";
    case OperandKind::kVectorDestination:
      return "VRAM address, its memory is written";
    case OperandKind::kMatrixSource:
      return "MRAM address, its memory is read";
    case OperandKind::kMatrixDestination:
      return "MRAM address, its memory is written";
    default:
      break;
  }
  const OperandTraits traits = TraitsOf(kind);
  if (traits.reads && traits.writes) return "register, read and written";
  if (traits.reads) return "register, read";
  if (traits.writes) return "register, written";
  return std::string(traits.name);
}

void AppendOperands(std::string& out, const DocumentInstruction& row) {
  absl::StrAppend(&out, "\n**Operands**\n\n");
  if (row.operands.empty()) absl::StrAppend(&out, "None.\n");
  for (const Operand& operand : row.operands) {
    if (operand.kind == OperandKind::kPlaceholder) {
      const bool is_pad = operand.presence == Presence::kPad;
      absl::StrAppend(&out, "* A literal 0", operand.accepts_zero ? " or gp0" : "",
                      is_pad ? ", which may be left out" : "", "; not encoded.\n");
      continue;
    }
    const Field field = FieldOf(row.encoding, operand.field);
    absl::StrAppend(
        &out, "* `", Absl(FieldName(operand.field)), "`, bits ", field.shift + field.width - 1, ":",
        field.shift, ": ", AccessText(operand.kind), "; ", ValuesText(operand),
        operand.presence == Presence::kOptional ? "; may be left out and is then 0" : "",
        operand.accepts_zero ? "; 0 may be written for gp0" : "", ".\n");
  }
}

// The operand values that are younger than the instruction.
std::string YoungValues(const DocumentInstruction& row) {
  std::string text;
  const Instruction* known = InstructionSet::Builtin().Find(row.mnemonic);
  if (known == nullptr) return text;
  for (const Operand& operand : row.operands) {
    for (std::uint32_t v = 0; IsEnumerated(operand.kind) && v < 16; ++v) {
      const Version since = ValueSince(*known, operand, v);
      if ((LegalValues(operand) >> v & 1) == 0 || since <= row.since) continue;
      absl::StrAppend(
          &text, " ", absl::AsciiStrToUpper(Absl(TraitsOf(operand.kind).name).substr(0, 1)),
          Absl(TraitsOf(operand.kind).name).substr(1), " ", v, " since ", VersionText(since), ".");
    }
  }
  return text;
}

void AppendInstruction(std::string& out, const DocumentInstruction& row) {
  const FixedBits bits = FixedBitsOf(row.encoding);
  absl::StrAppend(&out, "\n## ", row.mnemonic, "\n\n**Syntax** `", SyntaxOf(row), "`\n\n",
                  "**Encoding** `", row.encoding, "`",
                  absl::StrFormat(" (opcode 0x%02X)\n", bits.match & 63));
  AppendOperands(out, row);
  absl::StrAppend(&out, "\n**Effect** ", row.summary, "\n\n**Timing** class `",
                  Absl(TimingClassName(row.timing)), "`, group ", Absl(GroupName(row.group)),
                  "; cost in `serial`: ", Absl(SerialCostText(row.timing)), ".\n\n**Since** ",
                  VersionText(row.since), ".", YoungValues(row), "\n");
  for (const DeclaredOverlap& overlap : row.overlaps) {
    absl::StrAppend(&out, "\nShares words with ", overlap.with, ": ", overlap.reason, "\n");
  }
}

bool IsFollowedByRequired(const DocumentInstruction& row, std::size_t index) {
  return std::any_of(
      row.operands.begin() + static_cast<std::ptrdiff_t>(index), row.operands.end(),
      [](const Operand& operand) { return operand.presence == Presence::kRequired; });
}

// A text in a cell of a Markdown table.
std::string Cell(const std::string& text) { return absl::StrReplaceAll(text, {{"|", "\\|"}}); }

}  // namespace

std::string SyntaxOf(const DocumentInstruction& row) {
  std::string text = row.mnemonic;
  std::string tail;
  const char* separator = " ";
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    const Operand& operand = row.operands[i];
    if (operand.presence == Presence::kRequired) {
      absl::StrAppend(&text, separator, OperandSyntax(operand));
    } else if (IsFollowedByRequired(row, i)) {
      absl::StrAppend(&text, separator, "[", OperandSyntax(operand), ", ]");
      separator = "";
      continue;
    } else {
      absl::StrAppend(&text, "[", separator, OperandSyntax(operand));
      tail += ']';
    }
    separator = ", ";
  }
  return text + tail;
}

std::string ReferenceMarkdown(const Document& document) {
  std::vector<DocumentInstruction> rows = document.instructions;
  SortCanonically(rows);
  std::string out = absl::StrCat(
      "# Instruction set ", VersionText(document.version),
      "\n\nOne 32-bit word per instruction. Encodings are written from bit 31 to bit 0: 0 and 1 "
      "are "
      "fixed bits, `-` an unused bit\n(written as 0; ignored unless decoding is strict), letters "
      "the bits of a field: `d` rd, `a` rs1, `b` rs2, `c` rs3,\n`f` funct1, `i` imm.\n\n"
      "| opcode | instruction | encoding | group |\n|---|---|---|---|\n");
  for (const DocumentInstruction& row : rows) {
    absl::StrAppend(&out, absl::StrFormat("| 0x%02X | ", FixedBitsOf(row.encoding).match & 63), "`",
                    Cell(SyntaxOf(row)), "` | `", row.encoding, "` | ", Absl(GroupName(row.group)),
                    " |\n");
  }
  for (const DocumentInstruction& row : rows) AppendInstruction(out, row);
  return out;
}

}  // namespace moescope::isa
