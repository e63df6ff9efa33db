#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

// Files that hold bare words and nothing else (isa.md, 3.5).

namespace moescope::assembler {

// One "0x%08X" per line, upper-case digits.
std::string WriteMem(std::span<const std::uint32_t> words);
// Eight upper-case digits per line, without prefix.
std::string WriteHex(std::span<const std::uint32_t> words);
// The same with a comment and the address of the first word, for Verilog's $readmemh.
std::string WriteReadmemh(std::span<const std::uint32_t> words);
// Four bytes per word, lowest first.
std::string WriteBinary(std::span<const std::uint32_t> words);

// Words of one to eight hex digits with or without 0x or 0X, separated by blanks; comments begin
// with ';' or '//'. Any other token is a diagnostic with its place (PC020), up to 20 of them; so is
// a file without words (PC021).
absl::StatusOr<std::vector<std::uint32_t>> ReadMem(std::string_view text, const std::string& path);

// PC022 when the size is no multiple of 4, PC021 when there are no bytes.
absl::StatusOr<std::vector<std::uint32_t>> ReadBinary(std::string_view bytes,
                                                      const std::string& path);

}  // namespace moescope::assembler
