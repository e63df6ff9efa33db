#include "isa/document_diff.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/string_view.h"
#include "isa/names.h"
#include "isa/reference.h"

namespace moescope::isa {

namespace {

constexpr std::string_view kChangeNames[] = {"added",     "removed",  "renamed",
                                             "encoding",  "operands", "timing",
                                             "semantics", "group",    "documentation"};

std::string BitsText(Field field) {
  if (field.width == 0) return "nowhere";
  return absl::StrCat("bits ", field.shift + field.width - 1, ":", field.shift);
}

std::string ValuesOf(const Operand& operand) {
  std::string text;
  for (std::uint32_t v = 0; v < 16; ++v) {
    if ((LegalValues(operand) >> v & 1) != 0) absl::StrAppend(&text, text.empty() ? "" : ",", v);
  }
  return text;
}

// Everything about the operands that an assembly line or a decoder sees.
std::string OperandsText(const DocumentInstruction& row) {
  std::string text;
  for (const Operand& operand : row.operands) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", Absl(OperandKindName(operand.kind)));
    if (operand.field != '\0') absl::StrAppend(&text, " ", Absl(FieldName(operand.field)));
    if (operand.presence != Presence::kRequired) {
      absl::StrAppend(&text, " ", Absl(PresenceName(operand.presence)));
    }
    if (operand.accepts_zero) absl::StrAppend(&text, " or 0");
    if (IsEnumerated(operand.kind)) absl::StrAppend(&text, " {", ValuesOf(operand), "}");
  }
  return text.empty() ? "none" : text;
}

std::string SemanticsText(const DocumentInstruction& row) {
  return absl::StrCat(row.semantics, " version ", row.semantics_version);
}

std::string OverlapsText(const DocumentInstruction& row) {
  std::string text;
  for (const DeclaredOverlap& overlap : row.overlaps) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", overlap.with, ": ", overlap.reason);
  }
  return text;
}

class Differ {
 public:
  explicit Differ(DocumentDiff& diff) : diff_(diff) {}

  void Compare(const DocumentInstruction& a, const DocumentInstruction& b) {
    if (a.mnemonic != b.mnemonic) Add(b, ChangeKind::kRenamed, absl::StrCat("was ", a.mnemonic));
    if (a.encoding != b.encoding) Add(b, ChangeKind::kEncoding, EncodingText(a, b));
    Text(b, ChangeKind::kOperands, "", OperandsText(a), OperandsText(b));
    Text(b, ChangeKind::kTiming, "class ", std::string(TimingClassName(a.timing)),
         std::string(TimingClassName(b.timing)));
    Text(b, ChangeKind::kSemantics, "", SemanticsText(a), SemanticsText(b));
    Text(b, ChangeKind::kGroup, "", std::string(GroupName(a.group)),
         std::string(GroupName(b.group)));
    Text(b, ChangeKind::kDocumentation, "since ", VersionText(a.since), VersionText(b.since));
    Text(b, ChangeKind::kDocumentation, "summary ", a.summary, b.summary);
    Text(b, ChangeKind::kDocumentation, "overlaps ", OverlapsText(a), OverlapsText(b));
  }

  void Add(const DocumentInstruction& row, ChangeKind kind, std::string text) {
    diff_.changes.push_back({row.mnemonic, kind, std::move(text)});
  }

 private:
  void Text(const DocumentInstruction& row, ChangeKind kind, const char* what, const std::string& a,
            const std::string& b) {
    if (a != b) Add(row, kind, absl::StrCat(what, "'", a, "' became '", b, "'"));
  }

  static std::string EncodingText(const DocumentInstruction& a, const DocumentInstruction& b) {
    std::string text;
    const auto append = [&text](const std::string& part) {
      absl::StrAppend(&text, text.empty() ? "" : "; ", part);
    };
    const std::uint32_t old_opcode = FixedBitsOf(a.encoding).match & 63;
    const std::uint32_t new_opcode = FixedBitsOf(b.encoding).match & 63;
    if (old_opcode != new_opcode) {
      append(absl::StrFormat("opcode 0x%02X became 0x%02X", old_opcode, new_opcode));
    }
    for (const char letter : std::string_view("dabcfi")) {
      const Field from = FieldOf(a.encoding, letter);
      const Field to = FieldOf(b.encoding, letter);
      if (from.shift == to.shift && from.width == to.width) continue;
      append(absl::StrCat(Absl(FieldName(letter)), " moved from ", BitsText(from), " to ",
                          BitsText(to)));
    }
    if (text.empty()) append(absl::StrCat("'", a.encoding, "' became '", b.encoding, "'"));
    return text;
  }

  DocumentDiff& diff_;
};

using Index = std::map<std::string, const DocumentInstruction*>;

Index ByMnemonic(const Document& document) {
  Index index;
  for (const DocumentInstruction& row : document.instructions) index.emplace(row.mnemonic, &row);
  return index;
}

// The instruction of `before` that `row` is: of the same name, or renamed.
const DocumentInstruction* Counterpart(const DocumentInstruction& row, const Document& before,
                                       const Index& old_names, const Index& new_names) {
  if (const auto same = old_names.find(row.mnemonic); same != old_names.end()) return same->second;
  for (const DocumentInstruction& old : before.instructions) {
    if (old.semantics == row.semantics && !new_names.contains(old.mnemonic)) return &old;
  }
  return nullptr;
}

}  // namespace

std::string_view ChangeKindName(ChangeKind kind) {
  return kChangeNames[static_cast<std::size_t>(kind)];
}

DocumentDiff DiffDocuments(const Document& before, const Document& after) {
  DocumentDiff diff{before.version, after.version, {}};
  Differ differ(diff);
  std::vector<DocumentInstruction> rows = after.instructions;
  SortCanonically(rows);
  const Index old_names = ByMnemonic(before);
  const Index new_names = ByMnemonic(after);
  std::vector<const DocumentInstruction*> matched;
  for (const DocumentInstruction& row : rows) {
    const DocumentInstruction* old = Counterpart(row, before, old_names, new_names);
    if (old != nullptr && std::find(matched.begin(), matched.end(), old) == matched.end()) {
      matched.push_back(old);
      differ.Compare(*old, row);
    } else {
      differ.Add(row, ChangeKind::kAdded, SyntaxOf(row));
    }
  }
  std::vector<DocumentInstruction> old_rows = before.instructions;
  SortCanonically(old_rows);
  for (const DocumentInstruction& row : old_rows) {
    const bool is_kept = std::any_of(matched.begin(), matched.end(), [&row](const auto* old) {
      return old->mnemonic == row.mnemonic;
    });
    if (!is_kept) differ.Add(row, ChangeKind::kRemoved, SyntaxOf(row));
  }
  return diff;
}

std::string DiffText(const DocumentDiff& diff) {
  if (diff.equal()) return "no difference\n";
  std::string text;
  if (diff.old_version != diff.new_version) {
    absl::StrAppend(&text, "version ", VersionText(diff.old_version), " became ",
                    VersionText(diff.new_version), "\n");
  }
  for (const InstructionChange& change : diff.changes) {
    absl::StrAppend(&text, change.mnemonic, ": ", Absl(ChangeKindName(change.kind)), ": ",
                    change.text, "\n");
  }
  return text;
}

std::string DiffMarkdown(const DocumentDiff& diff) {
  std::string text = absl::StrCat("## ISA ", VersionText(diff.old_version), " to ",
                                  VersionText(diff.new_version), "\n\n");
  if (diff.changes.empty()) return text + "No instruction differs.\n";
  text += "| instruction | what | change |\n|---|---|---|\n";
  for (const InstructionChange& change : diff.changes) {
    std::string cell;
    for (const char c : change.text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
    absl::StrAppend(&text, "| ", change.mnemonic, " | ", Absl(ChangeKindName(change.kind)), " | ",
                    cell, " |\n");
  }
  return text;
}

}  // namespace moescope::isa
