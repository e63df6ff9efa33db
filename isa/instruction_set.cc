#include "isa/instruction_set.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/string_view.h"
#include "isa/table.h"

namespace moescope::isa {

namespace {

constexpr std::string_view kGroupNames[kGroupCount] = {"INT", "SET", "MASK", "PFM", "PFV",
                                                       "STO", "MAT", "VAL",  "VEX", "VRD",
                                                       "VMM", "TOP", "SFP",  "SLS", "MAP"};

std::string_view RegisterPrefix(RegisterFile file) {
  switch (file) {
    case RegisterFile::kGp:
      return "gp";
    case RegisterFile::kFp:
      return "f";
    case RegisterFile::kAddress:
      return "a";
    case RegisterFile::kNone:
      return "";
  }
  return "";
}

std::string RawWord(std::uint32_t word, const std::string& reason) {
  return absl::StrFormat(".word 0x%08X ; %s", word, reason);
}

bool SameName(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(Absl(a), Absl(b));
}

}  // namespace

std::string_view GroupName(Group group) { return kGroupNames[static_cast<std::size_t>(group)]; }

std::uint32_t FieldValue(const Instruction& row, char letter, std::uint32_t word) {
  const Field field = FieldOf(row.encoding, letter);
  return word >> field.shift & ((std::uint32_t{1} << field.width) - 1);
}

std::uint32_t OperandValue(const Operands& operands, char letter) {
  switch (letter) {
    case 'd':
      return operands.rd;
    case 'a':
      return operands.rs1;
    case 'b':
      return operands.rs2;
    case 'c':
      return operands.rs3;
    case 'f':
      return operands.funct1;
    case 'i':
      return operands.imm;
    default:
      return 0;
  }
}

void SetOperandValue(Operands& operands, char letter, std::uint32_t value) {
  const auto small = static_cast<std::uint8_t>(value);
  switch (letter) {
    case 'd':
      operands.rd = small;
      break;
    case 'a':
      operands.rs1 = small;
      break;
    case 'b':
      operands.rs2 = small;
      break;
    case 'c':
      operands.rs3 = small;
      break;
    case 'f':
      operands.funct1 = small;
      break;
    case 'i':
      operands.imm = value;
      break;
    default:
      break;
  }
}

Operands ExtractOperands(const Instruction& row, std::uint32_t word) {
  Operands operands;
  for (const Operand& operand : row.operands) {
    if (operand.field != '\0') {
      SetOperandValue(operands, operand.field, FieldValue(row, operand.field, word));
    }
  }
  return operands;
}

std::uint32_t Encode(const Instruction& row, const Operands& operands) {
  std::uint32_t word = FixedBitsOf(row.encoding).match;
  for (const Operand& operand : row.operands) {
    if (operand.field == '\0') continue;
    const Field field = FieldOf(row.encoding, operand.field);
    const std::uint32_t value = OperandValue(operands, operand.field);
    CHECK(value >> field.width == 0);
    word |= value << field.shift;
  }
  return word;
}

std::string FormatInstruction(const Instruction& row, const Operands& operands) {
  std::string text(row.mnemonic);
  const char* separator = " ";
  for (const Operand& operand : row.operands) {
    if (operand.presence == Presence::kPad) continue;
    const RegisterFile file = TraitsOf(operand.kind).file;
    absl::StrAppend(&text, separator, Absl(RegisterPrefix(file)),
                    OperandValue(operands, operand.field));
    separator = ", ";
  }
  return text;
}

const InstructionSet& InstructionSet::Builtin() {
  static const InstructionSet* const kBuiltin = new InstructionSet(
      std::vector<Instruction>(kInstructions.begin(), kInstructions.end()), kIsaVersion);
  return *kBuiltin;
}

InstructionSet::InstructionSet(std::vector<Instruction> rows, Version version,
                               std::deque<std::string> texts)
    : rows_(std::move(rows)), version_(version), texts_(std::move(texts)) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    bits_.push_back(FixedBitsOf(rows_[i].encoding));
    for (std::uint32_t low = 0; low < 64; ++low) {
      if (((low ^ bits_[i].match) & bits_[i].mask & 63) == 0) {
        by_low_bits_[low].push_back(static_cast<std::uint16_t>(i));
      }
    }
  }
}

const Instruction* InstructionSet::Find(std::string_view mnemonic) const {
  for (const Instruction& row : rows_) {
    if (SameName(row.mnemonic, mnemonic)) return &row;
  }
  return nullptr;
}

const Instruction* InstructionSet::Match(std::uint32_t word) const {
  for (const std::uint16_t i : by_low_bits_[word & 63]) {
    if (((word ^ bits_[i].match) & bits_[i].mask) == 0) return &rows_[i];
  }
  return nullptr;
}

Decoded InstructionSet::Decode(std::uint32_t word, bool strict) const {
  Decoded decoded;
  decoded.instruction = Match(word);
  if (decoded.instruction == nullptr) return decoded;
  decoded.operands = ExtractOperands(*decoded.instruction, word);
  decoded.problem = DecodeProblem::kNone;
  if (strict && (word & bits_[IndexOf(decoded.instruction)].unused) != 0) {
    decoded.problem = DecodeProblem::kUnusedBits;
    return decoded;
  }
  for (const Operand& operand : decoded.instruction->operands) {
    if (operand.field == '\0') continue;
    if (IsLegalValue(operand, OperandValue(decoded.operands, operand.field))) continue;
    decoded.problem = DecodeProblem::kReservedOperand;
    decoded.reserved_operand = &operand;
    break;
  }
  return decoded;
}

bool InstructionSet::IsCanonical(std::uint32_t word) const {
  return Decode(word, /*strict=*/true).problem == DecodeProblem::kNone;
}

std::string InstructionSet::Text(std::uint32_t word) const {
  const Decoded decoded = Decode(word, /*strict=*/true);
  switch (decoded.problem) {
    case DecodeProblem::kNone:
      return FormatInstruction(*decoded.instruction, decoded.operands);
    case DecodeProblem::kUndefined:
      return RawWord(word, "undefined");
    case DecodeProblem::kUnusedBits:
      return RawWord(
          word, FormatInstruction(*decoded.instruction, decoded.operands) + " (unused bits set)");
    case DecodeProblem::kReservedOperand:
      return RawWord(word,
                     absl::StrCat(Absl(decoded.instruction->mnemonic), " with reserved ",
                                  Absl(TraitsOf(decoded.reserved_operand->kind).name), " ",
                                  OperandValue(decoded.operands, decoded.reserved_operand->field)));
  }
  return RawWord(word, "undefined");
}

std::string InstructionSet::LenientText(std::uint32_t word) const {
  const Decoded decoded = Decode(word);
  if (decoded.problem != DecodeProblem::kNone) return Text(word);
  return FormatInstruction(*decoded.instruction, decoded.operands);
}

}  // namespace moescope::isa
