// Our own keys, under [MOESCOPE] (numerics.md, 9; timing.md, 2 to 6).

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "emulator/machine_key_builders.h"
#include "emulator/machine_text.h"
#include "isa/format_text.h"

namespace moescope::emulator {

namespace {

using Description = MachineDescription;

constexpr std::string_view kIsa = "isa.md 1 and 7";
constexpr std::string_view kSerial = "timing.md 3.2: reproduces the public emulator";
constexpr std::string_view kControlPath = "simulation of the released RTL's control path";
constexpr std::string_view kScoreboard = "public prefill-DSE scoreboard";
constexpr std::string_view kRtlText = "text of the released RTL";
constexpr std::string_view kClock = "timing.md 2";
constexpr std::string_view kHbm = "timing.md 6: Ramulator 2 HBM2 preset with the public patch";

MachineKey BmmScaleKey() {
  MachineKey key{"MOESCOPE.bmm_scale", KeyKind::kFloat, CostClass::kDerived,
                 "isa.md 7: 1/sqrt(HLEN) unless set"};
  key.text = [](const Description& m) { return FloatText(BmmScale(m)); };
  key.set_float = [](Description& m, float value) { m.dialect.bmm_scale = value; };
  return key;
}

void AppendDialect(std::vector<MachineKey>& keys) {
  using U32 = std::uint32_t;
  keys.push_back(Text<isa::Convention>(
      "MOESCOPE.convention",
      [](Description& m) -> isa::Convention& { return m.dialect.convention; }, isa::ConventionName,
      isa::ParseConvention, {"ocp", "reference"}, CostClass::kDerived, "numerics.md 1"));
  MachineKey rule = Text<isa::ScaleRule>(
      "MOESCOPE.scale_rule", [](Description& m) -> isa::ScaleRule& { return m.dialect.scale_rule; },
      isa::ScaleRuleName, isa::ParseScaleRule, {"floor", "ceil", "even", "rceil"},
      CostClass::kDerived, "numerics.md 4.2");
  rule.text = [](const Description& m) { return std::string(EffectiveScaleRuleName(m.dialect)); };
  keys.push_back(std::move(rule));
  keys.push_back(Text<MaskedReduction>(
      "MOESCOPE.masked_reduction",
      [](Description& m) -> MaskedReduction& { return m.dialect.masked_reduction; },
      MaskedReductionName, ParseMaskedReduction, {"enabled", "reference"}, CostClass::kDerived,
      kIsa));
  keys.push_back(Text<ScaleRead>(
      "MOESCOPE.scale_read", [](Description& m) -> ScaleRead& { return m.dialect.scale_read; },
      ScaleReadName, ParseScaleRead, {"complete", "single_block"}, CostClass::kDerived, kIsa));
  keys.push_back(BmmScaleKey());
  keys.push_back(Boolean(
      "MOESCOPE.strict_encoding", [](Description& m) -> bool& { return m.dialect.strict_encoding; },
      CostClass::kDerived, kIsa));
  keys.push_back(Integer<U32>(
      "MOESCOPE.int_sram_words", [](Description& m) -> U32& { return m.memory.int_words; },
      CostClass::kDerived, kIsa));
  keys.push_back(Integer<U32>(
      "MOESCOPE.fp_sram_words", [](Description& m) -> U32& { return m.memory.fp_words; },
      CostClass::kDerived, kIsa));
  keys.push_back(Integer<U32>(
      "MOESCOPE.max_loop_depth", [](Description& m) -> U32& { return m.max_loop_depth; },
      CostClass::kDerived, kIsa));
}

void AppendTiming(std::vector<MachineKey>& keys) {
  using U32 = std::uint32_t;
  keys.push_back(Integer<U32>(
      "MOESCOPE.clock.core_ps", [](Description& m) -> U32& { return m.core_ps; },
      CostClass::kAssumed, kClock));
  keys.push_back(Text<TimingModelKind>(
      "MOESCOPE.timing.model", [](Description& m) -> TimingModelKind& { return m.timing; },
      TimingModelName, ParseTimingModel, {"serial", "pipelined", "rtl"}, CostClass::kDerived,
      kClock));
  keys.push_back(Text<LatencyProfile>(
      "MOESCOPE.timing.latency", [](Description& m) -> LatencyProfile& { return m.profile; },
      LatencyProfileName, ParseLatencyProfile, {"settings", "dse", "library", "released"},
      CostClass::kDerived, kClock));
}

void AppendSerial(std::vector<MachineKey>& keys) {
  using U32 = std::uint32_t;
  const std::string table = "MOESCOPE.timing.serial.";
  const auto boolean = [&](std::string_view name, Member<bool> member) {
    keys.push_back(Boolean(absl::StrCat(table, Absl(name)), member, CostClass::kDerived, kSerial));
  };
  boolean("map_v_double", [](Description& m) -> bool& { return m.serial.map_v_double; });
  boolean("fp0_zero_cost", [](Description& m) -> bool& { return m.serial.fp0_zero_cost; });
  boolean("shift_as_mul", [](Description& m) -> bool& { return m.serial.shift_as_mul; });
  keys.push_back(Integer<U32>(
      table + "wo_cycles", [](Description& m) -> U32& { return m.serial.wo_cycles; },
      CostClass::kDerived, kSerial));
  keys.push_back(Integer<U32>(
      table + "dma_issue_cycles", [](Description& m) -> U32& { return m.serial.dma_issue_cycles; },
      CostClass::kDerived, kSerial));
  boolean("merge_lines", [](Description& m) -> bool& { return m.serial.merge_lines; });
  keys.push_back(TwoWords(
      table + "store_done", [](Description& m) -> bool& { return m.serial.store_done_issued; },
      "accept", "issued", kSerial));
  boolean("drain_at_end", [](Description& m) -> bool& { return m.serial.drain_at_end; });
  boolean("zero_time_tick", [](Description& m) -> bool& { return m.serial.zero_time_tick; });
  keys.push_back(TwoWords(
      table + "admission", [](Description& m) -> bool& { return m.serial.admission_per_channel; },
      "global", "channel", kSerial));
}

void AppendPipelined(std::vector<MachineKey>& keys) {
  using U32 = std::uint32_t;
  const std::string table = "MOESCOPE.timing.pipelined.";
  const auto integer = [&](std::string_view name, Member<U32> member, CostClass label,
                           std::string_view source) {
    keys.push_back(Integer<U32>(absl::StrCat(table, Absl(name)), member, label, source));
  };
  const auto boolean = [&](std::string_view name, Member<bool> member, CostClass label,
                           std::string_view source) {
    keys.push_back(Boolean(absl::StrCat(table, Absl(name)), member, label, source));
  };
  using D = Description;
  integer(
      "fill", [](D& m) -> U32& { return m.pipelined.fill; }, CostClass::kMeasured, kControlPath);
  integer(
      "vv_slots", [](D& m) -> U32& { return m.pipelined.vv_slots; }, CostClass::kAssumed, "A02");
  integer(
      "recovery", [](D& m) -> U32& { return m.pipelined.recovery; }, CostClass::kMeasured,
      kScoreboard);
  integer(
      "loop_redirect", [](D& m) -> U32& { return m.pipelined.loop_redirect; }, CostClass::kMeasured,
      kControlPath);
  boolean(
      "retire_in_order", [](D& m) -> bool& { return m.pipelined.retire_in_order; },
      CostClass::kMeasured, kScoreboard);
  boolean(
      "prefetch_v_blocks_vector",
      [](D& m) -> bool& { return m.pipelined.prefetch_v_blocks_vector; }, CostClass::kDerived,
      kRtlText);
  boolean(
      "matrix_load_blocks_all", [](D& m) -> bool& { return m.pipelined.matrix_load_blocks_all; },
      CostClass::kDerived, kRtlText);
  integer(
      "queue", [](D& m) -> U32& { return m.pipelined.dma.queue; }, CostClass::kDerived, kRtlText);
  integer(
      "issue_overhead", [](D& m) -> U32& { return m.pipelined.dma.issue_overhead; },
      CostClass::kDerived, kRtlText);
  keys.push_back(TwoWords(
      table + "plan", [](D& m) -> bool& { return m.pipelined.dma.merge_lines; }, "legacy", "merged",
      "A08", CostClass::kAssumed));
  integer(
      "lines_per_cycle", [](D& m) -> U32& { return m.pipelined.dma.lines_per_cycle; },
      CostClass::kDerived, kRtlText);
  integer(
      "max_lines", [](D& m) -> U32& { return m.pipelined.dma.max_lines; }, CostClass::kAssumed,
      "A09");
  integer(
      "convert_v", [](D& m) -> U32& { return m.pipelined.dma.convert_v; }, CostClass::kDerived,
      kRtlText);
  keys.push_back(TwoWords(
      table + "store_done", [](D& m) -> bool& { return m.pipelined.dma.store_done_issued; },
      "accept", "issued", kRtlText));
}

void AppendRtl(std::vector<MachineKey>& keys) {
  using U32 = std::uint32_t;
  const std::string table = "MOESCOPE.timing.rtl.";
  keys.push_back(Boolean(
      table + "ibuf", [](Description& m) -> bool& { return m.rtl.ibuf; }, CostClass::kMeasured,
      kControlPath));
  keys.push_back(Integer<U32>(
      table + "ibuf_words", [](Description& m) -> U32& { return m.rtl.ibuf_words; },
      CostClass::kMeasured, kControlPath));
  keys.push_back(Integer<U32>(
      table + "ibuf_latency", [](Description& m) -> U32& { return m.rtl.ibuf_latency; },
      CostClass::kMeasured, kControlPath));
}

void AppendHbm(std::vector<MachineKey>& keys) {
  using U32 = std::uint32_t;
  keys.push_back(Text<HbmModelKind>(
      "MOESCOPE.hbm.model", [](Description& m) -> HbmModelKind& { return m.hbm.model; },
      HbmModelName, ParseHbmModel, {"dram", "fast", "fixed"}, CostClass::kDerived, kHbm));
  keys.push_back(Integer<U32>(
      "MOESCOPE.hbm.channels", [](Description& m) -> U32& { return m.hbm.channels; },
      CostClass::kDerived, kHbm));
  keys.push_back(Integer<U32>(
      "MOESCOPE.hbm.dram_ps", [](Description& m) -> U32& { return m.hbm.dram_ps; },
      CostClass::kDerived, kHbm));
  keys.push_back(Boolean(
      "MOESCOPE.hbm.refresh", [](Description& m) -> bool& { return m.hbm.refresh; },
      CostClass::kDerived, kHbm));
  keys.push_back(Integer<U32>(
      "MOESCOPE.hbm.fixed_latency", [](Description& m) -> U32& { return m.hbm.fixed_latency; },
      CostClass::kAssumed, "A10"));
  keys.push_back(Integer<U32>(
      "MOESCOPE.hbm.fixed_rows_per_cycle",
      [](Description& m) -> U32& { return m.hbm.fixed_rows_per_cycle; }, CostClass::kAssumed,
      "A10"));
}

}  // namespace

void AppendMoescopeKeys(std::vector<MachineKey>& keys) {
  AppendDialect(keys);
  AppendTiming(keys);
  AppendSerial(keys);
  AppendPipelined(keys);
  AppendRtl(keys);
  AppendHbm(keys);
}

}  // namespace moescope::emulator
