#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/machine_keys.h"

// How entries of the key table are made: each names a member of the description once, and reader
// and writer follow from it.

namespace moescope::emulator {

template <typename Value>
using Member = Value& (*)(MachineDescription&);

template <typename Value>
MachineKey Integer(std::string path, Member<Value> member, CostClass label,
                   std::string_view source) {
  MachineKey key{std::move(path), KeyKind::kInteger, label, source};
  key.largest = std::numeric_limits<Value>::max();
  // A member is named on a description that can be written; reading through it changes nothing.
  key.integer = [member](const MachineDescription& m) {
    return static_cast<std::uint64_t>(member(const_cast<MachineDescription&>(m)));
  };
  key.set_integer = [member](MachineDescription& m, std::uint64_t value) {
    member(m) = static_cast<Value>(value);
  };
  return key;
}

inline MachineKey Boolean(std::string path, Member<bool> member, CostClass label,
                          std::string_view source) {
  MachineKey key = Integer<bool>(std::move(path), member, label, source);
  key.kind = KeyKind::kBoolean;
  return key;
}

// `name` and `parse` translate a choice.
template <typename Choice>
MachineKey Text(std::string path, Member<Choice> member, std::string_view (*name)(Choice),
                std::optional<Choice> (*parse)(std::string_view),
                std::vector<std::string_view> choices, CostClass label, std::string_view source) {
  MachineKey key{std::move(path), KeyKind::kText, label, source};
  key.choices = std::move(choices);
  key.text = [member, name](const MachineDescription& m) {
    return std::string(name(member(const_cast<MachineDescription&>(m))));
  };
  key.set_text = [member, parse](MachineDescription& m, std::string_view text) {
    if (const std::optional<Choice> value = parse(text)) member(m) = *value;
  };
  return key;
}

// A truth value of the description that a file names by two words.
inline MachineKey TwoWords(std::string path, Member<bool> member, std::string_view off,
                           std::string_view on, std::string_view source,
                           CostClass label = CostClass::kDerived) {
  MachineKey key{std::move(path), KeyKind::kText, label, source};
  key.choices = {off, on};
  key.text = [member, off, on](const MachineDescription& m) {
    return std::string(member(const_cast<MachineDescription&>(m)) ? on : off);
  };
  key.set_text = [member, on](MachineDescription& m, std::string_view text) {
    member(m) = text == on;
  };
  return key;
}

// The parts of the table, in order.
void AppendPublicKeys(std::vector<MachineKey>& keys);
void AppendMoescopeKeys(std::vector<MachineKey>& keys);

}  // namespace moescope::emulator
