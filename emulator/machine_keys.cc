#include "emulator/machine_keys.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "emulator/machine_text.h"
#include "isa/format_text.h"

namespace moescope::emulator {

namespace {

using Description = MachineDescription;

constexpr std::string_view kPublicFile = "public plena_settings.toml, July 2026";
constexpr std::string_view kIsa = "isa.md 1 and 7";
constexpr std::string_view kSerial = "timing.md 3.2: reproduces the public emulator";
constexpr std::string_view kControlPath = "simulation of the released RTL's control path";
constexpr std::string_view kScoreboard = "public prefill-DSE scoreboard";
constexpr std::string_view kRtlText = "text of the released RTL";
constexpr std::string_view kClock = "timing.md 2";
constexpr std::string_view kHbm = "timing.md 6: Ramulator 2 HBM2 preset with the public patch";

// Names a member of the description; both reader and writer follow from it.
template <typename Value>
using Member = Value& (*)(Description&);

template <typename Value>
MachineKey Integer(std::string path, Member<Value> member, CostClass label,
                   std::string_view source) {
  MachineKey key;
  key.path = std::move(path);
  key.largest = std::numeric_limits<Value>::max();
  key.label = label;
  key.source = source;
  // The reader gets a copy, because a member is named on a description that can be written.
  key.integer = [member](const Description& m) {
    return static_cast<std::uint64_t>(member(const_cast<Description&>(m)));
  };
  key.set_integer = [member](Description& m, std::uint64_t value) {
    member(m) = static_cast<Value>(value);
  };
  return key;
}

MachineKey Boolean(std::string path, Member<bool> member, CostClass label,
                   std::string_view source) {
  MachineKey key = Integer<bool>(std::move(path), member, label, source);
  key.kind = KeyKind::kBoolean;
  return key;
}

// `name` and `parse` translate a choice.
template <typename Choice>
MachineKey Text(std::string path, Member<Choice> member, std::string_view (*name)(Choice),
                std::optional<Choice> (*parse)(std::string_view),
                std::vector<std::string_view> choices, CostClass label, std::string_view source) {
  MachineKey key;
  key.path = std::move(path);
  key.kind = KeyKind::kText;
  key.label = label;
  key.source = source;
  key.choices = std::move(choices);
  key.text = [member, name](const Description& m) {
    return std::string(name(member(const_cast<Description&>(m))));
  };
  key.set_text = [member, parse](Description& m, std::string_view text) {
    if (const std::optional<Choice> value = parse(text)) member(m) = *value;
  };
  return key;
}

// A truth value of the description that a file names by two words.
MachineKey TwoWords(std::string path, Member<bool> member, std::string_view off,
                    std::string_view on, std::string_view source,
                    CostClass label = CostClass::kDerived) {
  MachineKey key;
  key.label = label;
  key.path = std::move(path);
  key.kind = KeyKind::kText;
  key.source = source;
  key.choices = {off, on};
  key.text = [member, off, on](const Description& m) {
    return std::string(member(const_cast<Description&>(m)) ? on : off);
  };
  key.set_text = [member, on](Description& m, std::string_view text) { member(m) = text == on; };
  return key;
}

MachineKey Format(std::string_view slot, Member<isa::TensorFormat> member) {
  MachineKey key;
  key.path = absl::StrCat("TRANSACTIONAL.PRECISION.", Absl(slot));
  key.kind = KeyKind::kFormat;
  key.required = true;
  key.source = kPublicFile;
  key.text = [member](const Description& m) {
    return isa::TensorFormatName(member(const_cast<Description&>(m)));
  };
  key.set_format = [member](Description& m, const isa::TensorFormat& format) {
    member(m) = format;
  };
  return key;
}

template <typename Value>
MachineKey Config(std::string_view name, Member<Value> member, bool required = true) {
  MachineKey key = Integer<Value>(absl::StrCat("TRANSACTIONAL.CONFIG.", Absl(name)), member,
                                  CostClass::kDerived, kPublicFile);
  key.suffix = ".value";
  key.required = required;
  return key;
}

void AppendConfig(std::vector<MachineKey>& keys) {
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  keys.push_back(Config<U32>("BLEN", [](Description& m) -> U32& { return m.shape.blen; }));
  keys.push_back(Config<U32>("HLEN", [](Description& m) -> U32& { return m.shape.hlen; }));
  keys.push_back(Config<U32>("MLEN", [](Description& m) -> U32& { return m.shape.mlen; }));
  keys.push_back(Config<U32>("VLEN", [](Description& m) -> U32& { return m.shape.vlen; }));
  keys.push_back(
      Config<U32>("BROADCAST_AMOUNT", [](Description& m) -> U32& { return m.shape.broadcast; }));
  keys.push_back(
      Config<U64>("HBM_SIZE", [](Description& m) -> U64& { return m.memory.hbm_bytes; }));
  keys.push_back(
      Config<U32>("MATRIX_SRAM_SIZE", [](Description& m) -> U32& { return m.memory.matrix_rows; }));
  keys.push_back(
      Config<U32>("VECTOR_SRAM_SIZE", [](Description& m) -> U32& { return m.memory.vector_rows; }));
  keys.push_back(Config<U32>("HBM_M_Prefetch_Amount",
                             [](Description& m) -> U32& { return m.rows.matrix_prefetch; }));
  keys.push_back(Config<U32>("HBM_V_Prefetch_Amount",
                             [](Description& m) -> U32& { return m.rows.vector_prefetch; }));
  keys.push_back(Config<U32>("HBM_V_Writeback_Amount",
                             [](Description& m) -> U32& { return m.rows.vector_store; }));
  // Any nonzero value selects the first column.
  MachineKey dc = Config<bool>("DC_EN", [](Description& m) -> bool& { return m.dc_enabled; });
  dc.largest = std::numeric_limits<std::int64_t>::max();
  dc.set_integer = [](Description& m, U64 value) { m.dc_enabled = value != 0; };
  keys.push_back(std::move(dc));
  keys.push_back(Config<U64>(
      "MAX_LOOP_INSTRUCTIONS", [](Description& m) -> U64& { return m.max_loop_instructions; },
      /*required=*/false));
}

// A slot of the public layout that can hold bf16 only.
MachineKey Bf16Format(std::string_view slot, bool required) {
  MachineKey key;
  key.path = absl::StrCat("TRANSACTIONAL.PRECISION.", Absl(slot));
  key.kind = KeyKind::kFormat;
  key.required = required;
  key.bf16_only = true;
  key.source = "numerics.md 1: the only legal format";
  key.text = [](const Description&) { return isa::TensorFormatName(isa::Plain(isa::kBf16)); };
  key.set_format = [](Description&, const isa::TensorFormat&) {};
  return key;
}

void AppendFormats(std::vector<MachineKey>& keys) {
  using F = isa::TensorFormat;
  keys.push_back(Bf16Format("VECTOR_SRAM_TYPE", /*required=*/true));
  keys.push_back(Bf16Format("SCALAR_FP", /*required=*/false));
  keys.push_back(
      Format("MATRIX_SRAM_TYPE", [](Description& m) -> F& { return m.formats.matrix_sram; }));
  keys.push_back(
      Format("HBM_M_WEIGHT_TYPE", [](Description& m) -> F& { return m.formats.matrix_weight; }));
  keys.push_back(Format("HBM_M_KV_TYPE", [](Description& m) -> F& { return m.formats.matrix_kv; }));
  keys.push_back(
      Format("HBM_V_ACT_TYPE", [](Description& m) -> F& { return m.formats.vector_activation; }));
  keys.push_back(Format("HBM_V_KV_TYPE", [](Description& m) -> F& { return m.formats.vector_kv; }));
}

void AppendLatencies(std::vector<MachineKey>& keys) {
  for (std::size_t i = 0; i < kLatencyKeyCount; ++i) {
    for (const bool enabled : {true, false}) {
      MachineKey key;
      key.path =
          absl::StrCat("TRANSACTIONAL.LATENCY.", Absl(LatencyKeyName(static_cast<LatencyKey>(i))),
                       enabled ? ".dc_lib_en" : ".dc_lib_dis");
      key.required = true;
      key.largest = std::numeric_limits<std::uint32_t>::max();
      key.source = kPublicFile;
      key.integer = [i, enabled](const Description& m) -> std::uint64_t {
        return enabled ? m.latency[i].enabled : m.latency[i].disabled;
      };
      key.set_integer = [i, enabled](Description& m, std::uint64_t value) {
        (enabled ? m.latency[i].enabled : m.latency[i].disabled) =
            static_cast<std::uint32_t>(value);
      };
      keys.push_back(std::move(key));
    }
  }
}

MachineKey BmmScaleKey() {
  MachineKey key;
  key.path = "MOESCOPE.bmm_scale";
  key.kind = KeyKind::kFloat;
  key.source = "isa.md 7: 1/sqrt(HLEN) unless set";
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

const std::vector<MachineKey>& MachineKeys() {
  static const std::vector<MachineKey>* const kKeys = [] {
    auto* keys = new std::vector<MachineKey>;
    AppendConfig(*keys);
    AppendFormats(*keys);
    AppendLatencies(*keys);
    AppendDialect(*keys);
    AppendTiming(*keys);
    AppendSerial(*keys);
    AppendPipelined(*keys);
    AppendRtl(*keys);
    AppendHbm(*keys);
    return keys;
  }();
  return *kKeys;
}

const std::vector<std::string>& AcceptedKeys() {
  static const std::vector<std::string>* const kKeys = [] {
    auto* keys = new std::vector<std::string>{"TRANSACTIONAL.CONFIG.HBM_WIDTH.value"};
    for (const char* name : {"VECTOR_LONGEST_OPERATE_CYCLES", "VECTOR_BASIC_CYCLES",
                             "VECTOR_PREFIX_SCAN_CYCLES", "SCALAR_FP_LONGEST_OPERATE_CYCLES"}) {
      keys->push_back(absl::StrCat("TRANSACTIONAL.LATENCY.", name, ".dc_lib_en"));
      keys->push_back(absl::StrCat("TRANSACTIONAL.LATENCY.", name, ".dc_lib_dis"));
    }
    return keys;
  }();
  return *kKeys;
}

KeyMatch FindMachineKey(std::string_view name) {
  KeyMatch match;
  for (const MachineKey& key : MachineKeys()) {
    const std::string file_path = key.FilePath();
    const auto fits = [name](std::string_view path) {
      return path == name || (path.size() > name.size() && path.ends_with(name) &&
                              path[path.size() - name.size() - 1] == '.');
    };
    if (!name.empty() && (fits(key.path) || fits(file_path))) {
      match.candidates.push_back(key.path);
      match.key = &key;
    }
  }
  if (match.candidates.size() != 1) match.key = nullptr;
  return match;
}

}  // namespace moescope::emulator
