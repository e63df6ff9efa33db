#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "isa/document.h"
#include "isa/document_coverage.h"

namespace moescope::session {

// How often a corpus uses an instruction, and with which operands.
struct InstructionUse {
  // Values of one operand: each of a field of at most four bits, the bounds of a wider one.
  struct Field {
    char letter = 'd';
    std::vector<std::uint32_t> values;  // ascending; smallest and largest of a wider field
    bool is_range = false;
  };
  std::string mnemonic;
  std::uint64_t words = 0;
  std::vector<Field> fields;  // in the order of the operands; empty when it is not used
};

struct CorpusUse {
  std::uint64_t programs = 0;
  std::uint64_t words = 0;
  std::uint64_t undefined = 0;               // words that do not decode
  std::vector<InstructionUse> instructions;  // all, in the order of the document
};

// The words of every program under `places` (FindCorpus), assembled and decoded under `set`.
absl::StatusOr<CorpusUse> UseOfCorpus(const std::vector<std::string>& places,
                                      const isa::InstructionSet& set);

// The counts of a set, and of a corpus when there is one, as `isa coverage` writes them.
std::string CoverageReport(const isa::DocumentCoverage& coverage,
                           const std::optional<CorpusUse>& use);
std::string CoverageJson(const isa::DocumentCoverage& coverage,
                         const std::optional<CorpusUse>& use);  // moescope.isa_coverage v1

}  // namespace moescope::session
