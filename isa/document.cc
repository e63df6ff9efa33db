#include "isa/document.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "isa/document_check.h"
#include "isa/document_json.h"
#include "isa/document_toml.h"

namespace moescope::isa {

namespace {

DocumentInstruction RowOf(const Instruction& row) {
  DocumentInstruction out;
  out.mnemonic = std::string(row.mnemonic);
  out.encoding = std::string(row.encoding);
  for (Operand operand : row.operands) {
    if (IsEnumerated(operand.kind)) operand.values = LegalValues(operand);
    out.operands.push_back(operand);
  }
  out.group = row.group;
  out.timing = row.timing;
  out.semantics = std::string(SemanticsOf(row));
  out.semantics_version = row.semantics_version;
  out.since = row.since;
  out.summary = std::string(row.summary);
  return out;
}

const Instruction* BuiltinWithSemantics(const DocumentInstruction& row) {
  for (const Instruction& known : InstructionSet::Builtin().instructions()) {
    if (SemanticsOf(known) == row.semantics && known.semantics_version == row.semantics_version) {
      return &known;
    }
  }
  return nullptr;
}

const Operand* OperandWithField(const auto& operands, char field) {
  for (const Operand& operand : operands) {
    if (operand.field == field) return &operand;
  }
  return nullptr;
}

// Whether what `known` executes is all that the fields of `row` can say.
bool FieldsFit(const DocumentInstruction& row, const Instruction& known) {
  for (const Operand& operand : row.operands) {
    if (operand.field == '\0') continue;
    const Operand* same = OperandWithField(known.operands, operand.field);
    if (same == nullptr || same->kind != operand.kind) return false;
    if (operand.values != 0 && (operand.values & ~LegalValues(*same)) != 0) return false;
  }
  return std::all_of(known.operands.begin(), known.operands.end(), [&row](const Operand& needed) {
    return needed.field == '\0' || needed.presence != Presence::kRequired ||
           OperandWithField(row.operands, needed.field) != nullptr;
  });
}

Execute ExecuteOf(const DocumentInstruction& row) {
  const Instruction* known = BuiltinWithSemantics(row);
  return known != nullptr && FieldsFit(row, *known) ? known->execute : nullptr;
}

// A key that sorts as SortCanonically says.
auto OrderOf(const DocumentInstruction& row) {
  const FixedBits bits = row.encoding.size() == 32 ? FixedBitsOf(row.encoding) : FixedBits{};
  return std::tuple(bits.match & 63, -std::popcount(bits.mask), bits.match,
                    std::string_view(row.mnemonic), std::string_view(row.encoding));
}

}  // namespace

Document DocumentOf(const InstructionSet& set) {
  Document document;
  document.version = set.version();
  for (const Instruction& row : set.instructions()) document.instructions.push_back(RowOf(row));
  SortCanonically(document.instructions);
  return document;
}

void SortCanonically(std::vector<DocumentInstruction>& instructions) {
  std::stable_sort(instructions.begin(), instructions.end(),
                   [](const DocumentInstruction& a, const DocumentInstruction& b) {
                     return OrderOf(a) < OrderOf(b);
                   });
}

absl::StatusOr<std::unique_ptr<const InstructionSet>> MakeInstructionSet(const Document& document,
                                                                         const std::string& path) {
  const DocumentFindings findings = CheckDocument(document, path);
  if (findings.errors > 0) return ToStatus(findings.diagnostics);
  std::vector<DocumentInstruction> sorted = document.instructions;
  SortCanonically(sorted);
  std::deque<std::string> texts;
  const auto keep = [&texts](std::string text) -> std::string_view {
    return texts.emplace_back(std::move(text));
  };
  std::vector<Instruction> rows;
  for (DocumentInstruction& row : sorted) {
    Instruction out{};
    out.execute = ExecuteOf(row);
    for (const Operand& operand : row.operands) out.operands.push_back(operand);
    out.group = row.group;
    out.timing = row.timing;
    out.since = row.since;
    out.semantics_version = row.semantics_version;
    out.mnemonic = keep(std::move(row.mnemonic));
    out.encoding = keep(std::move(row.encoding));
    out.summary = keep(std::move(row.summary));
    out.semantics = keep(std::move(row.semantics));
    rows.push_back(out);
  }
  return std::make_unique<const InstructionSet>(std::move(rows), document.version,
                                                std::move(texts));
}

absl::StatusOr<Document> ReadDocument(std::string_view text, const std::string& path) {
  if (!absl::EndsWith(path, ".toml")) return ReadDocumentJson(text, path);
  ASSIGN_OR_RETURN(const std::string json, JsonOfToml(text, path));
  return ReadDocumentJson(json, path);
}

absl::StatusOr<Document> OpenDocument(const std::string& path) {
  if (path == "builtin") return DocumentOf(InstructionSet::Builtin());
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ReadDocument(text, path);
}

absl::StatusOr<std::unique_ptr<const InstructionSet>> OpenInstructionSet(const std::string& path) {
  ASSIGN_OR_RETURN(const Document document, OpenDocument(path));
  return MakeInstructionSet(document, path);
}

}  // namespace moescope::isa
