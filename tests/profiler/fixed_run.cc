#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler::test {

namespace {

using emulator::Reason;
using emulator::Unit;

isa::Program RichProgram() {
  return ProgramBuilder()
      .Extension("ksplit_add", isa::StageScope::kPair)
      .Emit("S_ADDI_INT")  // 0
      .Stage("router_topk")
      .Emit("V_TOPK")  // 1
      .Stage("gather", 0)
      .Emit("H_PREFETCH_V")  // 2
      .Stage("expert_weight_prefetch", 0, 3)
      .Emit("H_PREFETCH_M")  // 3
      .Stage("expert_projection", 0)
      .Emit("M_MM")  // 4
      .Push("ksplit_add")
      .Emit("V_ADD_VV")  // 5
      .Pop()
      .Emit("M_MM_WO")  // 6
      .Stage("expert_projection", 1)
      .Emit("M_MM")  // 7
      .Stage("scatter_combine", 1)
      .Emit("V_ADD_VV")  // 8
      .Stage("shared_expert")
      .Unattributed()
      .Emit("H_STORE_V")  // 9
      .Build();
}

// One step of a hand-written schedule: the wait before the accept, then one issue cycle.
struct Step {
  std::uint32_t pc;
  Reason wait;
  emulator::Cycle wait_cycles;
  std::uint32_t producer;
  std::optional<Unit> unit;
  emulator::Cycle busy;
};

constexpr std::uint32_t kNoProducer = emulator::kNoPc;

}  // namespace

RecordedRun RichRun() {
  RecordedRun result;
  result.program = std::make_unique<isa::Program>(RichProgram());
  const isa::Program& program = *result.program;
  emulator::RunDescription run = DescribeRich(program);
  run.cost_class[1] = emulator::CostClass::kAssumed;
  run.cost_class[3] = emulator::CostClass::kMeasured;
  run.cost_class[9] = emulator::CostClass::kExtrapolated;
  Recorder& recorder = *result.recorder;
  recorder.OnBegin(run);
  const std::vector<Step> steps = {
      {0, Reason::kFill, 7, kNoProducer, Unit::kSxAlu, 1},
      {1, Reason::kRawFp, 2, 0, Unit::kVxRed, 40},
      {2, Reason::kSxBusy, 0, kNoProducer, Unit::kDmaV, 30},
      {3, Reason::kDmaSlot, 3, 2, Unit::kDmaM, 200},
      {4, Reason::kHbmBandwidth, 180, 3, Unit::kMxCompute, 8},
      {5, Reason::kRawVram, 4, 4, Unit::kVxElem, 12},
      {6, Reason::kMxBusy, 5, 4, Unit::kMxWriteout, 4},
      {7, Reason::kWoBusy, 1, 6, Unit::kMxCompute, 8},
      {8, Reason::kPortA, 2, 7, Unit::kVxElem, 12},
      {9, Reason::kHbmOrder, 6, 3, Unit::kDmaV, 25},
  };
  emulator::Cycle now = 0;
  std::uint64_t sequence = 0;
  for (const Step& step : steps) {
    recorder.OnAttributed(
        {step.pc, step.wait, now, now + step.wait_cycles, step.producer, step.pc == 9});
    now += step.wait_cycles;
    recorder.OnAccepted({sequence++, step.pc, now});
    recorder.OnAttributed({step.pc, Reason::kIssue, now, now + 1});
    ++now;
    if (step.unit) recorder.OnBusy({*step.unit, step.pc, now, now + step.busy});
    recorder.OnCompleted({step.pc, now + step.busy});
    if (step.pc == 1) recorder.OnRouted({1, 32, std::vector<std::uint32_t>{5, 9}});
  }
  recorder.OnTraffic({2, false, 40, 512, 10, 640, 64, 0});
  recorder.OnTraffic({3, false, 190, 4608, 128, 8192, 0, 0});
  recorder.OnTraffic({9, false, now + 20, 0, 4, 256, 128, 0});
  recorder.OnTraffic({9, true, now + 25, 256, 4, 256, 0, 256});
  recorder.OnAttributed({9, Reason::kDrainDma, now, now + 25});
  emulator::RunEnd end;
  end.cycles = now + 25;
  end.instructions = sequence;
  end.structures = {{"mram_tiles", "tiles", 64, 1, 190}, {"loop_depth", "loops", {}, 0, 0}};
  end.channels = {{.bursts_read = 500, .bursts_written = 16, .row_hits = 400, .row_misses = 3},
                  {.bursts_read = 68, .busy_clocks = 70, .queue_high_water = 12}};
  recorder.OnEnd(end);
  return result;
}

RecordedRun SerialRun() {
  RecordedRun result;
  result.program = std::make_unique<isa::Program>(WorkedExample());
  RunSerially(*result.program, WorkedExampleTrace(), *result.recorder);
  return result;
}

Profile RichProfile() { return RichRun().profile(); }
Profile SerialProfile() { return SerialRun().profile(); }

}  // namespace moescope::profiler::test
