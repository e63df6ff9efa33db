#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "asm/assembler.h"
#include "base/diagnostic.h"
#include "isa/program.h"

namespace moescope::assembler {

enum class ProgramFormat : std::uint8_t { kContainer, kMem, kBinary, kAssembly };

// What a file holds: a container by its first bytes, else by the suffix of its name (.asm .s .inc;
// .mem .hex; .bin), else by its content.
ProgramFormat DetectProgramFormat(std::string_view bytes, const std::string& path);

struct LoadedProgram {
  isa::Program program;
  ProgramFormat format = ProgramFormat::kAssembly;
  std::vector<Diagnostic> findings;  // of the assembler
};

// Makes a program of the bytes of a file in any of these formats.
absl::StatusOr<LoadedProgram> LoadProgram(std::string bytes, const std::string& path,
                                          ProgramFormat format, const AssembleOptions& options,
                                          bool force_isa = false);

}  // namespace moescope::assembler
