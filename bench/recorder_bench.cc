// What recording costs per executed instruction: the three events of the serial model, and the
// richer stream of a pipelined one.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "emulator/event.h"
#include "isa/instruction_set.h"
#include "profiler/recorder.h"
#include "stages/stage.h"

namespace moescope::profiler {
namespace {

constexpr std::uint32_t kWords = 400'000;
constexpr std::uint32_t kWordsPerRange = 40;
constexpr std::uint32_t kLoop = 100'000;  // words that are executed again and again

// A program of about the size of a full-width layer, all built-in stages in turn.
isa::Program MakeProgram() {
  isa::Program program;
  for (const stages::BuiltinName& stage : stages::kBuiltinStages) {
    program.names.push_back({std::string(stage.name), isa::StageOrigin::kBuiltin, stage.scope, ""});
  }
  const isa::Instruction* add = isa::InstructionSet::Builtin().Find("S_ADDI_INT");
  program.words.assign(kWords, isa::Encode(*add, {}));
  for (std::uint32_t pc = 0; pc < kWords; pc += kWordsPerRange) {
    const std::uint32_t range = pc / kWordsPerRange;
    program.ranges.push_back(
        {.begin_pc = pc, .end_pc = pc + kWordsPerRange, .name = 1 + range % 14, .pair = range % 8});
  }
  return program;
}

emulator::RunDescription Describe(const isa::Program& program) {
  emulator::RunDescription run;
  run.program = &program;
  run.reasons = {emulator::Reason::kIssue, emulator::Reason::kRawVram};
  run.units = {{emulator::Unit::kVxElem, 1}};
  run.cost_class.assign(program.words.size(), emulator::CostClass::kDerived);
  return run;
}

void SerialStream(benchmark::State& state) {
  const isa::Program program = MakeProgram();
  Recorder recorder;
  recorder.OnBegin(Describe(program));
  std::uint64_t i = 0;
  for (auto _ : state) {
    const auto pc = static_cast<std::uint32_t>(i % kLoop);
    recorder.OnAccepted({i, pc, i});
    recorder.OnAttributed({pc, emulator::Reason::kExecute, i, i + 1});
    recorder.OnCompleted({pc, i + 1});
    ++i;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(3 * i));
}
BENCHMARK(SerialStream);

void PipelinedStream(benchmark::State& state) {
  const isa::Program program = MakeProgram();
  Recorder recorder;
  recorder.OnBegin(Describe(program));
  std::uint64_t i = 0;
  for (auto _ : state) {
    const auto pc = static_cast<std::uint32_t>(i % kLoop);
    const emulator::Cycle now = 4 * i;
    recorder.OnAttributed({pc, emulator::Reason::kRawVram, now, now + 3, pc / 2});
    recorder.OnAccepted({i, pc, now + 3});
    recorder.OnAttributed({pc, emulator::Reason::kIssue, now + 3, now + 4});
    recorder.OnBusy({emulator::Unit::kVxElem, pc, now + 3, now + 5});
    recorder.OnCompleted({pc, now + 12});
    if (i % 1024 == 0) recorder.OnPassed({now});
    ++i;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(5 * i));
}
BENCHMARK(PipelinedStream);

}  // namespace
}  // namespace moescope::profiler

BENCHMARK_MAIN();
