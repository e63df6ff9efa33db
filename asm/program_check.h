#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "asm/expander.h"
#include "asm/instruction_parser.h"
#include "asm/reporter.h"
#include "isa/program.h"

namespace moescope::assembler {

// What is suspicious about a program although each of its lines is right (AS101 to AS108). Fed with
// every word in order.
class ProgramCheck {
 public:
  ProgramCheck(Reporter& reporter, const Sources& sources)
      : reporter_(reporter), sources_(sources) {}

  // A word that decodes, the line it was written in and the part of it that is the statement.
  struct Word {
    const InstructionForm& form;
    const ParsedInstruction& parsed;
    const Line& line;
    Span statement;
    std::uint64_t order;

    Place PlaceOf(std::size_t operand) const;
    Place PlaceOfStatement() const { return assembler::PlaceOf(line, statement, order); }
  };
  void OnWord(const Word& word, std::uint32_t pc);
  // A stage marker, in order; `opens` when it names a stage.
  void OnMarker(const Place& place, bool opens) { markers_.push_back({place, opens}); }

  // After the last word, when the stage table of the program is complete.
  void Finish(const isa::Program& program);

 private:
  struct OpenLoop {
    std::uint32_t gp = 0;
    Place start;
    std::uint32_t restarts = 0;  // starts of the same register while it is open
  };

  struct Marker {
    Place place;
    bool opens = false;
  };

  void CheckOperand(const Word& word, std::size_t index);
  void CheckDestination(const Word& word, std::size_t index);
  void CheckLoopBody(const Word& word, std::size_t index);
  void OnLoopStart(const Word& word);
  void OnLoopEnd(const Word& word);
  void CheckMarkers(const isa::Program& program);
  OpenLoop* FindLoop(std::uint32_t gp);
  std::vector<DiagnosticNote> OpenedHere(const OpenLoop& loop) const;

  Reporter& reporter_;
  const Sources& sources_;
  std::vector<OpenLoop> loops_;            // one per register
  std::uint32_t open_registers_ = 0;       // bit n: gp n counts an open loop
  std::optional<std::uint32_t> break_pc_;  // of the first C_BREAK: nothing after it runs
  std::optional<Place> behind_break_;      // of the first word after it
  std::uint32_t words_behind_break_ = 0;
  std::vector<Marker> markers_;
};

}  // namespace moescope::assembler
