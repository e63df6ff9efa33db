#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/event.h"
#include "emulator/label.h"
#include "emulator/machine.h"

// The keys of a machine file, one entry each: reader, overrides, checks of unknown names, effective
// values and their provenance all follow from this table.

namespace moescope::emulator {

enum class KeyKind : std::uint8_t { kInteger, kBoolean, kText, kFloat, kFormat };

struct MachineKey {
  std::string path;  // "TRANSACTIONAL.CONFIG.BLEN"
  KeyKind kind = KeyKind::kInteger;
  Label label;
  std::string_view source;
  std::string suffix;  // what the file adds to the path: ".value", or empty
  bool required = false;
  // Largest integer that the description can hold; rules of value are machine_check's.
  std::uint64_t largest = 0;
  std::vector<std::string_view> choices;  // of kText
  bool bf16_only = false;                 // of kFormat: no other format is legal

  // Integers and truth values (0, 1).
  std::function<std::uint64_t(const MachineDescription&)> integer;
  std::function<void(MachineDescription&, std::uint64_t)> set_integer;
  // kText, kFloat and kFormat. set_text is given one of `choices`, or the text of a number.
  std::function<std::string(const MachineDescription&)> text;
  std::function<void(MachineDescription&, std::string_view)> set_text;
  // kFloat and kFormat.
  std::function<void(MachineDescription&, float)> set_float;
  std::function<void(MachineDescription&, const isa::TensorFormat&)> set_format;

  std::string FilePath() const { return path + suffix; }
};

// In the order of numerics.md 9 and timing.md 2.
const std::vector<MachineKey>& MachineKeys();

// Keys of the public layout that are read and not used.
const std::vector<std::string>& AcceptedKeys();

// The key that `name` means: its path, or any dotted tail of one ("MLEN", "hbm.channels").
struct KeyMatch {
  const MachineKey* key = nullptr;           // null unless exactly one fits
  std::vector<std::string_view> candidates;  // paths that fit, when several do
};
KeyMatch FindMachineKey(std::string_view name);

}  // namespace moescope::emulator
