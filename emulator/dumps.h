#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "emulator/machine.h"
#include "emulator/state/machine_state.h"

// Memories and registers as files (tools.md, 3.2; numerics.md, 8): raw, little-endian, no header,
// byte-compatible with the dumps of the public emulator.

namespace moescope::emulator {

enum class DumpTarget : std::uint8_t { kVram, kMram, kFpSram, kIntSram, kHbm, kRegisters };

std::string_view DumpTargetName(DumpTarget target);  // "vram", ..., "registers"
std::string_view DumpFileName(DumpTarget target);    // "vram_dump.bin", "registers.json"
std::optional<DumpTarget> ParseDumpTarget(std::string_view name);

// One file to write. `range` counts rows (vram), tiles (mram), words (fpsram, intsram) or bytes
// (hbm), both ends inclusive; absent = the whole depth. Registers have no range.
struct DumpRequest {
  DumpTarget target = DumpTarget::kVram;
  std::optional<IndexRange> range;
};

// "vram:4..7" or "vram:4". InvalidArgument (IM011) when it is something else.
absl::StatusOr<DumpRequest> ParseDumpRange(std::string_view text);

// What was written, as dump_manifest.json lists it.
struct DumpRecord {
  DumpTarget target = DumpTarget::kVram;
  std::string file;  // name in the folder
  std::uint64_t bytes = 0;
  std::string sha256;
  std::string element;                // "bf16", "u32", "bytes", "E4M3", "json"
  IndexRange range;                   // in the file; of registers 0..0
  std::optional<IndexRange> written;  // by images and instructions; absent = nothing
};

struct DumpOptions {
  std::string folder = ".";
  bool sparse = false;  // leave holes in the files where memory was never touched
};

// Writes each request and then dump_manifest.json. Errors: IM011 a range beyond the memory, IM012 a
// file that cannot be written.
absl::StatusOr<std::vector<DumpRecord>> WriteDumps(const MachineState& state,
                                                   const MachineDescription& machine,
                                                   std::span<const DumpRequest> requests,
                                                   const DumpOptions& options);

// The record of a dump, its hash included, without writing anything.
absl::StatusOr<DumpRecord> DescribeDump(const MachineState& state,
                                        const MachineDescription& machine,
                                        const DumpRequest& request);

}  // namespace moescope::emulator
