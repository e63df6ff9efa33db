#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "emulator/label.h"
#include "emulator/machine.h"
#include "isa/instruction.h"

// The latency profiles of timing.md 4.2 as data.

namespace moescope::emulator {

// The shapes at which a measured law was measured; outside them it counts as extrapolated.
enum class Domain : std::uint8_t {
  kAny,
  kDseArray,   // M <= 64, B <= 16
  kDseVector,  // V <= 64
  kCtlArray,   // (B, M) = (4,8) (4,16) (4,64) (8,64)
  kCtlVector,  // V = 8 16 64
};
std::string_view DomainText(Domain domain);
bool IsInside(Domain domain, const Shape& shape);

// Cost of one timing class in one profile. Formulas use the names of cost_formula.h. After `result`
// cycles a consumer may be accepted, after `interval` the next independent operation of the unit.
// Where these are class-wide they hold for every instruction of the class.
struct ProfileEntry {
  std::string_view result;
  std::string_view interval;  // empty: equals result
  Label label;
  std::string_view source;
  std::string_view assumption = "";  // id of timing.md 10, or empty
  Domain domain = Domain::kAny;
  std::string_view first_of_tile = "";  // added to both for the first operation of a tile
  std::uint32_t slots = 1;              // of the front end
};

// One row of the table: the entries of the four profiles.
struct ProfileRow {
  isa::TimingClass timing;
  ProfileEntry settings;
  ProfileEntry dse;
  ProfileEntry library;
  ProfileEntry released;
};

// One row per timing class but those of H_*, in the order of isa::TimingClass.
std::span<const ProfileRow> ProfileRows();

const ProfileEntry& EntryOf(isa::TimingClass timing, LatencyProfile profile);

}  // namespace moescope::emulator
