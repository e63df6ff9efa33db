#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/event.h"
#include "emulator/execute/matrix_kernel.h"
#include "emulator/machine.h"
#include "emulator/state/machine_state.h"
#include "emulator/timing_model.h"
#include "isa/instruction_set.h"
#include "isa/program.h"

namespace moescope::emulator {

// What ends a run before its program does. All are looked at between instructions.
struct Limits {
  // The run ends before the first instruction at which this many cycles have passed.
  std::optional<Cycle> max_cycles;
  // Executed instructions.
  std::optional<std::uint64_t> max_instructions;
  // Host time; looked at every few thousand instructions.
  std::optional<std::chrono::nanoseconds> timeout;
  // Set by a signal handler to the number of the signal; 0 = none. May be null.
  const std::atomic<int>* interrupt = nullptr;
};

// How far a run is.
struct Progress {
  std::uint64_t instructions = 0;
  Cycle cycle = 0;
  std::uint32_t pc = 0;
};

struct RunOptions {
  Limits limits;
  // Called every few thousand instructions, between two of them. May be empty.
  std::function<void(const Progress&)> on_progress;
  bool sanitize = false;
  FusedMultiply fused_multiply = FusedMultiply::kFastest;
  std::vector<ImageRecord> images;                    // for the description of the run
  const isa::InstructionSet* instructions = nullptr;  // null = the built-in set
};

// Executes `program` on `state` from state.pc until it ends, faults or meets a limit, under the
// timing model and HBM model that the machine description names, and announces everything to the
// listeners. The machine passed CheckMachine; the state was made for it. After a fault the state is
// that before the faulting instruction; after a deadlock, which would be a defect of a timing
// model, that behind the waiting one.
RunEnd Run(const isa::Program& program, const MachineDescription& machine, MachineState& state,
           std::span<Listener* const> listeners = {}, const RunOptions& options = {});

// The same with a timing model of the caller's, or with none: then every instruction is accepted at
// cycle 0 and nothing else is timed.
RunEnd Run(const isa::Program& program, const MachineDescription& machine, MachineState& state,
           TimingModel* timing, std::span<Listener* const> listeners, const RunOptions& options);

// The part of a run's description that follows from program, machine and images; what the timing
// model can say is added by it.
RunDescription DescribeRun(const isa::Program& program, const MachineDescription& machine,
                           const std::vector<ImageRecord>& images);

}  // namespace moescope::emulator
