#include "cli/session/fault_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/string_view.h"
#include "emulator/deadlock_report.h"

namespace moescope::session {

namespace {

void AddNote(Diagnostic& diagnostic, std::string message) {
  diagnostic.notes.push_back({std::move(message), {}});
}

SourceLocation LocationOf(const isa::Program& program, std::uint32_t pc) {
  if (pc >= program.positions.size()) return {};
  const isa::SourcePosition& position = program.positions[pc];
  return {.file = program.files[position.file], .line = position.line, .column = position.column};
}

Diagnostic FaultDiagnostic(const emulator::RunEnd& end, const isa::Program& program) {
  const emulator::Fault& fault = *end.fault;
  Diagnostic diagnostic;
  diagnostic.id = fault.id;
  diagnostic.message = absl::StrCat("the program faulted: ", fault.text);
  diagnostic.location = LocationOf(program, fault.pc);
  AddNote(diagnostic,
          absl::StrFormat("%s at pc %d (0x%08X, %s), cycle %d, in %s",
                          Absl(emulator::Name(fault.category)), fault.pc, fault.word,
                          fault.disassembly, end.cycles, AttributionText(program, fault.pc)));
  if (!fault.operands.empty()) {
    std::string operands = "operands:";
    for (const auto& [name, value] : fault.operands)
      absl::StrAppend(&operands, " ", name, " = ", value, ",");
    operands.pop_back();
    AddNote(diagnostic, operands);
  }
  for (const auto& [pc, reg] : fault.open_loops) {
    AddNote(diagnostic, absl::StrCat("inside the loop on gp", reg, " that starts at pc ", pc));
  }
  if (!fault.hint.empty()) AddNote(diagnostic, fault.hint);
  return diagnostic;
}

struct LimitText {
  const char* id;
  std::string text;
};

LimitText TextOf(const emulator::RunEnd& end) {
  const std::string limit = absl::StrCat(end.limit.value_or(0));
  switch (end.reason) {
    case emulator::EndReason::kMaxCycles:
      return {"LM001", absl::StrCat("the limit of ", limit, " cycles was reached")};
    case emulator::EndReason::kMaxInstructions:
      return {"LM002", absl::StrCat("the limit of ", limit, " instructions was reached")};
    case emulator::EndReason::kTimeout:
      return {"LM003", "the time limit was reached"};
    case emulator::EndReason::kInterrupt:
      return {"LM004", absl::StrCat("interrupted by signal ", end.signal.value_or(0))};
    default:
      return {"FT901", "the program is deadlocked: nothing is pending and it has not ended"};
  }
}

}  // namespace

std::string AttributionText(const isa::Program& program, std::uint32_t pc) {
  const auto range =
      std::find_if(program.ranges.begin(), program.ranges.end(),
                   [pc](const isa::StageRange& r) { return r.begin_pc <= pc && pc < r.end_pc; });
  if (range == program.ranges.end()) return std::string(isa::kUnattributed);
  std::string text = program.names[range->name].name;
  if (range->pair) absl::StrAppend(&text, " pair ", *range->pair);
  if (range->expert) absl::StrAppend(&text, " expert ", *range->expert);
  return text;
}

std::optional<Diagnostic> EndDiagnostic(const emulator::RunEnd& end, const isa::Program& program) {
  if (end.complete()) return std::nullopt;
  if (end.fault) return FaultDiagnostic(end, program);
  const LimitText text = TextOf(end);
  Diagnostic diagnostic;
  diagnostic.id = text.id;
  diagnostic.message = text.text;
  if (end.pc) {
    diagnostic.location = LocationOf(program, *end.pc);
    AddNote(diagnostic, absl::StrFormat("after %d instructions and %d cycles, before pc %d in %s",
                                        end.instructions, end.cycles, *end.pc,
                                        AttributionText(program, *end.pc)));
  }
  if (!end.deadlock) return diagnostic;
  for (std::string& line :
       emulator::DeadlockLines(*end.deadlock, program, isa::InstructionSet::Builtin())) {
    AddNote(diagnostic, std::move(line));
  }
  return diagnostic;
}

}  // namespace moescope::session
