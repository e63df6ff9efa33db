#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "asm/assembler.h"
#include "asm/problem.h"
#include "asm/sources.h"

namespace moescope::assembler {

// Where the bytes of a line whose macro parameters were replaced stand in its source file.
class ColumnMap {
 public:
  // `whole_line`: the text is too far from the file for columns; everything maps to all of it.
  explicit ColumnMap(std::size_t raw_size, bool whole_line = false)
      : raw_size_(raw_size), whole_line_(whole_line) {}

  // Bytes [begin, begin + length) of the new text stand for `raw` of the file's line.
  void Add(Span replaced, Span raw) { segments_.push_back({replaced, raw}); }
  Span ToRaw(Span span) const;

 private:
  struct Segment {
    Span replaced;
    Span raw;
  };
  std::vector<Segment> segments_;
  std::size_t raw_size_;
  bool whole_line_;
};

// One line to assemble, without its line end. The text stays valid until the frame it came from is
// left.
struct Line {
  std::string_view text;
  std::uint32_t file = 0;
  std::uint32_t number = 0;
  std::uint32_t origin = 0;
  const ColumnMap* columns = nullptr;  // null: `text` is the line of the file
};

// The place of a part of a line. Everything before a comment is ASCII, so bytes are columns.
Place PlaceOf(const Line& line, Span span, std::uint64_t order);

// Name -> number of the argument.
using MacroParameters = std::map<std::string, std::size_t, std::less<>>;

struct Macro {
  struct BodyLine {
    std::string text;
    std::uint32_t file = 0;
    std::uint32_t number = 0;
    bool was_replaced = false;  // the text is not that of the file
  };

  std::string name;
  std::uint32_t name_number = 0;
  MacroParameters parameters;
  std::vector<BodyLine> body;
  isa::SourcePosition defined;
  bool is_broken = false;  // its definition had an error: uses are ignored
};

// Yields the lines of the inputs with includes, macros and repetitions expanded in place. The
// caller reads the directives and tells what to enter.
class Expander {
 public:
  Expander(Sources& sources, const ExpansionLimits& limits);

  // The inputs, in order, before the first Next.
  void AddInput(std::uint32_t file) { inputs_.push_back(file); }

  // False after the last line, or when a limit is exceeded (then `exceeded` says which).
  bool Next(Line& line);
  const std::optional<std::string>& exceeded() const { return exceeded_; }

  // Continue with other lines, then come back. False when nested too deeply.
  bool EnterFile(std::uint32_t file, const isa::SourcePosition& at, std::uint32_t parent);
  bool EnterMacro(const Macro& macro, std::vector<std::string> arguments,
                  const isa::SourcePosition& at, std::uint32_t parent);
  bool EnterRepetition(std::vector<Line> body, std::uint64_t count, const isa::SourcePosition& at,
                       std::uint32_t parent);
  bool IsOpen(std::uint32_t file) const;

  // Reads the lines of a block whose opening directive was just read, and its end. The problem's
  // place is `line` on return when it is about an end, else the opening directive.
  enum class BlockEnd { kFound, kMissing, kCrossed };
  BlockEnd CollectBlock(std::string_view opener, std::vector<Line>& body, Line& end);

 private:
  struct Frame {
    std::uint32_t origin = 0;
    // of a file
    bool is_file = false;
    std::uint32_t file = 0;
    std::string_view rest;
    bool at_end = false;
    std::uint32_t number = 0;
    // of a macro
    const Macro* macro = nullptr;
    std::vector<std::string> arguments;
    std::vector<std::unique_ptr<std::string>> texts;  // must not move; most uses need none
    std::vector<std::unique_ptr<ColumnMap>> maps;
    // of a repetition
    std::vector<Line> body;
    std::uint64_t left = 0;

    std::size_t next = 0;
  };

  bool NextOf(Frame& frame, Line& line);
  bool NextOfFile(Frame& frame, Line& line);
  bool NextOfMacro(Frame& frame, Line& line);
  bool NextOfRepetition(Frame& frame, Line& line);
  bool Count(const Line& line);
  Frame* Push(Origin::Kind kind, std::uint32_t name, const isa::SourcePosition& at,
              std::uint32_t parent);
  Frame FileFrame(std::uint32_t file) const;

  Sources& sources_;
  ExpansionLimits limits_;
  std::vector<std::uint32_t> inputs_;
  std::size_t next_input_ = 0;
  std::deque<Frame> frames_;
  std::uint64_t lines_ = 0;
  std::uint64_t bytes_ = 0;
  std::optional<std::string> exceeded_;
};

// The lower-case name of the directive that a line begins with, with its dot; empty when none.
std::string DirectiveOf(std::string_view line);

// `text` with each \parameter replaced; names that are no parameter stay.
std::string ReplaceParameters(std::string_view text, const MacroParameters& parameters,
                              const std::vector<std::string>& arguments, ColumnMap& map);

}  // namespace moescope::assembler
