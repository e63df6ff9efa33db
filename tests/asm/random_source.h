#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/asm/manual_forms.h"

namespace moescope::assembler::test {

// A random source text of instructions, raw words, stage markers and comments, and what each word
// of it is for.
class RandomSource {
 public:
  struct Word {
    std::uint32_t word = 0;
    std::uint32_t line = 0;
    std::string stage;
    std::string pair = "-";
    std::string expert = "-";
  };

  explicit RandomSource(std::uint32_t seed) : generate_(seed), random_(seed) {
    for (std::size_t left = 1 + Below(40); left > 0; --left) Any();
    Instruction();
  }

  std::string text;
  std::vector<Word> words;

 private:
  std::size_t Below(std::size_t limit) { return random_() % limit; }

  void Line(const std::string& line) {
    absl::StrAppend(&text, line, "\n");
    ++lines_;
  }

  void Any() {
    switch (Below(8)) {
      case 0:
        return Marker();
      case 1:
        return Line(Below(2) == 0 ? "" : "; a comment, with @ and stage in it");
      case 2: {
        const auto raw = static_cast<std::uint32_t>(random_());
        Line(absl::StrCat(".word ", raw));
        return Take(raw);
      }
      default:
        return Instruction();
    }
  }

  // Loops, breaks and results that are dropped would be warned about; the words stay as they are.
  void Instruction() {
    const Spec* spec = nullptr;
    do {
      spec = &kSpecs[Below(std::size(kSpecs))];
    } while (std::string_view(spec->mnemonic).starts_with("C_"));
    std::string line = absl::StrCat(Below(2) == 0 ? "  " : "", spec->mnemonic);
    std::uint32_t word = spec->opcode;
    const char* separator = " ";
    for (const Piece& piece : PiecesOf(*spec)) {
      const Written written = generate_.Legal(piece.kind);
      absl::StrAppend(&line, separator, written.text);
      separator = ", ";
      if (piece.field != 0) word |= written.value << ShiftOf(piece.field);
    }
    if (Below(4) == 0) line += " ; behind it";
    Line(line);
    Take(word);
  }

  void Take(std::uint32_t word) { words.push_back({word, lines_, stage_, pair_, expert_}); }

  void Marker() {
    constexpr const char* kLayer[] = {"router_topk", "shared_expert"};
    constexpr const char* kPair[] = {"gather", "expert_projection", "scatter_combine"};
    if (Below(5) == 0) {
      Line("; @stage_end");
      stage_ = "unattributed";
      pair_ = expert_ = "-";
      return;
    }
    const bool of_pair = Below(2) == 0;
    stage_ = of_pair ? kPair[Below(std::size(kPair))] : kLayer[Below(std::size(kLayer))];
    std::string line = absl::StrCat("; @stage=", stage_);
    pair_ = expert_ = "-";
    if (of_pair) {
      pair_ = absl::StrCat(Below(9));
      absl::StrAppend(&line, " pair=", pair_);
      if (Below(2) == 0) {
        expert_ = absl::StrCat(Below(60));
        absl::StrAppend(&line, " expert=", expert_);
      }
    }
    Line(line);
  }

  Generator generate_;
  std::mt19937 random_;
  std::uint32_t lines_ = 0;
  std::string stage_ = "unattributed";
  std::string pair_ = "-";
  std::string expert_ = "-";
};

}  // namespace moescope::assembler::test
