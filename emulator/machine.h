#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/number_format.h"

// The description of a machine: plain data. numerics.md 9 and timing.md 2 define every key; the
// readers are in machine_toml.h, the checks in machine_check.h.

namespace moescope::emulator {

// Tile parameters (isa.md, 1.2).
struct Shape {
  std::uint32_t mlen = 64;
  std::uint32_t blen = 4;
  std::uint32_t vlen = 64;
  std::uint32_t hlen = 16;
  std::uint32_t broadcast = 4;  // BROADCAST_AMOUNT

  friend bool operator==(const Shape&, const Shape&) = default;
};

struct MemorySizes {
  std::uint64_t hbm_bytes = std::uint64_t{16} << 30;
  std::uint32_t matrix_rows = 4096;     // of MLEN elements
  std::uint32_t vector_rows = 4194304;  // of VLEN elements
  std::uint32_t int_words = 1024;
  std::uint32_t fp_words = 1024;

  friend bool operator==(const MemorySizes&, const MemorySizes&) = default;
};

// Rows moved by one H_* instruction; matrix_prefetch is rounded up to a multiple of MLEN when used.
struct TransferRows {
  std::uint32_t matrix_prefetch = 64;
  std::uint32_t vector_prefetch = 4;
  std::uint32_t vector_store = 4;

  friend bool operator==(const TransferRows&, const TransferRows&) = default;
};

// The format slots of numerics.md, 1. VECTOR_SRAM_TYPE and SCALAR_FP are always bf16.
struct Formats {
  isa::TensorFormat matrix_sram = isa::Plain(isa::kBf16);
  isa::TensorFormat matrix_weight = isa::Mx(isa::kE4M3, 8);      // HBM_M_WEIGHT_TYPE
  isa::TensorFormat matrix_kv = isa::Mx(isa::kE4M3, 8);          // HBM_M_KV_TYPE
  isa::TensorFormat vector_activation = isa::Mx(isa::kE4M3, 8);  // HBM_V_ACT_TYPE
  isa::TensorFormat vector_kv = isa::Mx(isa::kE4M3, 8);          // HBM_V_KV_TYPE

  friend bool operator==(const Formats&, const Formats&) = default;
};

enum class MaskedReduction : std::uint8_t { kEnabled, kReference };
enum class ScaleRead : std::uint8_t { kComplete, kSingleBlock };

// Dialect flags (isa.md, 7).
struct Dialect {
  isa::Convention convention = isa::Convention::kOcp;
  isa::ScaleRule scale_rule = isa::ScaleRule::kFloor;  // kOcp only
  MaskedReduction masked_reduction = MaskedReduction::kEnabled;
  ScaleRead scale_read = ScaleRead::kComplete;
  std::optional<float> bmm_scale;  // absent: 1 / sqrt(HLEN)
  bool strict_encoding = false;

  friend bool operator==(const Dialect&, const Dialect&) = default;
};

// Keys of TRANSACTIONAL.LATENCY that cost something in some model.
enum class LatencyKey : std::uint8_t {
  kSystolicProcessingOverhead,
  kVectorAdd,
  kVectorMul,
  kVectorExp,
  kVectorReci,
  kVectorMax,
  kVectorSum,
  kVectorShift,
  kScalarFpBasic,
  kScalarFpExp,
  kScalarFpSqrt,
  kScalarFpReci,
  kScalarIntBasic,
};
inline constexpr std::size_t kLatencyKeyCount =
    static_cast<std::size_t>(LatencyKey::kScalarIntBasic) + 1;
std::string_view LatencyKeyName(LatencyKey key);  // "VECTOR_ADD_CYCLES"

// One row of the LATENCY table: cycles with DC_EN nonzero, and with DC_EN zero.
struct LatencyEntry {
  std::uint32_t enabled = 0;
  std::uint32_t disabled = 0;

  friend bool operator==(const LatencyEntry&, const LatencyEntry&) = default;
};

enum class TimingModelKind : std::uint8_t { kSerial, kPipelined, kRtl };
enum class LatencyProfile : std::uint8_t { kSettings, kDse, kLibrary, kReleased };
enum class HbmModelKind : std::uint8_t { kDram, kFast, kFixed };

// [MOESCOPE.timing.serial] (timing.md, 3.2); the defaults reproduce the public emulator.
struct SerialOptions {
  bool map_v_double = true;
  bool fp0_zero_cost = true;
  bool shift_as_mul = true;
  std::uint32_t wo_cycles = 1;
  std::uint32_t dma_issue_cycles = 0;
  bool merge_lines = false;
  bool store_done_issued = false;  // store_done = "issued" instead of "accept"
  bool drain_at_end = false;
  bool zero_time_tick = true;
  bool admission_per_channel = false;  // admission = "channel" instead of "global"

  friend bool operator==(const SerialOptions&, const SerialOptions&) = default;
};

// The DMA engines of `pipelined` and `rtl` (timing.md, 4.4), in [MOESCOPE.timing.pipelined].
struct DmaOptions {
  std::uint32_t queue = 0;           // transactions that wait behind the one in service
  std::uint32_t issue_overhead = 3;  // cycles from accept to the first line
  bool merge_lines = true;           // plan = "merged"; false: "legacy"
  std::uint32_t lines_per_cycle = 1;
  std::uint32_t max_lines = 64;   // in flight per engine
  std::uint32_t convert_v = 2;    // cycles between the last byte of a V row and its write
  bool store_done_issued = true;  // store_done = "issued"; false: "accept"

  friend bool operator==(const DmaOptions&, const DmaOptions&) = default;
};

// [MOESCOPE.timing.pipelined] (timing.md, 4).
struct PipelinedOptions {
  std::uint32_t fill = 7;           // cycles before the first accept
  std::uint32_t vv_slots = 1;       // slots of a V op with three addresses
  std::uint32_t recovery = 1;       // added to an accept that waited
  std::uint32_t loop_redirect = 3;  // bubble after a taken C_LOOP_END
  bool retire_in_order = true;      // hazard H10
  bool prefetch_v_blocks_vector = false;
  bool matrix_load_blocks_all = false;
  DmaOptions dma;

  friend bool operator==(const PipelinedOptions&, const PipelinedOptions&) = default;
};

// [MOESCOPE.timing.rtl] (timing.md, 5).
struct RtlOptions {
  bool ibuf = true;  // model the instruction buffer (R11)
  std::uint32_t ibuf_words = 32;
  std::uint32_t ibuf_latency = 1;

  friend bool operator==(const RtlOptions&, const RtlOptions&) = default;
};

// [MOESCOPE.timing.cost.<mnemonic>]: replaces the cost of one instruction in the chosen latency
// profile. Formulas as in emulator/timing/cost_formula.h.
struct CostOverride {
  std::string mnemonic;
  std::string result;
  std::string interval;
  std::string label;  // measured derived assumed
  std::string source;

  friend bool operator==(const CostOverride&, const CostOverride&) = default;
};

// [MOESCOPE.hbm] (timing.md, 2 and 6).
struct HbmOptions {
  HbmModelKind model = HbmModelKind::kDram;
  std::uint32_t channels = 8;
  std::uint32_t dram_ps = 1000;
  bool refresh = false;
  std::uint32_t fixed_latency = 12;        // clocks to the first row, model kFixed
  std::uint32_t fixed_rows_per_cycle = 1;  // after it

  friend bool operator==(const HbmOptions&, const HbmOptions&) = default;
};

// The built-in machine: public transactional shape (timing.md, 2: plena-64), except that a
// description that does not name a timing model is serial.
struct MachineDescription {
  std::string name = "plena-64";
  Shape shape;
  MemorySizes memory;
  TransferRows rows;
  Formats formats;
  Dialect dialect;
  std::uint64_t max_loop_instructions = 100000;  // 0 = off
  std::uint32_t max_loop_depth = 0;              // 0 = no limit
  bool dc_enabled = true;
  std::array<LatencyEntry, kLatencyKeyCount> latency = {{{0, 0},
                                                         {1, 2},
                                                         {1, 5},
                                                         {1, 6},
                                                         {2, 7},
                                                         {4, 4},
                                                         {8, 20},
                                                         {1, 1},
                                                         {1, 1},
                                                         {1, 2},
                                                         {1, 2},
                                                         {1, 2},
                                                         {1, 1}}};
  std::uint32_t core_ps = 1000;
  TimingModelKind timing = TimingModelKind::kSerial;
  LatencyProfile profile = LatencyProfile::kDse;
  SerialOptions serial;
  PipelinedOptions pipelined;
  RtlOptions rtl;
  std::vector<CostOverride> costs;
  HbmOptions hbm;

  std::uint32_t Latency(LatencyKey key) const {
    const LatencyEntry& entry = latency[static_cast<std::size_t>(key)];
    return dc_enabled ? entry.enabled : entry.disabled;
  }
  friend bool operator==(const MachineDescription&, const MachineDescription&) = default;
};

// The factor of the broadcast instructions: dialect.bmm_scale, or 1 / sqrt(HLEN) rounded to f32.
float BmmScale(const MachineDescription& machine);

}  // namespace moescope::emulator
