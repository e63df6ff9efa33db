#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "asm/assembler.h"

namespace moescope::assembler {

// What `asm --emit` can write.
enum class OutputFormat : std::uint8_t {
  kContainer,  // isa/container.h
  kMem,
  kHex,
  kBin,
  kReadmemh,
  kJson,  // words, stage table and positions: `moescope.program` v1
  kListing,
};

// The names of the formats, in the order above.
std::span<const std::string_view> OutputFormatNames();
// InvalidArgument with a suggestion when unknown.
absl::StatusOr<OutputFormat> ParseOutputFormat(std::string_view name);
// ".moe", ".mem", ".hex", ".bin", ".vmem", ".json", ".lst".
std::string_view FileSuffixOf(OutputFormat format);

// The bytes of the output file.
std::string Emit(const Assembly& assembly, OutputFormat format,
                 const isa::InstructionSet& set = isa::InstructionSet::Builtin());

}  // namespace moescope::assembler
