#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "emulator/machine.h"
#include "isa/number_format.h"

namespace moescope::emulator {

// What a text means as the value of a key is refused with.
struct OverrideProblem {
  std::string message;
  std::string_view id;
};

// Sets one key of a description from text: numbers as tools.md 1.1 writes them ("0x40", "16G"),
// truth values as true and false, formats as "Plain BF16" or "Mx E4M3 block 8". On success `path`
// receives the full path of the key.
std::optional<OverrideProblem> SetMachineKey(MachineDescription& machine, std::string_view key,
                                             std::string_view value, std::string& path);

// "Plain BF16", "Mx E4M3 block 8": the names that isa::TensorFormatName writes.
std::optional<isa::TensorFormat> ParseTensorFormatText(std::string_view text);

}  // namespace moescope::emulator
