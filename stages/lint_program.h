#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction_set.h"
#include "stages/lint.h"

namespace moescope::stages {

// A finding before severities and suppressions are applied.
struct RawFinding {
  std::string_view id;
  LintFinding finding;
  std::optional<std::uint32_t> range;  // that a suppression must cover
};

// What the rules look at: the program with everything that several of them need worked out once.
class LintProgram {
 public:
  explicit LintProgram(const LintInput& input);

  const LintInput& input() const { return input_; }
  const isa::Program& program() const { return *input_.program; }
  const std::vector<isa::StageRange>& ranges() const { return program().ranges; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(program().words.size()); }

  // The decoded word; `instruction` is null when the word is none.
  const isa::Decoded& At(std::uint32_t pc) const { return decoded_[pc]; }
  bool Is(std::uint32_t pc, std::string_view mnemonic) const {
    return decoded_[pc].instruction != nullptr && decoded_[pc].instruction->mnemonic == mnemonic;
  }
  std::uint32_t RangeOf(std::uint32_t pc) const { return range_of_[pc]; }

  bool IsBucket(std::uint32_t range) const { return ranges()[range].name == 0; }
  bool IsEmpty(std::uint32_t range) const {
    return ranges()[range].begin_pc == ranges()[range].end_pc;
  }
  bool IsMarked(std::uint32_t range) const { return ranges()[range].line > 0; }
  bool IsPush(std::uint32_t range) const;
  bool IsPop(std::uint32_t range) const;
  bool HasSameTriple(std::uint32_t a, std::uint32_t b) const;
  bool HasMarkers() const;
  bool HasMnemonic(std::string_view mnemonic) const;

  const isa::StageName& NameOf(std::uint32_t range) const;
  // What the vocabulary says; of the bucket and of unknown names, that anything may stand there.
  const StageRules& RulesOf(std::uint32_t range) const;

  // The pc of the C_LOOP_START of the innermost loop that `pc` lies in, behind its start.
  std::optional<std::uint32_t> LoopAround(std::uint32_t pc) const;
  // The same for the outermost.
  std::optional<std::uint32_t> OutermostLoopAround(std::uint32_t pc) const;

  SourceLocation PlaceOf(std::uint32_t pc) const;
  SourceLocation PlaceOfMarker(std::uint32_t range) const;
  SourceLocation PlaceOf(const isa::SourcePosition& position) const;
  std::string SourceLineOf(const SourceLocation& location) const;

  // Adds a finding at an instruction, or at a marker; the marker that caused the triple is related.
  RawFinding& ReportAt(std::string_view id, std::uint32_t pc, std::string message);
  RawFinding& ReportMarker(std::string_view id, std::uint32_t range, std::string message);
  RawFinding& ReportPlace(std::string_view id, const SourceLocation& place, std::string message);

  std::vector<RawFinding>& findings() { return findings_; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  void FindLoops();

  const LintInput& input_;
  std::vector<isa::Decoded> decoded_;
  std::vector<std::uint32_t> range_of_;        // by pc
  std::vector<std::uint32_t> innermost_loop_;  // by pc: start, or kNone
  std::vector<std::uint32_t> outermost_loop_;
  std::vector<StageRules> rules_;                      // by index into Program::names
  std::vector<std::vector<std::size_t>> line_starts_;  // by file
  std::vector<RawFinding> findings_;
};

}  // namespace moescope::stages
