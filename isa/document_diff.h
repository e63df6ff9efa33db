#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/document.h"

namespace moescope::isa {

// Which part of an instruction differs.
enum class ChangeKind {
  kAdded,
  kRemoved,
  kRenamed,
  kEncoding,
  kOperands,
  kTiming,
  kSemantics,
  kGroup,
  kDocumentation
};

std::string_view ChangeKindName(ChangeKind kind);  // "added", ..., "documentation"

struct InstructionChange {
  std::string mnemonic;  // of the new document; of the old one for kRemoved
  ChangeKind kind = ChangeKind::kAdded;
  std::string text;  // "rs1 moved from bits 13:10 to 17:14"

  friend bool operator==(const InstructionChange&, const InstructionChange&) = default;
};

struct DocumentDiff {
  Version old_version;
  Version new_version;
  std::vector<InstructionChange>
      changes;  // in the canonical order of the new document; removed last
  bool equal() const { return old_version == new_version && changes.empty(); }
};

// What differs, instruction by instruction, matched by mnemonic; a removed and an added instruction
// with the same semantics id are one that was renamed.
DocumentDiff DiffDocuments(const Document& before, const Document& after);

std::string DiffText(const DocumentDiff& diff);
std::string DiffMarkdown(const DocumentDiff& diff);

}  // namespace moescope::isa
