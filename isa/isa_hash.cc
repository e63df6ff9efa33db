#include "isa/isa_hash.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/string_view.h"

namespace moescope::isa {

namespace {

const char* PresenceText(Presence presence) {
  switch (presence) {
    case Presence::kRequired:
      return "required";
    case Presence::kOptional:
      return "optional";
    case Presence::kPad:
      return "pad";
  }
  return "";
}

void AppendOperand(std::string& text, const Operand& operand) {
  const OperandTraits traits = TraitsOf(operand.kind);
  absl::StrAppend(&text, "  operand ", static_cast<int>(operand.kind), " ", Absl(traits.name), ", ",
                  PresenceText(operand.presence));
  if (operand.field != '\0') absl::StrAppend(&text, ", field ", std::string(1, operand.field));
  if (operand.accepts_zero) absl::StrAppend(&text, ", or 0");
  text += '\n';
}

void AppendInstruction(std::string& text, const Instruction& row) {
  absl::StrAppend(&text, "instruction ", Absl(row.mnemonic), "\n  encoding ", Absl(row.encoding),
                  "\n");
  for (const Operand& operand : row.operands) AppendOperand(text, operand);
  absl::StrAppend(&text, "  group ", Absl(GroupName(row.group)), "\n  timing class ",
                  static_cast<int>(row.timing), "\n  since ", row.since.major, ".", row.since.minor,
                  "\n  summary ", Absl(row.summary), "\n");
}

}  // namespace

std::string CanonicalText(const InstructionSet& set) {
  std::vector<const Instruction*> rows;
  for (const Instruction& row : set.instructions()) rows.push_back(&row);
  std::sort(rows.begin(), rows.end(), [](const Instruction* a, const Instruction* b) {
    const std::uint32_t x = FixedBitsOf(a->encoding).match;
    const std::uint32_t y = FixedBitsOf(b->encoding).match;
    return x != y ? x < y : a->mnemonic < b->mnemonic;
  });
  std::string text =
      absl::StrCat("moescope isa ", set.version().major, ".", set.version().minor, "\n");
  for (const Instruction* row : rows) AppendInstruction(text, *row);
  return text;
}

std::string IsaHash(const InstructionSet& set) { return Sha256Name(CanonicalText(set)); }

}  // namespace moescope::isa
