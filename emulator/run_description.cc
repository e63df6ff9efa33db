#include "emulator/effective_parameters.h"
#include "emulator/hbm/address_map.h"
#include "emulator/machine_text.h"
#include "emulator/run.h"
#include "isa/format_text.h"

namespace moescope::emulator {

namespace {

std::vector<std::pair<std::string, std::string>> DialectTexts(const MachineDescription& machine) {
  const Dialect& d = machine.dialect;
  return {{"convention", std::string(isa::ConventionName(d.convention))},
          {"scale_rule", std::string(EffectiveScaleRuleName(d))},
          {"masked_reduction", std::string(MaskedReductionName(d.masked_reduction))},
          {"scale_read", std::string(ScaleReadName(d.scale_read))},
          {"bmm_scale", FloatText(BmmScale(machine))},
          {"strict_encoding", d.strict_encoding ? "true" : "false"}};
}

// One burst per channel and DRAM clock.
std::uint64_t PeakBytesPerKilocycle(const MachineDescription& machine) {
  return std::uint64_t{kBurstBytes} * machine.hbm.channels * 1000 * machine.core_ps /
         machine.hbm.dram_ps;
}

}  // namespace

RunDescription DescribeRun(const isa::Program& program, const MachineDescription& machine,
                           const std::vector<ImageRecord>& images) {
  RunDescription d;
  d.program = &program;
  d.machine_name = machine.name;
  d.timing_model = std::string(TimingModelName(machine.timing));
  d.latency_profile = std::string(LatencyProfileName(machine.profile));
  d.hbm_model = std::string(HbmModelName(machine.hbm.model));
  d.clock_period_ps = machine.core_ps;
  d.number_convention = std::string(isa::ConventionName(machine.dialect.convention));
  d.scale_rule = std::string(EffectiveScaleRuleName(machine.dialect));
  d.dialect = DialectTexts(machine);
  d.effective = EffectiveParameters(machine);
  d.images = images;
  d.mlen = machine.shape.mlen;
  d.blen = machine.shape.blen;
  d.vlen = machine.shape.vlen;
  d.hlen = machine.shape.hlen;
  d.broadcast = machine.shape.broadcast;
  d.hbm_peak_bytes_per_kcycle = PeakBytesPerKilocycle(machine);
  return d;
}

}  // namespace moescope::emulator
