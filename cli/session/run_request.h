#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/dumps.h"
#include "profiler/log/commit_log.h"
#include "profiler/trace/trace_options.h"
#include "stages/stage_table.h"

// What a run is asked to do: the content of a run manifest and of the options of `moescope run`
// (tools.md, 3). Plain data; paths are as the process opens them.

namespace moescope::session {

using KeyValue = std::pair<std::string, std::string>;

struct ProgramRequest {
  std::string file;                           // .asm, container or words; "-" = standard input
  std::vector<std::string> stage_vocabulary;  // extension files, or names of shipped ones
  stages::UnknownStage stage_errors = stages::UnknownStage::kError;
  std::string stages;                        // sidecar with the stage table; empty = none
  std::vector<std::string> include_folders;  // of .include
  std::vector<KeyValue> definitions;         // .equ
  bool is_raw = false;                       // a binary of words, whatever it looks like
  std::string isa;                           // ISA document; empty = the built-in set
  bool force_isa = false;                    // read a container of another instruction set
};

struct MachineRequest {
  std::string file;  // empty = the built-in machine
  std::vector<KeyValue> set;
  std::optional<std::string> timing;
  std::vector<KeyValue> dialect;   // keys of isa.md 7
  bool reference_dialect = false;  // the whole set `reference`
  bool strict_encoding = false;
  bool allow_unknown_keys = false;
  bool default_missing_keys = false;  // --settings-fallback=defaults
};

struct ImageRequest {
  std::string file;
  std::uint64_t offset = 0;  // hbm only: byte address of the first byte
};

struct ImagesRequest {
  std::optional<ImageRequest> hbm, vram, fpsram, intsram;
  bool fpsram_is_bf16 = false;
  std::optional<std::uint64_t> hbm_size;  // bytes
};

struct LimitsRequest {
  std::optional<std::uint64_t> max_cycles;
  std::optional<std::uint64_t> max_instructions;
  std::optional<std::uint64_t> timeout_ms;
};

using Memory = emulator::DumpTarget;

// How much of each effect a commit log tells, by name.
inline constexpr std::string_view kCommitLogValues = "none|hash|full";
// Nothing for another name.
std::optional<profiler::CommitLogOptions::Values> ParseCommitLogValues(std::string_view name);

struct OutputsRequest {
  std::string profile;  // empty = none; "-" = standard output
  std::vector<emulator::DumpRequest> dumps;
  std::string dump_dir = ".";
  bool sparse = false;
  std::string expect_report;  // empty = none
  std::string pc_table;       // empty = none
  std::string trace;          // empty = none; compressed when it ends in ".gz"
  profiler::TraceOptions trace_options;
  std::string commit_log;  // empty = none; compressed when it ends in ".gz"
  profiler::LogFilter commit_log_filter;
  profiler::CommitLogOptions::Values commit_log_values = profiler::CommitLogOptions::Values::kHash;
  bool print_table = true;  // the stage table on standard output, unless a profile is asked for
  bool host_stats = false;
};

// How two values may differ.
struct Comparison {
  enum class Kind : std::uint8_t { kExact, kUlp, kRelativeRms, kAbsolute };
  Kind kind = Kind::kExact;
  std::uint64_t ulp = 0;          // of bf16
  std::uint32_t rel_rms_ppm = 0;  // of the expected values' root mean square
  double absolute = 0;            // |a - b| <= absolute + relative * |b|
  double relative = 0;
};

// A matrix in VRAM, column blocks of VLEN one behind the other: element (r, c) lies at
// base + (c / VLEN * physical_rows + r) * VLEN + c % VLEN.
struct MatrixPlace {
  std::uint64_t base = 0;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t physical_rows = 0;
};

struct MemoryExpectation {
  Memory space = Memory::kVram;
  std::uint64_t address = 0;
  std::optional<MatrixPlace> matrix;  // instead of address
  std::vector<double> values;         // or a file
  std::string file;  // .f32 for vram, mram and fpsram; u32 for intsram; bytes for hbm
  Comparison compare;
};

// A figure of the profile and its expected value.
struct MetricExpectation {
  std::string name;  // "cycles", "hbm_read_physical_bytes"
  std::uint64_t value = 0;
};

struct Expectations {
  std::optional<std::string> end;
  std::vector<MetricExpectation> totals;
  std::vector<std::pair<std::string, std::vector<MetricExpectation>>> stages;
  std::vector<MemoryExpectation> memory;
  std::vector<std::pair<Memory, std::string>> sha256;

  bool empty() const {
    return !end && totals.empty() && stages.empty() && memory.empty() && sha256.empty();
  }
};

// The public stage profile of a run (tools.md, 3.1).
struct StageProfileRequest {
  std::string assembly;  // source of the program, with markers or with prose comments; may be empty
  std::string output;    // empty = none
  int version = 1;
};

// The cost classes that a run may be limited to.
inline constexpr std::string_view kCoverageGates = "measured|derived|extrapolated|assumed";

// Demands on the profile; a run that misses one exits 1.
struct GatesRequest {
  std::string coverage;                               // worst cost class allowed; empty = any
  std::optional<std::uint32_t> max_unattributed_ppm;  // of the instructions
};

struct RunRequest {
  ProgramRequest program;
  MachineRequest machine;
  ImagesRequest images;
  LimitsRequest limits;
  OutputsRequest outputs;
  Expectations expect;
  StageProfileRequest stage_profile;
  GatesRequest gates;
  std::map<std::string, std::string> labels;
  std::optional<std::uint64_t> hot_rows;
  std::uint64_t repeat = 1;  // of several runs the last is in a fresh process, and all are equal
  bool sanitize = false;
  bool plena_lines = false;      // the lines that harnesses of the public emulator look for
  std::string expected_profile;  // of an earlier run, for the percentage of the progress line
};

}  // namespace moescope::session
