#include "isa/document_meaning.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/string_view.h"
#include "isa/document_check.h"
#include "isa/document_diff.h"
#include "isa/word_cube.h"

namespace moescope::isa {

namespace {

constexpr std::string_view kLetters = "dabcfi";

const Operand* OperandOf(const auto& operands, char letter) {
  for (const Operand& operand : operands) {
    if (operand.field == letter) return &operand;
  }
  return nullptr;
}

// Whether operands that both have under one letter are of one kind.
bool KindsAgree(const auto& before, const auto& after) {
  return std::all_of(before.begin(), before.end(), [&after](const Operand& operand) {
    if (operand.field == '\0') return true;
    const Operand* other = OperandOf(after, operand.field);
    return other == nullptr || other->kind == operand.kind;
  });
}

// Two bits that must be equal for two decodings to give equal operands: positions in the word, or
// kNoBit for a bit that a decoding does not have and that counts as 0.
constexpr int kNoBit = -1;
struct BitPair {
  int before = kNoBit;
  int after = kNoBit;
};

std::vector<BitPair> PairsOf(std::string_view before, std::string_view after) {
  std::vector<BitPair> pairs;
  for (const char letter : kLetters) {
    const Field a = FieldOf(before, letter);
    const Field b = FieldOf(after, letter);
    for (int i = 0; i < std::max(a.width, b.width); ++i) {
      const BitPair pair{i < a.width ? a.shift + i : kNoBit, i < b.width ? b.shift + i : kNoBit};
      if (pair.before != pair.after) pairs.push_back(pair);
    }
  }
  return pairs;
}

// Counts the words of a cube in which all pairs of bits are equal.
class EqualBits {
 public:
  explicit EqualBits(const Cube& cube) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (int bit = 0; bit < 32; ++bit) {
      if ((cube.mask >> bit & 1) == 0) continue;
      Join(bit, (cube.match >> bit & 1) != 0 ? kOne : kZero);
    }
  }

  std::uint64_t Count(const std::vector<BitPair>& pairs) {
    for (const BitPair& pair : pairs) {
      Join(pair.before == kNoBit ? kZero : pair.before, pair.after == kNoBit ? kZero : pair.after);
    }
    if (Root(kZero) == Root(kOne)) return 0;
    std::set<int> free;
    for (int bit = 0; bit < 32; ++bit) free.insert(Root(bit));
    free.erase(Root(kZero));
    free.erase(Root(kOne));
    return std::uint64_t{1} << free.size();
  }

 private:
  static constexpr int kZero = 32;
  static constexpr int kOne = 33;

  int Root(int node) const {
    while (parent_[static_cast<std::size_t>(node)] != node) {
      node = parent_[static_cast<std::size_t>(node)];
    }
    return node;
  }
  void Join(int a, int b) { parent_[static_cast<std::size_t>(Root(a))] = Root(b); }

  std::array<int, 34> parent_{};
};

// The smallest word of a cube in which some pair of bits differs. With all free bits 0 a pair
// differs already, or one free bit of it has to be 1.
std::uint32_t SmallestUnequal(const Cube& cube, const std::vector<BitPair>& pairs) {
  std::optional<std::uint32_t> smallest;
  const auto offer = [&smallest](std::uint32_t word) {
    smallest = std::min(smallest.value_or(word), word);
  };
  const auto value = [&cube](int bit) { return bit == kNoBit ? 0 : cube.match >> bit & 1; };
  const auto is_free = [&cube](int bit) { return bit != kNoBit && (cube.mask >> bit & 1) == 0; };
  for (const BitPair& pair : pairs) {
    if (value(pair.before) != value(pair.after)) offer(cube.match);
    for (const int bit : {pair.before, pair.after}) {
      if (is_free(bit) && value(pair.before) == value(pair.after)) {
        offer(cube.match | std::uint32_t{1} << bit);
      }
    }
  }
  CHECK(smallest.has_value());
  return *smallest;
}

class MeaningComparison {
 public:
  MeaningComparison(const Document& before, const Document& after)
      : old_rows_(before.instructions), new_rows_(after.instructions) {
    SortCanonically(old_rows_);
    SortCanonically(new_rows_);
    for (const auto* rows : {&old_rows_, &new_rows_}) {
      for (const DocumentInstruction& row : *rows) CHECK(EncodingProblem(row.encoding).empty());
    }
    for (const DocumentInstruction& row : new_rows_) {
      legal_.push_back(LegalCubes(row, /*strict=*/false));
    }
  }

  std::vector<MeaningChange> Run() {
    std::vector<MeaningChange> changes;
    std::vector<Cube> earlier;
    for (const DocumentInstruction& row : old_rows_) {
      change_ = {.mnemonic = row.mnemonic};
      witness_.reset();
      for (const Cube& cube : LegalCubes(row, /*strict=*/true)) {
        for (const Cube& piece : Outside(cube, earlier)) Judge(row, piece);
      }
      const FixedBits bits = FixedBitsOf(row.encoding);
      earlier.push_back({bits.mask, bits.match});
      if (!witness_) continue;
      change_.witness = *witness_;
      changes.push_back(change_);
    }
    return changes;
  }

 private:
  // The first new row that matches a word decodes it.
  void Judge(const DocumentInstruction& row, const Cube& piece) {
    std::vector<Cube> left = {piece};
    for (std::size_t i = 0; i < new_rows_.size() && !left.empty(); ++i) {
      const FixedBits bits = FixedBitsOf(new_rows_[i].encoding);
      const Cube whole{bits.mask, bits.match};
      std::vector<Cube> next;
      for (const Cube& cube : left) {
        if (Meet(cube, whole)) JudgeMatched(row, i, Intersection(cube, whole));
        Subtract(cube, whole, next);
      }
      left = std::move(next);
    }
    for (const Cube& cube : left) Undefined(cube);
  }

  void JudgeMatched(const DocumentInstruction& row, std::size_t index, const Cube& cube) {
    for (const Cube& reserved : Outside(cube, legal_[index])) Undefined(reserved);
    const DocumentInstruction& now = new_rows_[index];
    const bool is_same_instruction = row.semantics == now.semantics &&
                                     row.semantics_version == now.semantics_version &&
                                     KindsAgree(row.operands, now.operands);
    const std::vector<BitPair> pairs = PairsOf(row.encoding, now.encoding);
    for (const Cube& legal : legal_[index]) {
      if (!Meet(cube, legal)) continue;
      const Cube words = Intersection(cube, legal);
      const std::uint64_t same = is_same_instruction ? EqualBits(words).Count(pairs) : 0;
      change_.same += same;
      change_.different += words.size() - same;
      if (same == words.size()) continue;
      Offer(is_same_instruction ? SmallestUnequal(words, pairs) : words.match);
    }
  }

  void Undefined(const Cube& cube) {
    change_.undefined += cube.size();
    Offer(cube.match);
  }

  void Offer(std::uint32_t word) { witness_ = std::min(witness_.value_or(word), word); }

  std::vector<DocumentInstruction> old_rows_;
  std::vector<DocumentInstruction> new_rows_;
  std::vector<std::vector<Cube>> legal_;  // by new row
  MeaningChange change_;
  std::optional<std::uint32_t> witness_;
};

const DocumentInstruction* RowNamed(const Document& document, std::string_view mnemonic) {
  for (const DocumentInstruction& row : document.instructions) {
    if (row.mnemonic == mnemonic) return &row;
  }
  return nullptr;
}

// The operands without the listed values of enumerated ones.
bool OperandsAgreeButForValues(const DocumentInstruction& a, const DocumentInstruction& b) {
  return std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                    [](const Operand& x, const Operand& y) {
                      return x.kind == y.kind && x.field == y.field && x.presence == y.presence &&
                             x.accepts_zero == y.accepts_zero;
                    });
}

// The values that the operands of `now` gained, when that is all that changed in them.
std::vector<TouchedPart> GainedValues(const DocumentInstruction& before,
                                      const DocumentInstruction& now) {
  std::vector<TouchedPart> parts;
  if (!OperandsAgreeButForValues(before, now)) return parts;
  for (std::size_t i = 0; i < now.operands.size(); ++i) {
    const std::uint32_t old_values = LegalValues(before.operands[i]);
    const std::uint32_t new_values = LegalValues(now.operands[i]);
    if ((old_values & ~new_values) != 0) return {};
    for (std::uint32_t value = 0; value < 16; ++value) {
      if ((new_values & ~old_values) >> value & 1) {
        parts.push_back({now.mnemonic, false, now.operands[i].field, value});
      }
    }
  }
  return parts;
}

}  // namespace

std::vector<MeaningChange> CompareMeanings(const Document& before, const Document& after) {
  return MeaningComparison(before, after).Run();
}

bool HaveSameMeaning(const Decoded& before, const Decoded& after) {
  const bool decoded = before.problem == DecodeProblem::kNone;
  if (decoded != (after.problem == DecodeProblem::kNone)) return false;
  if (!decoded) return true;
  return SemanticsOf(*before.instruction) == SemanticsOf(*after.instruction) &&
         before.instruction->semantics_version == after.instruction->semantics_version &&
         before.operands == after.operands &&
         KindsAgree(before.instruction->operands, after.instruction->operands);
}

std::vector<TouchedPart> TouchedParts(const Document& before, const Document& after) {
  std::vector<TouchedPart> parts;
  const DocumentDiff diff = DiffDocuments(before, after);
  std::string done;
  for (const InstructionChange& change : diff.changes) {
    if (change.kind == ChangeKind::kDocumentation || change.kind == ChangeKind::kGroup) continue;
    if (change.mnemonic == done) continue;
    const auto others = [&](ChangeKind kind) {
      return std::any_of(
          diff.changes.begin(), diff.changes.end(), [&](const InstructionChange& other) {
            return other.mnemonic == change.mnemonic && other.kind != kind &&
                   other.kind != ChangeKind::kDocumentation && other.kind != ChangeKind::kGroup;
          });
    };
    done = change.mnemonic;
    if (change.kind == ChangeKind::kOperands && !others(ChangeKind::kOperands)) {
      const std::vector<TouchedPart> values =
          GainedValues(*RowNamed(before, change.mnemonic), *RowNamed(after, change.mnemonic));
      parts.insert(parts.end(), values.begin(), values.end());
      if (!values.empty()) continue;
    }
    parts.push_back({change.mnemonic, change.kind == ChangeKind::kRemoved, '\0', 0});
  }
  return parts;
}

std::string TouchedPartText(const TouchedPart& part, const Document& document) {
  if (part.field == '\0') return part.mnemonic;
  const DocumentInstruction* row = RowNamed(document, part.mnemonic);
  CHECK(row != nullptr);
  const Operand* operand = OperandOf(row->operands, part.field);
  CHECK(operand != nullptr);
  return absl::StrCat(part.mnemonic, " ", Absl(TraitsOf(operand->kind).name), " ", part.value);
}

}  // namespace moescope::isa
