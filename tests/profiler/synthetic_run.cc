#include "tests/profiler/synthetic_run.h"

#include <algorithm>

#include "base/check.h"
#include "isa/instruction_set.h"
#include "stages/stage.h"

namespace moescope::profiler::test {

using emulator::Reason;
using emulator::Unit;

ProgramBuilder::ProgramBuilder() {
  for (const stages::BuiltinName& builtin : stages::kBuiltinStages) {
    program_.names.push_back(
        {std::string(builtin.name), isa::StageOrigin::kBuiltin, builtin.scope, ""});
  }
  program_.files = {"layer.asm"};
  program_.attribution = isa::AttributionSource::kMarkers;
}

std::uint32_t ProgramBuilder::IndexOf(std::string_view name) const {
  const auto at = std::find_if(program_.names.begin(), program_.names.end(),
                               [name](const isa::StageName& n) { return n.name == name; });
  CHECK(at != program_.names.end());
  return static_cast<std::uint32_t>(at - program_.names.begin());
}

void ProgramBuilder::Open(Region region) {
  const auto pc = static_cast<std::uint32_t>(program_.words.size());
  if (!program_.ranges.empty()) program_.ranges.back().end_pc = pc;
  program_.ranges.push_back({.begin_pc = pc,
                             .end_pc = pc,
                             .name = region.name,
                             .pair = region.pair,
                             .expert = region.expert,
                             .parent = region.parent});
  current_ = region;
}

ProgramBuilder& ProgramBuilder::Stage(std::string_view name, std::optional<std::uint32_t> pair,
                                      std::optional<std::uint32_t> expert) {
  Open({IndexOf(name), pair, expert, std::nullopt});
  return *this;
}

ProgramBuilder& ProgramBuilder::Push(std::string_view name) {
  outer_.push_back(current_);
  Open({IndexOf(name), current_.pair, current_.expert,
        static_cast<std::uint32_t>(program_.ranges.size() - 1)});
  return *this;
}

ProgramBuilder& ProgramBuilder::Pop() {
  const Region outside = outer_.back();
  outer_.pop_back();
  Open(outside);
  return *this;
}

ProgramBuilder& ProgramBuilder::Unattributed() {
  Open({});
  return *this;
}

ProgramBuilder& ProgramBuilder::Emit(std::string_view mnemonic, int count) {
  if (program_.ranges.empty()) Open({});
  const isa::Instruction* row = isa::InstructionSet::Builtin().Find(mnemonic);
  CHECK(row != nullptr);
  for (int i = 0; i < count; ++i) {
    program_.words.push_back(isa::Encode(*row, {.rd = 1, .rs1 = 2, .rs2 = 3}));
    program_.positions.push_back({0, static_cast<std::uint32_t>(program_.words.size()), 1});
  }
  return *this;
}

ProgramBuilder& ProgramBuilder::Extension(const std::string& name, isa::StageScope scope) {
  program_.names.push_back({name, isa::StageOrigin::kExtension, scope, ""});
  return *this;
}

isa::Program ProgramBuilder::Build() {
  if (program_.ranges.empty()) Open({});
  program_.ranges.back().end_pc = static_cast<std::uint32_t>(program_.words.size());
  const absl::Status status = isa::Validate(program_);
  CHECK_BECAUSE(status.ok(), status.ToString().c_str());
  return program_;
}

emulator::RunDescription Describe(const isa::Program& program) {
  emulator::RunDescription run;
  run.program = &program;
  run.machine_name = "plena-64";
  run.timing_model = "serial";
  run.latency_profile = "dse";
  run.hbm_model = "fast";
  run.clock_period_ps = 1000;
  run.number_convention = "ocp";
  run.scale_rule = "floor";
  run.dialect = {{"masked_reduction", "enabled"}, {"scale_read", "complete"}};
  run.effective = {
      {.key = "TRANSACTIONAL.CONFIG.MLEN", .integer = 64},
      {.key = "MOESCOPE.hbm.model", .kind = emulator::EffectiveValue::Kind::kText, .text = "fast"},
      {.key = "MOESCOPE.hbm.refresh",
       .kind = emulator::EffectiveValue::Kind::kBoolean,
       .integer = 0}};
  run.images = {{"hbm", 4096, "sha256:" + std::string(64, '1')}};
  run.mlen = run.vlen = 64;
  run.blen = run.broadcast = 4;
  run.hlen = 16;
  run.hbm_peak_bytes_per_kcycle = 128'000;
  run.issue_model = "serial, blocking";
  run.reasons = {Reason::kExecute};
  run.cost_class.assign(program.words.size(), emulator::CostClass::kDerived);
  run.laws = {{"serial", "any shape"}};
  return run;
}

emulator::RunDescription DescribeRich(const isa::Program& program) {
  emulator::RunDescription run = Describe(program);
  run.timing_model = "pipelined";
  run.hbm_model = "dram";
  run.issue_model = "in-order, 1/cycle, asynchronous DMA, profile dse";
  run.reasons.clear();
  for (std::size_t i = 0; i < emulator::kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    if (reason != Reason::kExecute && reason != Reason::kOther) run.reasons.push_back(reason);
  }
  for (std::size_t i = 0; i < emulator::kUnitCount; ++i) {
    run.units.push_back({static_cast<Unit>(i), 1});
  }
  run.assumptions = {"A06", "A07"};
  return run;
}

ProfileOptions FixedOptions() {
  ProfileOptions options;
  options.tool = {"moescope", "0.1.0", "0123456789ab"};
  options.isa = {"moescope", "1.1", "sha256:" + std::string(64, '2')};
  options.labels = {{"commit", "abc"}, {"branch", "main"}};
  return options;
}

void RunSerially(const isa::Program& program, const std::vector<std::uint32_t>& trace,
                 Recorder& recorder) {
  recorder.OnBegin(Describe(program));
  emulator::Cycle cycle = 0;
  for (const std::uint32_t pc : trace) {
    recorder.OnAccepted({cycle, pc, cycle});
    recorder.OnAttributed({pc, Reason::kExecute, cycle, cycle + 1});
    recorder.OnCompleted({pc, ++cycle});
  }
  emulator::RunEnd end;
  end.cycles = cycle;
  end.instructions = trace.size();
  recorder.OnEnd(end);
}

isa::Program WorkedExample() {
  return ProgramBuilder()
      .Emit("S_ADDI_INT")
      .Stage("accumulator_init")
      .Emit("S_ADDI_INT")
      .Emit("C_LOOP_START")
      .Emit("S_ST_FP")
      .Emit("S_ADDI_INT")
      .Emit("C_LOOP_END")
      .Stage("scatter_combine", 0)
      .Emit("V_ADD_VV")
      .Build();
}

std::vector<std::uint32_t> WorkedExampleTrace() {
  std::vector<std::uint32_t> trace = {0, 1, 2};
  for (int i = 0; i < 64; ++i) trace.insert(trace.end(), {3, 4, 5});
  trace.push_back(6);
  return trace;
}

}  // namespace moescope::profiler::test
