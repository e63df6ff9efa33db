#include <map>

#include "profiler/verify/families.h"

namespace moescope::profiler {

namespace {

void Add(Work& sum, std::uint64_t instructions, std::uint64_t cycles) {
  sum.instructions += instructions;
  sum.cycles += cycles;
}

void CheckWork(const std::string& name, const Work& left, const char* relation, const Work& right,
               Findings& findings) {
  findings.Equal("PV06", absl::StrCat(name, ": instructions of ", relation), left.instructions,
                 right.instructions);
  findings.Equal("PV06", absl::StrCat(name, ": cycles of ", relation), left.cycles, right.cycles);
}

void CheckFlops(const Profile& profile, Findings& findings) {
  Flops sum;
  for (const StageEntry& stage : profile.stages) Add(sum, stage.counters.flops);
  const Flops& totals = profile.totals.counters.flops;
  findings.Equal("PV06", "flops.matrix: stages sum != totals", sum.matrix, totals.matrix);
  findings.Equal("PV06", "flops.vector: stages sum != totals", sum.vector, totals.vector);
  findings.Equal("PV06", "flops.scalar: stages sum != totals", sum.scalar, totals.scalar);
}

}  // namespace

void CheckOpcodes(const Profile& profile, Findings& findings) {
  Work sum;
  std::uint64_t waits = 0;
  bool has_waits = !profile.opcodes.empty();
  std::map<std::string, Work> by_stages;
  for (const StageEntry& stage : profile.stages) {
    Work of_stage;
    for (const OpcodeCount& opcode : stage.opcodes) {
      Add(of_stage, opcode.instructions, opcode.cycles);
      Add(by_stages[opcode.mnemonic], opcode.instructions, opcode.cycles);
    }
    CheckWork(absl::StrCat("stage '", stage.name, "'"), of_stage, "its opcodes != stage",
              {stage.counters.instructions, stage.counters.cycles}, findings);
  }
  for (const OpcodeEntry& opcode : profile.opcodes) {
    Add(sum, opcode.instructions, opcode.cycles);
    has_waits = has_waits && opcode.wait_cycles.has_value();
    waits += opcode.wait_cycles.value_or(0);
    CheckWork(absl::StrCat("opcode ", opcode.mnemonic), by_stages[opcode.mnemonic],
              "the stages != opcodes", {opcode.instructions, opcode.cycles}, findings);
    findings.AtMost("PV06", absl::StrCat("opcode ", opcode.mnemonic, ": wait_cycles > cycles"),
                    opcode.wait_cycles.value_or(0), opcode.cycles);
  }
  const CounterBlock& totals = profile.totals.counters;
  CheckWork("opcodes", sum, "all opcodes != totals", {totals.instructions, totals.cycles},
            findings);
  if (has_waits && !totals.reasons.empty()) {
    findings.Equal("PV06", "opcodes: wait_cycles of all opcodes != reasons of waiting in totals",
                   waits, SumOf(totals.reasons, kWaitReasons));
  }
  CheckFlops(profile, findings);
}

}  // namespace moescope::profiler
