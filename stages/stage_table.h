#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "isa/program.h"
#include "stages/marker.h"
#include "stages/vocabulary.h"

namespace moescope::stages {

inline constexpr std::size_t kMaximumRegionDepth = 16;

// --stage-errors: whether an unknown stage name is an error, or a warning whose code goes to the
// bucket.
enum class UnknownStage : std::uint8_t { kError, kWarning };

// A comment as the assembler saw it, in text order after macro expansion and inclusion.
struct Comment {
  std::string_view text;     // behind the comment character(s), up to the line end
  bool is_semicolon = true;  // only ';' starts a marker; otherwise the comment begins with "//"
  bool stands_alone = true;  // nothing but blanks before it on its line
  SourceLocation location;   // of the first character of the comment
  std::string source_line;
  std::uint32_t origin = 0;  // the assembler's number for how this line came to be assembled
};

// Turns the stage markers of a program (profile.md, 2) into its stage table while it is assembled.
// Feed comments, loops and the growing pc in text order, then Finish.
class StageTableBuilder {
 public:
  explicit StageTableBuilder(const Vocabulary& vocabulary,
                             UnknownStage unknown = UnknownStage::kError);

  // `pc` is the index of the next word to be emitted.
  void OnComment(const Comment& comment, std::uint32_t pc);
  // `pc` is the index of the C_LOOP_START or C_LOOP_END word. Unmatched loops are no business of
  // this class.
  void OnLoopStart(const SourceLocation& location, std::uint32_t pc);
  void OnLoopEnd(const SourceLocation& location, std::uint32_t pc);

  // Sets names, ranges, attribution, unresolved_markers of `program` and appends to its files. Call
  // once, after the words are in place.
  void Finish(isa::Program& program);

  // The Comment::origin of each range's marker, 0 for code in front of the first; parallel to
  // Program::ranges. Valid after Finish.
  const std::vector<std::uint32_t>& range_origins() const { return range_origins_; }

  // The MS0xx findings so far, in the order they were met.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  // A triple in force.
  struct Triple {
    std::uint32_t name = 0;  // 0 = bucket, else 1 + index into the vocabulary
    std::optional<std::uint32_t> pair;
    std::optional<std::uint32_t> expert;
    std::optional<std::uint32_t> parent;
    std::string written_name;  // as the marker said it
    SourceLocation location;   // of the marker
  };
  struct Region {
    Triple outside;         // what the pop restores
    std::size_t loops = 0;  // loops open at the push
    bool is_reported = false;
  };

  void Apply(const Marker& marker, const Comment& comment, std::uint32_t pc);
  void ApplySticky(const Marker& marker, const Comment& comment, std::uint32_t pc);
  void ApplyPush(const Marker& marker, const Comment& comment, std::uint32_t pc);
  void ApplyPop(const Comment& comment, std::uint32_t pc);
  void SetTriple(Triple triple, const Comment& marker, std::uint32_t pc);
  void Inherit(Triple& region) const;
  Triple TripleOf(const Marker& marker, const Comment& comment);
  std::uint32_t Resolve(const Marker& marker, const Comment& comment);
  void CheckParent(const Triple& triple, const Marker& marker, const Comment& comment);
  const std::string& UnknownText(std::string_view name);
  const Triple* FindOpen(std::string_view name) const;
  std::uint32_t FileIndex(const std::string& file);
  Diagnostic& Report(std::string_view id, std::string message, const SourceLocation& location,
                     std::string_view source_line);
  static void NoteOpened(Diagnostic& diagnostic, const Triple& opened);

  const Vocabulary& vocabulary_;
  UnknownStage unknown_;
  std::vector<Diagnostic> diagnostics_;
  std::vector<isa::StageRange> ranges_;  // the last one is open; `file` is an index into files_
  std::vector<std::uint32_t> range_origins_{0};
  std::vector<std::string> files_;
  std::uint32_t last_file_ = 0;
  std::vector<SourceLocation> loops_;  // open C_LOOP_STARTs
  std::vector<Region> regions_;        // open regions, outermost first; at most kMaximumRegionDepth
  std::size_t excess_depth_ = 0;       // pushes beyond that, which are errors, still open
  Triple current_;
  std::vector<std::string> unresolved_;                  // in the order met
  std::map<std::string, std::string> unresolved_texts_;  // name -> text of MS001
  bool has_markers_ = false;
};

}  // namespace moescope::stages
