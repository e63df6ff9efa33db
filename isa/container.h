#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "isa/instruction_set.h"
#include "isa/program.h"

namespace moescope::isa {

// The program container: a binary file that keeps words, stage table, source positions and stated
// shape together (profile.md, 2.5; tools.md, 5).
//
//   8 bytes  "MOESCOPE"        4 bytes  format version (1)        4 bytes  number of sections
//   per section: 4 bytes name, 4 bytes zero, 8 bytes offset, 8 bytes size, 32 bytes SHA-256
//   32 bytes SHA-256 of everything before
//   the sections, one after the other and nothing else
//
// Sections, each at most once: "ISA " version and hash, "SHAP" stated shape, "WORD" the words,
// "FILE" file names, "STAG" the stage table, "POSN" source positions (absent when unknown). All
// numbers are little-endian, texts are a 4-byte size and bytes.
inline constexpr std::uint32_t kContainerVersion = 1;

std::string WriteContainer(const Program& program,
                           const InstructionSet& set = InstructionSet::Builtin());

// Whether `bytes` begin like a container.
bool IsContainer(std::string_view bytes);

struct ContainerReading {
  const InstructionSet* instruction_set = &InstructionSet::Builtin();
  bool force_isa = false;  // accept a program for an instruction set with another hash
};

// Reads any bytes: a program that Validate accepts, or a diagnostic about `path`. PC001 not a
// container or cut off, PC002 another format version, PC003 a checksum does not match, PC004 a
// malformed section, PC005 another instruction set, PC006 an inconsistent program.
absl::StatusOr<Program> ReadContainer(std::string_view bytes, const std::string& path,
                                      const ContainerReading& reading = {});

}  // namespace moescope::isa
