#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/diagnostic.h"
#include "isa/document.h"
#include "isa/document_coverage.h"
#include "isa/document_diff.h"
#include "isa/document_meaning.h"

// Judges a change of the instruction set by what it does to a corpus of programs (tools.md, 9).

namespace moescope::session {

struct IsaValidationRequest {
  std::string before;                             // ISA document, or "builtin"
  std::string after;                              // likewise
  std::vector<std::string> corpus;                // folders, run manifests and programs
  std::optional<std::uint32_t> max_slowdown_ppm;  // of the cycles of a program
  bool accept_reassembly = false;                 // the verdict re-assemble passes
  bool require_coverage = false;                  // parts of the change that nothing executes fail
};

enum class IsaVerdict : std::uint8_t { kCompatible, kReassemble, kBreaking };
std::string_view IsaVerdictName(IsaVerdict verdict);  // "compatible", "re-assemble", "breaking"

// A word and what it says under both sets.
struct ChangedWord {
  std::uint32_t word = 0;
  std::string before;  // disassembly
  std::string after;
};

// Words of one instruction in the corpus whose meaning changed.
struct ChangedInstruction {
  std::string mnemonic;  // under the old set; "(undefined)" for words that were none
  std::uint64_t different = 0;
  std::uint64_t undefined = 0;
  std::string first;  // "NAME: FILE:LINE:COLUMN", or "NAME: pc N" without source
  ChangedWord word;   // there
};

struct CyclesChange {
  std::string name;  // stage or mnemonic
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

// How one program fared.
struct ProgramValidation {
  enum class Run : std::uint8_t { kNotRun, kNewOnly, kEqual, kDifferent };

  std::string name;
  bool is_binary = false;    // words without source
  bool only_after = false;   // it does not assemble under the old set, but under the new one
  std::string before_error;  // first line of what the assembler says under the old set
  std::string after_error;   // and under the new one
  std::uint64_t words = 0;
  std::uint64_t same = 0;  // of these words, under the new set
  std::uint64_t different = 0;
  std::uint64_t undefined = 0;
  std::uint64_t reassembled = 0;  // words that assembling under the new set changes

  Run run = Run::kNotRun;
  std::string difference;  // of end or state; empty unless kDifferent
  std::uint64_t instructions = 0;
  std::uint64_t before_cycles = 0;
  std::uint64_t after_cycles = 0;
  std::vector<CyclesChange> stages;          // whose cycles changed
  std::optional<CyclesChange> most_changed;  // instruction
};

struct IsaValidation {
  isa::Version before_version;
  isa::Version after_version;
  std::vector<Diagnostic> findings;  // of the check of the new document
  std::size_t problems = 0;          // the errors among them; nothing else is then judged
  isa::WordCounts before_coverage;
  isa::WordCounts after_coverage;
  isa::DocumentDiff diff;
  std::vector<isa::MeaningChange> meanings;
  std::vector<ChangedWord> witnesses;  // of `meanings`, in the same order
  std::vector<ChangedInstruction> instructions;
  std::vector<ProgramValidation> programs;
  std::vector<std::string> not_judged;  // parts of the change that no program executed

  IsaVerdict verdict = IsaVerdict::kCompatible;
  bool timing_changed = false;
  std::vector<std::string> reasons;   // for the verdict, when it is not kCompatible
  std::vector<std::string> failures;  // of max_slowdown, require_coverage and the verdict
  bool passed() const { return failures.empty(); }
};

// Runs the steps of tools.md 9. The same inputs give the same result. Errors: a document or program
// that cannot be read, an old document with errors, a program that assembles under neither set.
absl::StatusOr<IsaValidation> ValidateIsaChange(const IsaValidationRequest& request);

std::string IsaValidationText(const IsaValidation& validation);
std::string IsaValidationMarkdown(const IsaValidation& validation);
std::string IsaValidationJson(const IsaValidation& validation);  // moescope.isa_validation v1

}  // namespace moescope::session
