#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "asm/assembler.h"
#include "asm/program_file.h"
#include "cli/session/run_request.h"
#include "stages/vocabulary.h"

namespace moescope::session {

// The built-in stages and those of the given extension files, in this order. A name that is no file
// may be that of a shipped vocabulary ("decoder").
absl::StatusOr<stages::Vocabulary> LoadVocabulary(std::span<const std::string> files);

// The instruction set of an ISA document, or the built-in set when no file is named.
absl::StatusOr<std::shared_ptr<const isa::InstructionSet>> LoadInstructionSet(
    const std::string& file);

// The program of a request: assembly, container or bare words, with the stage table of the sidecar
// when one is named. `findings` of the result are warnings and notes of the assembler.
absl::StatusOr<assembler::LoadedProgram> OpenProgram(
    const ProgramRequest& request, const stages::Vocabulary& vocabulary,
    std::size_t max_errors = 20, const isa::InstructionSet& set = isa::InstructionSet::Builtin());

// Instructions [begin, end).
struct PcRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};
// "BEGIN..END"; nothing when it is not that or ends before it begins.
std::optional<PcRange> ParsePcRange(std::string_view text);

// "-D NAME=VALUE" or "-D NAME" (the value is 1).
KeyValue ParseDefinition(const std::string& text);

}  // namespace moescope::session
