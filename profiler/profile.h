#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/event.h"
#include "profiler/counters.h"

// A profile: plain data with the fields of profile.md 5, in its order. Every number is an exact
// integer; what a run did not measure is absent (an empty optional, or an empty Split) and named in
// `not_measured` with the reason.

namespace moescope::profiler {

inline constexpr std::uint64_t kProfileSchemaVersion = 1;
inline constexpr std::uint64_t kProfileSchemaMinor = 0;

using NamedText = std::pair<std::string, std::string>;

struct End {
  std::string reason;  // a name of emulator::EndReason
  std::uint64_t cycle = 0;
  std::optional<std::uint64_t> pc;
  std::optional<std::string> fault;  // "FT301: text"
  std::optional<std::uint64_t> signal;
  std::optional<std::uint64_t> limit;
};

struct Tool {
  std::string name = "moescope";
  std::string version;
  std::string git;
};

struct VocabularyEntry {
  std::string name;
  std::string origin;  // builtin extension bucket
  std::string scope;   // layer pair
};

struct ProgramIdentity {
  std::string sha256;
  std::uint64_t words = 0;
  std::string stage_table_sha256;
  std::string attribution;  // markers sidecar annotated none
  std::vector<VocabularyEntry> vocabulary;
  std::string vocabulary_sha256;
  std::vector<std::string> unresolved_markers;
};

// A configuration value: a number (truth values are 0 and 1) or a text.
struct ConfigurationValue {
  std::string key;
  bool is_text = false;
  std::uint64_t number = 0;
  std::string text;
};

struct MachineIdentity {
  std::string name;
  std::string sha256;  // of `effective`
  std::string timing_model;
  std::string latency_profile;
  std::string hbm_model;
  std::uint64_t clock_period_ps = 0;
  std::string number_convention;
  std::string scale_rule;
  std::vector<NamedText> dialect;
  std::vector<ConfigurationValue> effective;
};

struct IsaIdentity {
  std::string name;
  std::string version;
  std::string sha256;
};

struct Image {
  std::string target;
  std::uint64_t bytes = 0;
  std::string sha256;
};

// Instructions and cycles per provenance class, in the order of emulator::CostClass.
struct Coverage {
  std::vector<Work> classes;
  std::uint64_t in_domain_ppm = 0;
};

struct WeakOpcode {
  std::string mnemonic;
  std::string cost_class;
};

struct Law {
  std::string name;
  std::string shapes;
};

struct NamedCount {
  std::string name;
  std::uint64_t count = 0;
};

struct Model {
  std::string issue_model;
  std::vector<std::string> reasons;
  std::vector<NamedCount> units;  // name, instances
  std::optional<Coverage> coverage;
  std::vector<std::string> assumptions;
  std::vector<WeakOpcode> weak_opcodes;
  std::vector<Law> laws;
  std::optional<std::vector<NamedCount>> missing_interlocks;
};

struct Totals {
  CounterBlock counters;
  std::uint64_t static_instructions = 0;
  std::uint64_t time_ps = 0;
};

struct OpcodeCount {
  std::string mnemonic;
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
};

// A point in the roofline (profile.md, 5.5). Absent fields have nothing to divide by.
struct RooflinePoint {
  std::optional<std::uint64_t> intensity_milli;  // matrix FLOP / physical byte
  std::optional<std::uint64_t> achieved_milli;   // matrix FLOP / cycle
  std::optional<std::string> bound;              // memory matrix vector latency
};

struct StageEntry {
  std::string name;
  std::string origin;
  std::string scope;
  std::uint64_t static_instructions = 0;
  std::uint64_t calls = 0;
  std::optional<std::uint64_t> first_cycle;
  std::optional<std::uint64_t> last_cycle;
  CounterBlock counters;  // self
  Work inclusive;
  std::uint64_t cycle_share_ppm = 0;
  std::uint64_t instruction_share_ppm = 0;
  std::vector<OpcodeCount> opcodes;
  Split utilisation_ppm;  // by Unit
  std::optional<std::vector<NamedCount>> waits_on;
  std::optional<RooflinePoint> roofline;
};

struct PathEntry {
  std::string path;  // "expert_projection/ksplit_add"
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
};

struct PairStage {
  std::string name;
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::uint64_t read_bytes = 0;   // physical
  std::uint64_t write_bytes = 0;  // physical
};

struct PairRow {
  std::uint64_t pair = 0;
  std::optional<std::uint64_t> expert;
  std::string expert_source;  // marker observed unknown
  CounterBlock counters;      // without reasons and units
  std::vector<PairStage> stages;
};

struct Pairs {
  std::string detail;  // stages totals
  std::vector<PairRow> rows;
  CounterBlock none;
};

struct ExpertRow {
  std::uint64_t expert = 0;
  std::uint64_t pairs = 0;
  CounterBlock counters;  // without reasons and units
};

struct Experts {
  std::vector<ExpertRow> rows;
  CounterBlock none;
};

// What V_TOPK chose. Shape fields are absent when executions differ in them (or when there was
// none).
struct Routing {
  std::uint64_t executions = 0;
  std::optional<std::uint64_t> num_experts;
  std::optional<std::uint64_t> top_k;
  std::vector<std::uint64_t> counts;            // by expert
  std::vector<std::vector<std::uint64_t>> ids;  // per execution, at most 65,536 ids
};

struct OpcodeEntry {
  std::string mnemonic;
  std::string group;
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::optional<std::uint64_t> wait_cycles;
};

struct HotRow {
  std::uint64_t pc = 0;
  std::uint64_t word = 0;
  std::string text;
  std::optional<std::string> file;
  std::optional<std::uint64_t> line;
  std::string stage;
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::optional<std::string> top_reason;
};

struct StructureEntry {
  std::string name;
  std::string unit;
  std::optional<std::uint64_t> capacity;
  std::uint64_t high_water = 0;
  std::uint64_t cycle = 0;
};

struct HbmChannel {
  std::uint64_t channel = 0;
  emulator::HbmChannelFigures figures;
};

struct Roofline {
  std::uint64_t peak_matrix_flops_per_cycle = 0;
  std::uint64_t peak_vector_flops_per_cycle = 0;
  std::uint64_t hbm_peak_bytes_per_kcycle = 0;
  std::uint64_t ridge_milli = 0;
  std::uint64_t issued_flops = 0;  // matrix
  RooflinePoint point;
};

struct StageBins {
  std::string name;
  std::vector<std::uint64_t> cycles;
};

struct TimelineBins {
  std::uint64_t bin_cycles = 1;
  std::vector<std::uint64_t> hbm_read_bytes;   // physical, by the end of the transfer
  std::vector<std::uint64_t> hbm_write_bytes;  // likewise
  std::vector<StageBins> stage_cycles;
};

struct Overlap {
  std::uint64_t memory_busy = 0;
  std::uint64_t compute_busy = 0;
  std::uint64_t both = 0;
  std::uint64_t data_wait = 0;
  std::uint64_t slot_wait = 0;
};

struct Derived {
  std::uint64_t routing_tax_cycles = 0;
  std::vector<std::string> routing_tax_stages;
};

struct NotMeasured {
  std::string field;
  std::string why;
};

// The only non-deterministic part; present only on request.
struct Host {
  std::uint64_t wall_ms = 0;
  std::uint64_t instructions_per_s = 0;
  std::uint64_t cycles_per_s = 0;
  std::uint64_t threads = 1;
};

struct Profile {
  std::uint64_t schema_version = kProfileSchemaVersion;
  std::uint64_t schema_minor = kProfileSchemaMinor;
  bool complete = false;
  End end;
  std::string caveat;  // of shared against routed stages
  Tool tool;
  std::vector<NamedText> labels;  // sorted by key
  ProgramIdentity program;
  MachineIdentity machine;
  IsaIdentity isa;
  std::vector<Image> images;
  Model model;
  Totals totals;
  std::vector<StageEntry> stages;
  std::optional<std::vector<PathEntry>> paths;
  std::optional<Pairs> pairs;
  std::optional<Experts> experts;
  std::optional<Routing> routing;
  std::vector<OpcodeEntry> opcodes;
  std::vector<HotRow> hot;
  std::optional<std::vector<StructureEntry>> structures;
  std::optional<std::vector<HbmChannel>> hbm_channels;
  std::optional<Roofline> roofline;
  std::optional<TimelineBins> timeline;
  std::optional<Overlap> overlap;
  Derived derived;
  std::vector<NotMeasured> not_measured;
  std::uint64_t events_dropped = 0;
  std::optional<Host> host;
  std::string profile_sha256;  // set by the writer
};

// Null when no stage has this name.
const StageEntry* FindStage(const Profile& profile, std::string_view name);

}  // namespace moescope::profiler
