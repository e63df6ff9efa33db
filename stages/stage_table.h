#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "isa/program.h"
#include "stages/vocabulary.h"

namespace moescope::stages {

// --stage-errors: whether an unknown stage name is an error, or a warning whose code goes to the bucket.
enum class UnknownStage : std::uint8_t { kError, kWarning };

// A comment as the assembler saw it, in text order after macro expansion and inclusion.
struct Comment {
  std::string_view text;        // behind the comment character(s), up to the line end
  bool is_semicolon = true;     // only ';' starts a marker
  bool stands_alone = true;     // nothing but blanks before it on its line
  SourceLocation location;      // of the first character of the comment
  std::string source_line;
};

// Turns the stage markers of a program (profile.md, 2) into its stage table while it is assembled.
// Feed comments, loops and the growing pc in text order, then Finish.
class StageTableBuilder {
 public:
  explicit StageTableBuilder(const Vocabulary& vocabulary, UnknownStage unknown = UnknownStage::kError);

  // `pc` is the index of the next word to be emitted.
  void OnComment(const Comment& comment, std::uint32_t pc);
  void OnLoopStart(const SourceLocation& location, std::uint32_t pc);
  void OnLoopEnd(const SourceLocation& location, std::uint32_t pc);

  // Sets names, ranges, attribution, unresolved_markers of `program` and appends to its files. Call
  // once, after the words are in place.
  void Finish(isa::Program& program);

  // The MS0xx findings so far, in the order they were met.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  const Vocabulary& vocabulary_;
  UnknownStage unknown_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace moescope::stages
