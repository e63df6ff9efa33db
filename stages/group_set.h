#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "isa/instruction.h"

namespace moescope::stages {

// A set of instruction groups (profile.md, 1.2).
class GroupSet {
 public:
  constexpr GroupSet() = default;
  constexpr GroupSet(std::initializer_list<isa::Group> groups) {
    for (const isa::Group group : groups) Add(group);
  }
  static constexpr GroupSet All() {
    GroupSet all;
    all.bits_ = static_cast<std::uint16_t>((1u << isa::kGroupCount) - 1);
    return all;
  }

  constexpr void Add(isa::Group group) {
    bits_ = static_cast<std::uint16_t>(bits_ | 1u << static_cast<unsigned>(group));
  }
  constexpr void Add(GroupSet groups) { bits_ = static_cast<std::uint16_t>(bits_ | groups.bits_); }
  constexpr bool Contains(isa::Group group) const {
    return (bits_ >> static_cast<unsigned>(group) & 1u) != 0;
  }
  constexpr bool ContainsAll(GroupSet other) const { return (other.bits_ & ~bits_) == 0; }
  constexpr bool empty() const { return bits_ == 0; }

  friend constexpr bool operator==(GroupSet, GroupSet) = default;

 private:
  static_assert(isa::kGroupCount < 16);
  std::uint16_t bits_ = 0;
};

// The group of that name ("MAT"), or nothing.
std::optional<isa::Group> FindGroup(std::string_view name);

// The names in table order, joined: ToString({MAT, VAL}, "+") is "MAT+VAL".
std::string ToString(GroupSet groups, std::string_view separator = " ");

}  // namespace moescope::stages
