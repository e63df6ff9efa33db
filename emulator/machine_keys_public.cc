// Keys of the public plena_settings.toml layout (numerics.md, 9).

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

constexpr std::string_view kPublicFile = "public plena_settings.toml, July 2026";

MachineKey Format(std::string_view slot, Member<isa::TensorFormat> member) {
  MachineKey key{absl::StrCat("TRANSACTIONAL.PRECISION.", Absl(slot)), KeyKind::kFormat,
                 CostClass::kDerived, kPublicFile};
  key.required = true;
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
  MachineKey key{absl::StrCat("TRANSACTIONAL.PRECISION.", Absl(slot)), KeyKind::kFormat,
                 CostClass::kDerived, "numerics.md 1: the only legal format"};
  key.required = required;
  key.bf16_only = true;
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
      MachineKey key{
          absl::StrCat("TRANSACTIONAL.LATENCY.", Absl(LatencyKeyName(static_cast<LatencyKey>(i))),
                       enabled ? ".dc_lib_en" : ".dc_lib_dis"),
          KeyKind::kInteger, CostClass::kDerived, kPublicFile};
      key.required = true;
      key.largest = std::numeric_limits<std::uint32_t>::max();
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

}  // namespace

void AppendPublicKeys(std::vector<MachineKey>& keys) {
  AppendConfig(keys);
  AppendFormats(keys);
  AppendLatencies(keys);
}

}  // namespace moescope::emulator
