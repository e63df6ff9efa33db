#pragma once

#include <string>
#include <utility>
#include <vector>

#include "isa/document.h"

namespace moescope::isa::test {

inline Document Builtin() { return DocumentOf(InstructionSet::Builtin()); }

// The built-in set without what came after 1.0: C_SET_TOPK_REG and V_TOPK policy 15.
inline Document Version10() {
  Document document = Builtin();
  document.version = {1, 0};
  std::erase_if(document.instructions, [](const DocumentInstruction& row) {
    return row.since > Version{1, 0};
  });
  for (DocumentInstruction& row : document.instructions) {
    for (Operand& operand : row.operands) {
      if (operand.kind == OperandKind::kPolicy) operand.values = 0b11;
    }
  }
  return document;
}

inline DocumentInstruction& Row(Document& document, std::string_view mnemonic) {
  for (DocumentInstruction& row : document.instructions) {
    if (row.mnemonic == mnemonic) return row;
  }
  return document.instructions.front();
}

// The other changes of examples/02_isa_changes.
inline Document MovedOpcode() {
  Document document = Builtin();
  document.version = {1, 2};
  Row(document, "S_MUL_INT").encoding = "--------------bbbbaaaadddd111001";
  return document;
}
inline Document ChangedLatency() {
  Document document = Builtin();
  document.version = {1, 2};
  Row(document, "V_EXP_V").timing = TimingClass::kVectorReciprocal;
  return document;
}
inline Document NewField() {
  Document document = Builtin();
  document.version = {1, 2};
  DocumentInstruction& row = Row(document, "V_SHFT_V");
  row.encoding = "----------ccccbbbbaaaadddd110010";
  row.operands.push_back(Mask('c'));
  row.semantics_version = 2;
  row.summary =
      "vd = va moved gp lanes towards higher lanes, zeros shifted in, where the mask is set.";
  return document;
}

// An instruction without operands.
inline DocumentInstruction Bare(std::string mnemonic, std::string encoding) {
  DocumentInstruction row;
  row.semantics = mnemonic;
  row.mnemonic = std::move(mnemonic);
  row.encoding = std::move(encoding);
  row.summary = "Does something.";
  return row;
}

}  // namespace moescope::isa::test
