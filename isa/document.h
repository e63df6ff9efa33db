#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "isa/instruction_set.h"

namespace moescope::isa {

// An overlap of encodings that is meant: the other instruction, and why.
struct DeclaredOverlap {
  std::string with;
  std::string reason;

  friend bool operator==(const DeclaredOverlap&, const DeclaredOverlap&) = default;
};

// One instruction of an ISA document. The texts may say anything; CheckDocument says what is wrong.
struct DocumentInstruction {
  std::string mnemonic;
  std::string encoding;           // as Instruction::encoding
  std::vector<Operand> operands;  // at most OperandList::kCapacity
  Group group = Group::kInt;
  TimingClass timing = TimingClass::kInteger;
  std::string semantics;  // id of its meaning; the meanings of this build are named after mnemonics
  int semantics_version = 1;
  Version since{1, 0};
  std::string summary;
  std::vector<DeclaredOverlap> overlaps;
};

// An instruction set as data, to be written, edited, checked, compared and loaded (tools.md, 9).
struct Document {
  Version version;
  std::vector<DocumentInstruction> instructions;
};

// Most instructions that a document may hold.
inline constexpr std::size_t kMaximumInstructions = 20'000;

Document DocumentOf(const InstructionSet& set);

// The order in which documents are written and compared, whatever the order of a file: by the low
// six bits, then the more fixed bits first, then fixed value, mnemonic and encoding. Where
// encodings overlap on purpose, the first that matches a word decodes it.
void SortCanonically(std::vector<DocumentInstruction>& instructions);

// A document as an instruction set that assembles and disassembles. An instruction executes when
// its semantics id and version are those of an instruction of this build and its fields are that
// instruction's: the same kinds under the same letters, none that is required missing, and no legal
// value that it does not know. Fails with the findings of CheckDocument when one is an error.
absl::StatusOr<std::unique_ptr<const InstructionSet>> MakeInstructionSet(const Document& document,
                                                                         const std::string& path);

// Reads a document: JSON, or TOML with the same keys when the name ends in ".toml".
absl::StatusOr<Document> ReadDocument(std::string_view text, const std::string& path);

// The document in a file, or of this build for the name "builtin".
absl::StatusOr<Document> OpenDocument(const std::string& path);

// OpenDocument and MakeInstructionSet.
absl::StatusOr<std::unique_ptr<const InstructionSet>> OpenInstructionSet(const std::string& path);

}  // namespace moescope::isa
