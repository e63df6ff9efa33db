#include "isa/document_check.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/string_view.h"
#include "isa/names.h"

namespace moescope::isa {

namespace {

constexpr std::string_view kLetters = "dabcfi";

Diagnostic Finding(Severity severity, std::string_view id, std::string message,
                   const std::string& path) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.id = std::string(id);
  diagnostic.message = std::move(message);
  diagnostic.location.file = path;
  return diagnostic;
}

bool IsName(std::string_view mnemonic) {
  const auto is_letter = [](char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); };
  return !mnemonic.empty() && mnemonic.size() <= 64 && is_letter(mnemonic[0]) &&
         std::all_of(mnemonic.begin(), mnemonic.end(), [&](char c) {
           return is_letter(c) || absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '_';
         });
}

// The timing class of the HBM transfer that these operands describe.
std::optional<TimingClass> TransferClassOf(const DocumentInstruction& row) {
  const auto has = [&row](OperandKind kind) {
    return std::any_of(row.operands.begin(), row.operands.end(),
                       [kind](const Operand& operand) { return operand.kind == kind; });
  };
  if (!has(OperandKind::kHbmBase)) return std::nullopt;
  if (has(OperandKind::kMatrixDestination)) return TimingClass::kPrefetchMatrix;
  if (has(OperandKind::kVectorDestination)) return TimingClass::kPrefetchVector;
  if (has(OperandKind::kVectorSource)) return TimingClass::kStoreVector;
  return std::nullopt;
}

class Checker {
 public:
  Checker(const Document& document, const std::string& path)
      : version_(document.version), path_(path), rows_(document.instructions) {
    SortCanonically(rows_);
  }

  DocumentFindings Check() {
    for (const DocumentInstruction& row : rows_) CheckEncoding(row);
    Keep("IS011");
    for (const DocumentInstruction& row : rows_) CheckFields(row);
    Keep("IS012");
    CheckNames();
    Keep("IS013");
    CheckSemantics();
    Keep("IS014");
    for (const DocumentInstruction& row : rows_) CheckTexts(row);
    Keep("IS015");
    for (const DocumentInstruction& row : rows_) CheckTiming(row);
    Keep("IS019");
    CheckOverlaps();
    Keep("IS010");
    CheckDeclarations();
    Keep("IS016");
    out_.diagnostics.insert(out_.diagnostics.end(), notes_.begin(), notes_.end());
    return std::move(out_);
  }

 private:
  void Error(std::string_view id, std::string message) {
    ++out_.errors;
    if (++of_this_check_ > kMaximumFindings) return;
    out_.diagnostics.push_back(Finding(Severity::kError, id, std::move(message), path_));
  }

  // Ends one check.
  void Keep(std::string_view id) {
    if (of_this_check_ > kMaximumFindings) {
      out_.diagnostics.push_back(
          Finding(Severity::kError, id,
                  absl::StrCat(of_this_check_ - kMaximumFindings, " more like this"), path_));
    }
    of_this_check_ = 0;
  }

  void CheckEncoding(const DocumentInstruction& row) {
    const std::string problem = EncodingProblem(row.encoding);
    if (!problem.empty()) {
      Error("IS011", absl::StrCat(row.mnemonic, ": encoding '", row.encoding, "' ", problem));
    }
  }

  void CheckFields(const DocumentInstruction& row) {
    if (!EncodingProblem(row.encoding).empty()) return;
    for (const char letter : kLetters) {
      const Field field = FieldOf(row.encoding, letter);
      const auto bits = std::count(row.encoding.begin(), row.encoding.end(), letter);
      const auto owners =
          std::count_if(row.operands.begin(), row.operands.end(),
                        [letter](const Operand& operand) { return operand.field == letter; });
      const std::string name = absl::StrCat(row.mnemonic, ": field ", Absl(FieldName(letter)),
                                            " ('", std::string(1, letter), "')");
      if (bits != field.width) Error("IS012", name + " is not contiguous");
      if (bits > 0 && owners == 0) Error("IS012", name + " belongs to no operand");
      if (owners > 1) Error("IS012", absl::StrCat(name, " belongs to ", owners, " operands"));
    }
    for (const Operand& operand : row.operands) CheckWidth(row, operand);
    for (std::size_t i = 1; i < row.operands.size(); ++i) {
      if (row.operands[i].presence == Presence::kRequired &&
          row.operands[i - 1].presence == Presence::kOptional) {
        Error("IS018", absl::StrCat(row.mnemonic, ": operand ", i + 1,
                                    " is required and stands behind an optional one"));
      }
    }
  }

  void CheckWidth(const DocumentInstruction& row, const Operand& operand) {
    if (operand.field == '\0') return;
    const int width = FieldOf(row.encoding, operand.field).width;
    const OperandTraits traits = TraitsOf(operand.kind);
    if (width == traits.width) return;
    Error("IS012", absl::StrCat(row.mnemonic, ": field ", Absl(FieldName(operand.field)), " has ",
                                width, " bits; a ", Absl(traits.name), " needs ", traits.width));
  }

  void CheckNames() {
    std::map<std::string, std::size_t> count;
    for (const DocumentInstruction& row : rows_) {
      if (!IsName(row.mnemonic)) {
        Error("IS013", absl::StrCat("'", row.mnemonic,
                                    "' is no mnemonic: a letter, then letters, digits and _"));
      }
      ++count[absl::AsciiStrToUpper(row.mnemonic)];
    }
    for (const auto& [name, times] : count) {
      if (times > 1) Error("IS013", absl::StrCat(name, " is the name of ", times, " instructions"));
    }
  }

  void CheckSemantics() {
    std::map<std::string, std::vector<std::string>> users;
    for (const DocumentInstruction& row : rows_) users[row.semantics].push_back(row.mnemonic);
    for (const auto& [id, names] : users) {
      if (names.size() < 2) continue;
      Error("IS014", absl::StrCat("semantics '", id, "' is that of ", names.size(),
                                  " instructions, among them ", names[0], " and ", names[1]));
    }
  }

  void CheckTexts(const DocumentInstruction& row) {
    if (!row.summary.ends_with('.')) {
      Error("IS015",
            absl::StrCat(row.mnemonic, row.summary.empty()
                                           ? ": the summary is missing"
                                           : ": the summary does not end with a full stop"));
    }
    if (row.since > version_) {
      Error("IS017", absl::StrCat(row.mnemonic, ": since ", VersionText(row.since),
                                  ", after the version of the document, ", VersionText(version_)));
    }
  }

  // Transfers are timed by the DMA engines and nothing else is.
  void CheckTiming(const DocumentInstruction& row) {
    const std::optional<TimingClass> needed = TransferClassOf(row);
    const bool is_transfer = row.timing >= TimingClass::kPrefetchMatrix;
    if (needed ? row.timing == *needed : !is_transfer) return;
    Error("IS019",
          absl::StrCat(row.mnemonic, ": timing class '", Absl(TimingClassName(row.timing)),
                       needed ? absl::StrCat("' on operands of '", Absl(TimingClassName(*needed)))
                              : "' needs an HBM base and the address of rows or tiles",
                       needed ? "'" : ""));
  }

  static const DeclaredOverlap* Declaration(const DocumentInstruction& row,
                                            const std::string& other) {
    for (const DeclaredOverlap& overlap : row.overlaps) {
      if (overlap.with == other) return &overlap;
    }
    return nullptr;
  }

  void CheckOverlaps() {
    std::vector<FixedBits> bits;
    std::vector<const DocumentInstruction*> usable;
    for (const DocumentInstruction& row : rows_) {
      if (!EncodingProblem(row.encoding).empty()) continue;
      bits.push_back(FixedBitsOf(row.encoding));
      usable.push_back(&row);
    }
    for (std::size_t i = 0; i < bits.size(); ++i) {
      for (std::size_t j = i + 1; j < bits.size(); ++j) {
        if ((bits[i].mask & bits[j].mask & (bits[i].match ^ bits[j].match)) != 0) continue;
        Overlap(*usable[i], *usable[j], bits[i].match | bits[j].match);
      }
    }
  }

  void Overlap(const DocumentInstruction& a, const DocumentInstruction& b, std::uint32_t witness) {
    const DeclaredOverlap* first = Declaration(a, b.mnemonic);
    const DeclaredOverlap* second = Declaration(b, a.mnemonic);
    const std::string text =
        absl::StrFormat("%s and %s share the word 0x%08X", a.mnemonic, b.mnemonic, witness);
    if (first == nullptr && second == nullptr) {
      ++out_.undeclared_overlaps;
      return Error("IS010", text);
    }
    // One-sided declarations are reported by CheckDeclarations.
    ++out_.declared_overlaps;
    real_.emplace(a.mnemonic, b.mnemonic);
    real_.emplace(b.mnemonic, a.mnemonic);
    if (first == nullptr || second == nullptr || notes_.size() >= kMaximumFindings) return;
    notes_.push_back(Finding(Severity::kNote, "IS010",
                             absl::StrCat(text, ", as declared: ", first->reason), path_));
  }

  void CheckDeclarations() {
    std::set<std::pair<std::string, std::string>> declared;
    for (const DocumentInstruction& row : rows_) {
      for (const DeclaredOverlap& overlap : row.overlaps) {
        declared.emplace(row.mnemonic, overlap.with);
      }
    }
    for (const DocumentInstruction& row : rows_) {
      for (const DeclaredOverlap& overlap : row.overlaps) {
        const std::string start =
            absl::StrCat(row.mnemonic, " declares an overlap with ", overlap.with);
        if (!real_.contains({row.mnemonic, overlap.with})) {
          Error("IS016", start + ", but they share no word");
        } else if (!declared.contains({overlap.with, row.mnemonic})) {
          Error("IS016", absl::StrCat(start, ", but ", overlap.with, " does not declare it"));
        } else if (overlap.reason.empty()) {
          Error("IS016", start + " without a reason");
        }
      }
    }
  }

  Version version_;
  const std::string& path_;
  std::vector<DocumentInstruction> rows_;
  std::set<std::pair<std::string, std::string>> real_;  // overlaps that at least one side declares
  std::vector<Diagnostic> notes_;
  DocumentFindings out_;
  std::size_t of_this_check_ = 0;
};

}  // namespace

std::optional<std::uint32_t> CommonWord(std::string_view a, std::string_view b) {
  const FixedBits x = FixedBitsOf(a);
  const FixedBits y = FixedBitsOf(b);
  if ((x.mask & y.mask & (x.match ^ y.match)) != 0) return std::nullopt;
  return x.match | y.match;
}

std::string EncodingProblem(std::string_view encoding) {
  if (encoding.size() != 32) {
    return absl::StrCat("has ", encoding.size(), " characters, not 32");
  }
  const std::size_t odd = encoding.find_first_not_of("01-dabcfi");
  if (odd == std::string_view::npos) return "";
  return absl::StrFormat("has '%c' at bit %d; allowed are 0 1 - d a b c f i", encoding[odd],
                         31 - odd);
}

DocumentFindings CheckDocument(const Document& document, const std::string& path) {
  return Checker(document, path).Check();
}

std::vector<Diagnostic> CheckCandidate(const Document& document, std::string_view encoding,
                                       const std::string& path) {
  if (const std::string problem = EncodingProblem(encoding); !problem.empty()) {
    return {Finding(Severity::kError, "IS011",
                    absl::StrCat("the candidate encoding '", Absl(encoding), "' ", problem), path)};
  }
  std::vector<DocumentInstruction> rows = document.instructions;
  SortCanonically(rows);
  std::vector<Diagnostic> findings;
  for (const DocumentInstruction& row : rows) {
    if (!EncodingProblem(row.encoding).empty()) continue;
    const std::optional<std::uint32_t> word = CommonWord(row.encoding, encoding);
    if (!word) continue;
    findings.push_back(Finding(
        Severity::kError, "IS010",
        absl::StrFormat("the candidate and %s share the word 0x%08X", row.mnemonic, *word), path));
  }
  return findings;
}

}  // namespace moescope::isa
