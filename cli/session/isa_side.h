#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session/isa_corpus.h"
#include "emulator/event.h"
#include "emulator/machine.h"
#include "emulator/state/machine_state.h"
#include "isa/instruction_set.h"
#include "profiler/profile.h"

namespace moescope::session {

// A program of a corpus under one of the two instruction sets of a comparison.
struct SideRun {
  isa::Program program;
  emulator::MachineDescription machine;
  std::unique_ptr<emulator::MachineState> state;  // at the end
  emulator::RunEnd end;
  profiler::Profile profile;
  std::vector<std::uint64_t> executed;  // by pc
};

// The program of an entry: assembled, or read as words, under `set`.
absl::StatusOr<isa::Program> ProgramUnder(const CorpusEntry& entry, const isa::InstructionSet& set);

// Runs a program with the machine, images and limits of an entry.
absl::StatusOr<SideRun> RunUnder(const CorpusEntry& entry, isa::Program program,
                                 const isa::InstructionSet& set);

// What differs between the ends and the machine states of two runs: empty, or one line that names
// the first differing register, memory or accumulator.
std::string DifferenceOf(const SideRun& before, const SideRun& after);

// The first executed instruction at which two programs do something else, in words; empty when
// there is none. Runs both again.
absl::StatusOr<std::string> FirstDivergence(const CorpusEntry& entry, const SideRun& before,
                                            const isa::InstructionSet& old_set,
                                            const SideRun& after,
                                            const isa::InstructionSet& new_set);

}  // namespace moescope::session
