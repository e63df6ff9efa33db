#include "cli/session/isa_usage.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/session/isa_corpus.h"
#include "cli/session/isa_side.h"
#include "isa/names.h"

namespace moescope::session {

namespace {

constexpr int kWidestListed = 4;  // bits

// The values of one row's operands, by letter.
using Values = std::map<char, std::set<std::uint32_t>>;

void Keep(const isa::Instruction& row, const isa::Operands& operands, Values& values) {
  for (const isa::Operand& operand : row.operands) {
    if (operand.field == '\0') continue;
    std::set<std::uint32_t>& seen = values[operand.field];
    seen.insert(isa::OperandValue(operands, operand.field));
    // Of a wide field the two ends are all that is told.
    const bool is_wide = isa::FieldOf(row.encoding, operand.field).width > kWidestListed;
    if (is_wide && seen.size() > 2) seen.erase(std::next(seen.begin()));
  }
}

InstructionUse UseOf(const isa::Instruction& row, std::uint64_t words, const Values& values) {
  InstructionUse use{std::string(row.mnemonic), words, {}};
  for (const isa::Operand& operand : row.operands) {
    const auto found = values.find(operand.field);
    if (found == values.end()) continue;
    const bool is_wide = isa::FieldOf(row.encoding, operand.field).width > kWidestListed;
    use.fields.push_back({operand.field, {found->second.begin(), found->second.end()}, is_wide});
  }
  return use;
}

std::string FieldText(const InstructionUse::Field& field) {
  return absl::StrCat(Absl(isa::FieldName(field.letter)), " ",
                      absl::StrJoin(field.values, field.is_range ? ".." : ","));
}

}  // namespace

absl::StatusOr<CorpusUse> UseOfCorpus(const std::vector<std::string>& places,
                                      const isa::InstructionSet& set) {
  ASSIGN_OR_RETURN(const std::vector<CorpusEntry> corpus, FindCorpus(places));
  CorpusUse use;
  std::vector<std::uint64_t> words(set.instructions().size());
  std::vector<Values> values(set.instructions().size());
  for (const CorpusEntry& entry : corpus) {
    ASSIGN_OR_RETURN(const isa::Program program, ProgramUnder(entry, set));
    ++use.programs;
    use.words += program.words.size();
    for (const std::uint32_t word : program.words) {
      const isa::Decoded decoded = set.Decode(word);
      if (decoded.problem != isa::DecodeProblem::kNone) {
        ++use.undefined;
        continue;
      }
      const std::size_t row = set.IndexOf(decoded.instruction);
      ++words[row];
      Keep(*decoded.instruction, decoded.operands, values[row]);
    }
  }
  for (std::size_t row = 0; row < words.size(); ++row) {
    use.instructions.push_back(UseOf(set.instructions()[row], words[row], values[row]));
  }
  return use;
}

std::string CoverageReport(const isa::DocumentCoverage& coverage,
                           const std::optional<CorpusUse>& use) {
  std::string text = isa::CoverageText(coverage);
  if (!use) return text;
  absl::StrAppend(&text, "corpus: ", use->programs,
                  use->programs == 1 ? " program, " : " programs, ", use->words, " words, ",
                  use->undefined, " undefined\n");
  std::vector<std::string> unused;
  for (const InstructionUse& instruction : use->instructions) {
    if (instruction.words == 0) {
      unused.push_back(instruction.mnemonic);
      continue;
    }
    absl::StrAppendFormat(&text, "  %-16s %10d", instruction.mnemonic, instruction.words);
    for (const InstructionUse::Field& field : instruction.fields) {
      absl::StrAppend(&text, "  ", FieldText(field));
    }
    text += '\n';
  }
  absl::StrAppend(&text, "not used: ", unused.empty() ? "nothing" : absl::StrJoin(unused, ", "),
                  "\n");
  return text;
}

}  // namespace moescope::session
