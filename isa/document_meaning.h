#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/document.h"
#include "isa/instruction_set.h"

namespace moescope::isa {

// What a change of the instruction set does to the words of one instruction: to those that decode
// strictly as it under the old document, counted out of 2^32.
struct MeaningChange {
  std::string mnemonic;         // in the old document
  std::uint64_t same = 0;       // decode to the same meaning under the new document
  std::uint64_t different = 0;  // decode to another meaning
  std::uint64_t undefined = 0;  // no longer decode
  std::uint32_t witness = 0;    // the smallest word that is not the same

  friend bool operator==(const MeaningChange&, const MeaningChange&) = default;
};

// The instructions of `before` whose words do not all mean the same under `after`, in canonical
// order. Two meanings are the same when id and version of the semantics, the kinds of the operands
// and their values agree; names, timing and documentation do not matter. Exact, by arithmetic on
// sets of words. Neither document has an error that CheckDocument finds (CHECK on malformed
// encodings).
std::vector<MeaningChange> CompareMeanings(const Document& before, const Document& after);

// The same question about one word, as both sets decoded it. Two words that do not decode mean the
// same: nothing.
bool HaveSameMeaning(const Decoded& before, const Decoded& after);

// An instruction that a change touched, or one legal value that it gave to an operand: what a
// corpus has to execute before it can be said to judge the change.
struct TouchedPart {
  std::string mnemonic;  // in the new document; in the old one when it was removed
  bool removed = false;
  char field = '\0';        // letter of the operand, or '\0': the whole instruction
  std::uint32_t value = 0;  // of that operand

  friend bool operator==(const TouchedPart&, const TouchedPart&) = default;
};

// What differs between the documents and could be executed, in the canonical order of `after`,
// removed instructions last. An instruction that only gained legal values counts as these values.
// Documentation and display groups are left out.
std::vector<TouchedPart> TouchedParts(const Document& before, const Document& after);

// "C_SET_TOPK_REG", or "V_TOPK policy 15" for a value.
std::string TouchedPartText(const TouchedPart& part, const Document& document);

}  // namespace moescope::isa
