#include "cli/session/isa_side.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/session/effect_trail.h"
#include "cli/session/image_inputs.h"
#include "cli/session/machine.h"
#include "cli/session/program.h"
#include "emulator/run.h"
#include "profiler/profile_builder.h"
#include "profiler/recorder.h"

namespace moescope::session {

namespace {

using emulator::MachineState;

std::string EndText(const emulator::RunEnd& end) {
  std::string text(emulator::Name(end.reason));
  if (end.fault) {
    absl::StrAppend(&text, " ", end.fault->id, " at pc ", end.fault->pc, " (", end.fault->text,
                    ")");
  }
  return text;
}

bool SameEnd(const emulator::RunEnd& a, const emulator::RunEnd& b) {
  return a.reason == b.reason && a.instructions == b.instructions && a.pc == b.pc &&
         a.fault.has_value() == b.fault.has_value() && (!a.fault || a.fault->id == b.fault->id);
}

std::string RegisterDifference(const emulator::Registers& a, const emulator::Registers& b) {
  for (std::size_t i = 0; i < a.gp.size(); ++i) {
    if (a.gp[i] != b.gp[i]) return absl::StrFormat("gp%d 0x%X became 0x%X", i, a.gp[i], b.gp[i]);
  }
  for (std::size_t i = 0; i < a.fp.size(); ++i) {
    if (a.fp[i] != b.fp[i]) return absl::StrFormat("f%d 0x%04X became 0x%04X", i, a.fp[i], b.fp[i]);
  }
  for (std::size_t i = 0; i < a.address.size(); ++i) {
    if (a.address[i] != b.address[i]) {
      return absl::StrFormat("a%d 0x%X became 0x%X", i, a.address[i], b.address[i]);
    }
  }
  return a == b ? "" : "a control register differs";
}

template <typename Word>
std::string WordDifference(const char* name, const emulator::WordMemory<Word>& a,
                           const emulator::WordMemory<Word>& b) {
  for (std::uint64_t i = 0; i < a.size(); ++i) {
    if (a.Read(i) == b.Read(i)) continue;
    return absl::StrFormat("%s[%d] 0x%X became 0x%X", name, i, a.Read(i), b.Read(i));
  }
  return "";
}

emulator::RunOptions OptionsOf(const RunRequest& request, const isa::InstructionSet& set) {
  emulator::RunOptions options;
  options.limits.max_cycles = request.limits.max_cycles;
  options.limits.max_instructions = request.limits.max_instructions;
  options.sanitize = request.sanitize;
  options.instructions = &set;
  return options;
}

absl::Status Trail(const CorpusEntry& entry, const SideRun& run, const isa::InstructionSet& set,
                   EffectTrail& trail) {
  MachineState state(run.machine);
  RETURN_IF_ERROR(LoadImages(entry.request.images, state).status());
  emulator::Listener* listeners[] = {&trail};
  emulator::Run(run.program, run.machine, state, listeners, OptionsOf(entry.request, set));
  return absl::OkStatus();
}

std::string PlaceAt(const isa::Program& program, const isa::InstructionSet& set, std::uint32_t pc) {
  return absl::StrCat("pc ", pc, " '", set.Text(program.words[pc]), "'");
}

}  // namespace

absl::StatusOr<isa::Program> ProgramUnder(const CorpusEntry& entry,
                                          const isa::InstructionSet& set) {
  ASSIGN_OR_RETURN(const stages::Vocabulary vocabulary,
                   LoadVocabulary(entry.request.program.stage_vocabulary));
  ASSIGN_OR_RETURN(assembler::LoadedProgram loaded,
                   OpenProgram(entry.request.program, vocabulary, 1, set));
  return std::move(loaded.program);
}

absl::StatusOr<SideRun> RunUnder(const CorpusEntry& entry, isa::Program program,
                                 const isa::InstructionSet& set) {
  SideRun run;
  run.program = std::move(program);
  ASSIGN_OR_RETURN(emulator::MachineFile file,
                   OpenMachine(entry.request.machine, entry.request.images.hbm_size));
  run.machine = std::move(file.machine);
  RETURN_IF_ERROR(CheckStatedShape(run.program, entry.request.program.file, run.machine,
                                   MachineName(entry.request.machine)));
  run.state = std::make_unique<MachineState>(run.machine);
  RETURN_IF_ERROR(LoadImages(entry.request.images, *run.state).status());
  profiler::Recorder recorder;
  emulator::Listener* listeners[] = {&recorder};
  run.end =
      emulator::Run(run.program, run.machine, *run.state, listeners, OptionsOf(entry.request, set));
  profiler::ProfileOptions options;
  options.instruction_set = &set;
  run.profile = profiler::MakeProfile(recorder.recording(), options);
  for (std::size_t pc = 0; pc < run.program.words.size(); ++pc) {
    run.executed.push_back(recorder.recording().instructions[pc]);
  }
  return run;
}

std::string DifferenceOf(const SideRun& before, const SideRun& after) {
  if (!SameEnd(before.end, after.end)) {
    return absl::StrFormat("%s after %d instructions became %s after %d", EndText(before.end),
                           before.end.instructions, EndText(after.end), after.end.instructions);
  }
  const MachineState& a = *before.state;
  const MachineState& b = *after.state;
  std::string text = RegisterDifference(a.registers, b.registers);
  if (text.empty()) text = WordDifference("int", a.int_mem, b.int_mem);
  if (text.empty()) text = WordDifference("fp", a.fp_mem, b.fp_mem);
  if (!text.empty()) return text;
  if (!(a.vram == b.vram)) return "VRAM differs";
  if (!(a.mram == b.mram)) return "MRAM differs";
  if (!(a.hbm == b.hbm)) return "HBM differs";
  if (!(a.accumulators == b.accumulators)) return "an accumulator differs";
  return a.loops == b.loops ? "" : "the loop stack differs";
}

absl::StatusOr<std::string> FirstDivergence(const CorpusEntry& entry, const SideRun& before,
                                            const isa::InstructionSet& old_set,
                                            const SideRun& after,
                                            const isa::InstructionSet& new_set) {
  InstructionRange range;
  for (;;) {
    EffectTrail old_trail(range);
    EffectTrail new_trail(range);
    RETURN_IF_ERROR(Trail(entry, before, old_set, old_trail));
    RETURN_IF_ERROR(Trail(entry, after, new_set, new_trail));
    const auto difference = EffectTrail::FirstDifference(old_trail, new_trail);
    if (!difference) {
      if (old_trail.executed() == new_trail.executed()) return std::string();
      return absl::StrCat("instruction ", std::min(old_trail.executed(), new_trail.executed()),
                          ": only one side executes it");
    }
    range = *difference;
    if (old_trail.stride() > 1 || new_trail.stride() > 1) continue;
    const std::uint64_t first = range.begin;
    return absl::StrCat("instruction ", first, ": ",
                        PlaceAt(before.program, old_set, old_trail.PcOf(first)), " against ",
                        PlaceAt(after.program, new_set, new_trail.PcOf(first)));
  }
}

}  // namespace moescope::session
