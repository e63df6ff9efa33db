#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/program.h"

// What a run announces: plain data and the listener interface. Profiles, logs and traces are made
// from these events alone; a listener can change neither a value nor a cycle.

namespace moescope::emulator {

// Core clock cycles since reset.
using Cycle = std::uint64_t;

inline constexpr std::uint32_t kNoPc = 0xFFFFFFFFu;

// Why a cycle passed (timing.md, 7.3): the closed list, in the order of profile.md 5.3.
enum class Reason : std::uint8_t {
  kIssue,
  kExecute,
  kFill,
  kRefill,
  kRecovery,
  kCtrlLoop,
  kHoldInt,
  kRawFp,
  kRawVram,
  kWarWaw,
  kMxBusy,
  kWoBusy,
  kVxBusy,
  kSxBusy,
  kRedPending,
  kSettle,
  kPortA,
  kPortB,
  kMixedLat,
  kDmaSlot,
  kDmaIssue,
  kHbmQueue,
  kHbmRow,
  kHbmBandwidth,
  kHbmLatency,
  kSramFill,
  kHbmOrder,
  kDrainMx,
  kDrainWo,
  kDrainVx,
  kDrainSx,
  kDrainDma,
  kOther,
};
inline constexpr std::size_t kReasonCount = static_cast<std::size_t>(Reason::kOther) + 1;

inline constexpr std::array<std::string_view, kReasonCount> kReasonNames = {
    "issue",       "execute",   "fill",        "refill",    "recovery", "ctrl_loop",
    "hold_int",    "raw_fp",    "raw_vram",    "war_waw",   "mx_busy",  "wo_busy",
    "vx_busy",     "sx_busy",   "red_pending", "settle",    "port_a",   "port_b",
    "mixed_lat",   "dma_slot",  "dma_issue",   "hbm_queue", "hbm_row",  "hbm_bandwidth",
    "hbm_latency", "sram_fill", "hbm_order",   "drain_mx",  "drain_wo", "drain_vx",
    "drain_sx",    "drain_dma", "other"};

enum class Unit : std::uint8_t {
  kMxCompute,
  kMxWriteout,
  kVxElem,
  kVxRed,
  kSxAlu,
  kSxSfu,
  kSxSram,
  kDmaM,
  kDmaV,
  kHbm,
};
inline constexpr std::size_t kUnitCount = static_cast<std::size_t>(Unit::kHbm) + 1;

inline constexpr std::array<std::string_view, kUnitCount> kUnitNames = {
    "mx_compute", "mx_writeout", "vx_elem", "vx_red", "sx_alu",
    "sx_sfu",     "sx_sram",     "dma_m",   "dma_v",  "hbm"};

// Provenance of a cost (timing.md, 1.5), best first.
enum class CostClass : std::uint8_t { kMeasured, kDerived, kExtrapolated, kAssumed, kUnsupported };
inline constexpr std::size_t kCostClassCount =
    static_cast<std::size_t>(CostClass::kUnsupported) + 1;

inline constexpr std::array<std::string_view, kCostClassCount> kCostClassNames = {
    "measured", "derived", "extrapolated", "assumed", "unsupported"};

constexpr std::string_view Name(Reason reason) {
  return kReasonNames[static_cast<std::size_t>(reason)];
}
constexpr std::string_view Name(Unit unit) { return kUnitNames[static_cast<std::size_t>(unit)]; }
constexpr std::string_view Name(CostClass c) {
  return kCostClassNames[static_cast<std::size_t>(c)];
}

// ---- Events -----------------------------------------------------------------------------------

// An instruction was accepted. One per executed instruction, in program order; not sent for one
// that faults.
struct Accepted {
  std::uint64_t sequence = 0;
  std::uint32_t pc = 0;
  Cycle cycle = 0;
};

// Cycles [begin, end) belong to (pc, reason). The pieces of a run partition [0, total).
// `producer_pc` is the instruction waited for, or kNoPc.
struct Attributed {
  std::uint32_t pc = 0;
  Reason reason = Reason::kOther;
  Cycle begin = 0;
  Cycle end = 0;
  std::uint32_t producer_pc = kNoPc;
  // Of a DMA wait: true when it is for a transfer slot (hazard H8), false when for data (H3).
  bool waits_for_slot = false;
};

// All work of one execution of `pc` was done at `cycle`.
struct Completed {
  std::uint32_t pc = 0;
  Cycle cycle = 0;
};

// `unit` worked for `pc` in [begin, end). Intervals of one unit come in ascending order and do not
// overlap: two operations in flight count once, for the older.
struct Busy {
  Unit unit = Unit::kMxCompute;
  std::uint32_t pc = 0;
  Cycle begin = 0;
  Cycle end = 0;
};

// HBM bytes that one execution of `pc` moved (profile.md, 5.3). For reads `repeat_bytes`, for
// writes `rmw_read_bytes`, else 0. `cycle` is when the transfer ended. The lines that a store reads
// to complete partly written ones are announced by a read of the same pc with 0 logical bytes.
struct Traffic {
  std::uint32_t pc = 0;
  bool is_write = false;
  Cycle cycle = 0;
  std::uint64_t logical_bytes = 0;   // payload asked for
  std::uint64_t lines = 0;           // 64-byte lines moved; physical bytes = 64 x lines
  std::uint64_t burst_bytes = 0;     // on the DRAM bus
  std::uint64_t repeat_bytes = 0;    // of lines already read earlier in the run
  std::uint64_t rmw_read_bytes = 0;  // read to complete partly written lines
  // The most bursts that an HBM channel held when it took one of the transfer, itself included, and
  // when; 0 where no queue is modelled.
  std::uint64_t deepest_queue = 0;
  Cycle deepest_queue_cycle = 0;
};

// A V_TOPK chose these experts, in rank order. `ids` is valid during the call.
struct Routed {
  std::uint32_t pc = 0;
  std::uint32_t experts = 0;
  std::span<const std::uint32_t> ids;
};

// No later event of the run begins before `cycle`: lets a listener that merges the intervals of
// several units forget what lies before it. Sent whenever the model knows more, at least once per
// few thousand Busy events by a model that measures units.
struct Passed {
  Cycle cycle = 0;
};

// One change of the machine state by an executed instruction. Sent only when a listener wants
// effects; those of an instruction follow its Accepted event, in the order of writing.
struct Effect {
  enum class Kind : std::uint8_t {
    kIntegerRegister,  // gp3=0x40
    kFpRegister,       // f1=0x3f80
    kAddressRegister,  // a0=0x1000
    kIntegerMemory,    // int[5]=7
    kFpMemory,         // fp[5]=0x3f80
    kVectorRows,       // vram[64..67]=HASH
    kMatrixTiles,      // mram[0..0]=HASH
    kHbmBytes,         // hbm[0x1000..0x123f]=HASH
    kLoopOpened,       // loop+
    kLoopClosed,       // loop-
  };
  Kind kind = Kind::kIntegerRegister;
  std::uint64_t first = 0;      // register, word, row, tile or byte address
  std::uint64_t last = 0;       // the same for one register or word; inclusive
  std::uint64_t value = 0;      // of a register or word
  std::span<const char> bytes;  // written to rows, tiles or HBM; valid during the call
};

// ---- Start and end of a run ---------------------------------------------------------------------

struct ImageRecord {
  std::string target;  // hbm fpsram intsram vram
  std::uint64_t bytes = 0;
  std::string sha256;
};

// One effective configuration value: an integer, a truth value or a text.
struct EffectiveValue {
  enum class Kind : std::uint8_t { kInteger, kBoolean, kText };
  std::string key;  // "TRANSACTIONAL.CONFIG.BLEN", "MOESCOPE.hbm.channels"
  Kind kind = Kind::kInteger;
  std::uint64_t integer = 0;              // kInteger, kBoolean
  std::string text;                       // kText
  CostClass label = CostClass::kDerived;  // provenance, for `machine show`
  bool has_label = false;
  std::string source;
};

struct UnitInstances {
  Unit unit = Unit::kMxCompute;
  std::uint32_t instances = 1;
};

// Everything about a run that is known before its first instruction. The program outlives the run.
struct RunDescription {
  const isa::Program* program = nullptr;
  std::string machine_name;
  std::string timing_model;
  std::string latency_profile;
  std::string hbm_model;
  std::uint32_t clock_period_ps = 1000;
  std::string number_convention;
  std::string scale_rule;
  std::vector<std::pair<std::string, std::string>> dialect;  // key order of isa.md, 7
  std::vector<EffectiveValue> effective;                     // every key, defaults included
  std::vector<ImageRecord> images;

  // Shape facts that counters need.
  std::uint32_t mlen = 0;
  std::uint32_t blen = 0;
  std::uint32_t vlen = 0;
  std::uint32_t hlen = 0;
  std::uint32_t broadcast = 0;
  std::uint64_t hbm_peak_bytes_per_kcycle = 0;

  // What the timing model can say.
  std::string issue_model;
  std::vector<Reason> reasons;                            // that it can produce
  std::vector<UnitInstances> units;                       // that it measures; empty = none
  std::vector<std::string> assumptions;                   // ids of timing.md, 10
  std::vector<CostClass> cost_class;                      // one per static instruction
  std::vector<std::pair<std::string, std::string>> laws;  // name, shapes
  bool measures_completion = true;                        // Completed events are sent
};

enum class FaultCategory : std::uint8_t {
  kIllegalInstruction,
  kIllegalOperand,
  kAlignment,
  kOutOfRange,
  kControl,
  kUnsupported,
  kUninitialised,
  kRace,
};
inline constexpr std::array<std::string_view, 8> kFaultCategoryNames = {
    "illegal_instruction", "illegal_operand", "alignment", "out_of_range", "control",
    "unsupported",         "uninitialised",   "race"};
constexpr std::string_view Name(FaultCategory category) {
  return kFaultCategoryNames[static_cast<std::size_t>(category)];
}

// A fault of the emulated program (isa.md, 6). Nothing of the faulting instruction was committed.
struct Fault {
  FaultCategory category = FaultCategory::kIllegalInstruction;
  std::string id;    // "FT301"
  std::string text;  // values and limits included
  std::uint32_t pc = 0;
  std::uint32_t word = 0;
  std::string disassembly;
  std::string place;                                          // file:line:col, or empty
  std::vector<std::pair<std::string, std::string>> operands;  // "gp3" -> "0x00000040"
  std::vector<std::pair<std::uint32_t, std::uint8_t>>
      open_loops;  // start pc, register; outermost first
  std::string hint;
};

enum class EndReason : std::uint8_t {
  kEnd,
  kBreak,
  kFault,
  kMaxCycles,
  kMaxInstructions,
  kTimeout,
  kInterrupt,
  kDeadlock,
};
inline constexpr std::array<std::string_view, 8> kEndReasonNames = {
    "end", "break", "fault", "max_cycles", "max_instructions", "timeout", "interrupt", "deadlock"};
constexpr std::string_view Name(EndReason reason) {
  return kEndReasonNames[static_cast<std::size_t>(reason)];
}

// High-water mark of a structure (profile.md, 5.5).
struct Structure {
  std::string name;
  std::string unit;
  std::optional<std::uint64_t> capacity;
  std::uint64_t high_water = 0;
  Cycle cycle = 0;
};

struct HbmChannelFigures {
  std::uint64_t bursts_read = 0;
  std::uint64_t bursts_written = 0;
  std::uint64_t row_hits = 0;
  std::uint64_t row_misses = 0;
  std::uint64_t row_conflicts = 0;
  std::uint64_t busy_clocks = 0;
  std::uint64_t queue_high_water = 0;
};

// A hazard that the modelled hardware does not interlock, and how often the program hit it.
struct MissingInterlock {
  std::string name;
  std::uint64_t count = 0;
};

// Why nothing can happen any more although the program has not ended (timing.md, 9: T10).
struct Deadlock {
  // `pc` waits for `resource`, which `holder_pc` holds (kNoPc: nobody will give it).
  struct Wait {
    std::uint32_t pc = kNoPc;
    std::string resource;
    std::uint32_t holder_pc = kNoPc;
  };
  // The unit is taken by `pc` until a cycle; kNoPc: it never worked.
  struct UnitState {
    Unit unit = Unit::kMxCompute;
    std::uint32_t pc = kNoPc;
    std::optional<Cycle> until;  // absent: nothing ends it
  };
  struct RecentEvent {
    enum class Kind : std::uint8_t { kAccepted, kCompleted, kMoved };
    Kind kind = Kind::kAccepted;
    std::uint32_t pc = kNoPc;
    Cycle cycle = 0;
  };
  Cycle since = 0;          // the first wait began
  std::vector<Wait> waits;  // the front end's first, if it waits; then those of transfers
  std::vector<UnitState> units;
  std::vector<RecentEvent> events;  // the last ones, oldest first
};

struct RunEnd {
  EndReason reason = EndReason::kEnd;
  Cycle cycles = 0;  // total, drain included when the run is complete
  std::uint64_t instructions = 0;
  std::optional<std::uint32_t> pc;
  std::optional<Fault> fault;
  std::optional<Deadlock> deadlock;
  std::optional<int> signal;
  std::optional<std::uint64_t> limit;
  std::vector<Structure> structures;
  std::vector<HbmChannelFigures> channels;
  std::optional<std::vector<MissingInterlock>> missing_interlocks;  // absent: not modelled

  bool complete() const { return reason == EndReason::kEnd || reason == EndReason::kBreak; }
};

// Receives the events of one run. The default of each handler ignores the event.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void OnBegin(const RunDescription&) {}
  virtual void OnAccepted(const Accepted&) {}
  virtual void OnAttributed(const Attributed&) {}
  virtual void OnCompleted(const Completed&) {}
  virtual void OnBusy(const Busy&) {}
  virtual void OnTraffic(const Traffic&) {}
  virtual void OnRouted(const Routed&) {}
  virtual void OnPassed(const Passed&) {}
  virtual void OnEffect(const Effect&) {}
  // Whether Effect events are to be made for this listener; asked once, before OnBegin.
  virtual bool WantsEffects() const { return false; }
  virtual void OnEnd(const RunEnd&) {}
};

}  // namespace moescope::emulator
