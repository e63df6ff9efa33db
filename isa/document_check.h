#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "isa/document.h"

namespace moescope::isa {

// The smallest word that both encodings match, or nothing. Both hold 32 characters.
std::optional<std::uint32_t> CommonWord(std::string_view a, std::string_view b);

// What is wrong with an encoding string by itself: empty, or "has 31 characters, not 32" and so on.
std::string EncodingProblem(std::string_view encoding);

struct DocumentFindings {
  // Errors first, in the order of checks and then of instructions; declared overlaps are notes.
  std::vector<Diagnostic> diagnostics;
  std::size_t errors = 0;  // also those that were not kept
  std::size_t undeclared_overlaps = 0;
  std::size_t declared_overlaps = 0;
};

// Findings of each check that are kept; the rest are counted.
inline constexpr std::size_t kMaximumFindings = 1'000;

// Checks a document (tools.md, 9). The result does not depend on the order of instructions.
// IS010 two encodings share a word and do not declare it; the smallest such word is the witness
// IS011 an encoding that is not 32 characters 0 1 - d a b c f i
// IS012 a field that is not contiguous, has another width than its operand, or belongs to no
//       operand or to several
// IS013 a mnemonic that two instructions have (in any case), or that is no name
// IS014 a semantics id that two instructions have
// IS015 a summary that is missing or does not end with a full stop
// IS016 a declared overlap without reason, declared on one side only, or that does not exist
// IS017 since a version after the document's
// IS018 operands in an order that the assembler cannot read: required after optional
// IS019 a timing class of HBM transfers on an instruction that makes none, or another on one that
//       does
DocumentFindings CheckDocument(const Document& document, const std::string& path);

// The instructions of `document` that an encoding collides with, in canonical order, each as a
// finding IS010 with its witness word; or IS011 when it is no encoding.
std::vector<Diagnostic> CheckCandidate(const Document& document, std::string_view encoding,
                                       const std::string& path);

}  // namespace moescope::isa
