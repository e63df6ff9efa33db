#include "asm/program_check.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace moescope::assembler {

namespace {

using isa::OperandKind;
using isa::RegisterFile;

// S_LUI_INT keeps the low 20 bits of its immediate.
constexpr std::uint32_t kFirstLostUpperImmediate = 1u << 20;

// gp0 and f0 read as zero, whatever is written.
bool IsHardwiredZero(const isa::OperandTraits& traits, std::uint32_t value) {
  return traits.writes && value == 0 &&
         (traits.file == RegisterFile::kGp || traits.file == RegisterFile::kFp);
}

bool IsNoOperation(const ProgramCheck::Word& word) {
  return word.form.row->mnemonic == "S_ADDI_INT" && word.parsed.operands.rs1 == 0 &&
         word.parsed.operands.imm == 0;
}

// The range that goes on in range `index` because the region before it was popped.
std::optional<std::uint32_t> ResumedRange(const isa::Program& program, std::size_t index) {
  if (index == 0) return std::nullopt;
  const bool is_push = program.ranges[index].parent == index - 1;
  return is_push ? std::nullopt : program.ranges[index - 1].parent;
}

}  // namespace

Place ProgramCheck::Word::PlaceOf(std::size_t operand) const {
  const Span& span = parsed.spans[operand];
  return assembler::PlaceOf(line, span.length > 0 ? span : statement, order);
}

void ProgramCheck::OnWord(const Word& word, std::uint32_t pc) {
  if (break_pc_) {
    if (!behind_break_) behind_break_ = word.PlaceOfStatement();
    ++words_behind_break_;
    return;
  }
  for (std::size_t i = 0; i < word.form.row->operands.size(); ++i) CheckOperand(word, i);
  if (word.form.role == InstructionRole::kLoopStart) OnLoopStart(word);
  if (word.form.role == InstructionRole::kLoopEnd) OnLoopEnd(word);
  if (word.form.role == InstructionRole::kBreak) break_pc_ = pc;
}

void ProgramCheck::CheckOperand(const Word& word, std::size_t index) {
  const isa::Operand& operand = word.form.row->operands[index];
  if (operand.field == '\0') return;
  const std::uint32_t value = isa::OperandValue(word.parsed.operands, operand.field);
  if (operand.kind == OperandKind::kMask) {
    if (value > 1) {
      reporter_.Report("AS108", absl::StrCat("mask ", value, " means the same as 1; write 1"),
                       word.PlaceOf(index));
    }
    return;
  }
  if (operand.kind == OperandKind::kImmediate22) {
    if (word.form.role == InstructionRole::kLoadUpper && value >= kFirstLostUpperImmediate) {
      reporter_.Report("AS107",
                       absl::StrCat("immediate ", value, " << 12 does not fit in 32 bits: the top ",
                                    "bits are lost (largest 1048575)"),
                       word.PlaceOf(index));
    }
    return;
  }
  const isa::OperandTraits traits = isa::TraitsOf(operand.kind);
  if (traits.file == RegisterFile::kNone || operand.kind == OperandKind::kLoopRegister) return;
  if (IsHardwiredZero(traits, value)) CheckDestination(word, index);
  if (traits.file == RegisterFile::kGp && (open_registers_ >> value & 1) != 0) {
    CheckLoopBody(word, index);
  }
}

void ProgramCheck::CheckDestination(const Word& word, std::size_t index) {
  if (IsNoOperation(word)) return;
  const bool is_gp = isa::TraitsOf(word.form.row->operands[index].kind).file == RegisterFile::kGp;
  reporter_.Report("AS101",
                   absl::StrCat("destination ", is_gp ? "gp0" : "f0",
                                " always reads as zero: the result is dropped"),
                   word.PlaceOf(index));
}

void ProgramCheck::CheckLoopBody(const Word& word, std::size_t index) {
  const isa::Operand& operand = word.form.row->operands[index];
  const std::uint32_t gp = isa::OperandValue(word.parsed.operands, operand.field);
  const bool writes = isa::TraitsOf(operand.kind).writes;
  reporter_.Report(writes ? "AS105" : "AS106",
                   absl::StrCat("gp", gp, " counts an open loop and is ",
                                writes ? "written" : "read", " in its body",
                                writes ? ": the number of passes changes"
                                       : ": the released RTL keeps the count elsewhere"),
                   word.PlaceOf(index), OpenedHere(*FindLoop(gp)));
}

ProgramCheck::OpenLoop* ProgramCheck::FindLoop(std::uint32_t gp) {
  const auto found =
      std::find_if(loops_.begin(), loops_.end(), [gp](const OpenLoop& l) { return l.gp == gp; });
  return found == loops_.end() ? nullptr : &*found;
}

std::vector<DiagnosticNote> ProgramCheck::OpenedHere(const OpenLoop& loop) const {
  return {
      {absl::StrCat("the loop of gp", loop.gp, " begins here"), sources_.LocationOf(loop.start)}};
}

void ProgramCheck::OnLoopStart(const Word& word) {
  const std::uint32_t gp = word.parsed.operands.rd;
  if (OpenLoop* const open = FindLoop(gp)) {
    ++open->restarts;
    return reporter_.Report("AS104", absl::StrCat("gp", gp, " already counts an open loop"),
                            word.PlaceOfStatement(), OpenedHere(*open));
  }
  loops_.push_back({gp, word.PlaceOfStatement()});
  open_registers_ |= 1u << gp;
}

void ProgramCheck::OnLoopEnd(const Word& word) {
  const std::uint32_t gp = word.parsed.operands.rd;
  OpenLoop* const open = FindLoop(gp);
  if (open == nullptr) {
    reporter_.Report("AS104", absl::StrCat("C_LOOP_END gp", gp, " ends no open loop"),
                     word.PlaceOfStatement());
    return;
  }
  if (open->restarts > 0) {
    --open->restarts;
    return;
  }
  if (open != &loops_.back()) {
    reporter_.Report("AS104",
                     absl::StrCat("C_LOOP_END gp", gp, " crosses the loop of gp", loops_.back().gp,
                                  ", which is still open"),
                     word.PlaceOfStatement(), OpenedHere(loops_.back()));
  }
  loops_.erase(loops_.begin() + (open - loops_.data()));
  open_registers_ &= ~(1u << gp);
}

void ProgramCheck::Finish(const isa::Program& program) {
  if (behind_break_) {
    reporter_.Report(
        "AS103",
        absl::StrCat(words_behind_break_, " instruction", words_behind_break_ == 1 ? "" : "s",
                     " after C_BREAK can never run"),
        *behind_break_);
  }
  for (const OpenLoop& loop : loops_) {
    if (break_pc_) break;
    reporter_.Report("AS104", absl::StrCat("the loop of gp", loop.gp, " is never closed"),
                     loop.start);
  }
  CheckMarkers(program);
}

void ProgramCheck::CheckMarkers(const isa::Program& program) {
  // A region counts for every range that encloses it, and what follows a pop for the range that the
  // region interrupted.
  std::vector<std::uint32_t> reachable(program.ranges.size());
  const std::uint32_t end = break_pc_ ? *break_pc_ + 1 : 0xFFFFFFFF;
  for (std::size_t i = program.ranges.size(); i-- > 0;) {
    const isa::StageRange& range = program.ranges[i];
    if (range.begin_pc < std::min(range.end_pc, end)) ++reachable[i];
    if (reachable[i] == 0) continue;
    if (range.parent) ++reachable[*range.parent];
    if (const auto resumed = ResumedRange(program, i)) ++reachable[*resumed];
  }
  auto marker = markers_.begin();
  for (std::size_t i = 0; i < program.ranges.size(); ++i) {
    const isa::StageRange& range = program.ranges[i];
    if (range.line == 0) continue;
    marker = std::find_if(marker, markers_.end(), [&range](const Marker& m) {
      return m.place.at.line == range.line && m.place.at.file == range.file;
    });
    if (marker == markers_.end()) return;
    const Marker& found = *marker++;
    if (!found.opens || reachable[i] > 0) continue;
    reporter_.Report(
        "AS102",
        absl::StrCat("stage marker '", program.names[range.name].name, "' covers no instruction",
                     range.begin_pc < range.end_pc ? " that can run" : ""),
        found.place);
  }
}

}  // namespace moescope::assembler
