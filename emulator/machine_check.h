#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "emulator/machine.h"

namespace moescope::emulator {

// A value of a machine description that is not allowed. `key` is its path in a machine file,
// `requirement` what it must be ("must be at least 1"), `id` a CF id.
struct MachineProblem {
  std::string key;
  std::string value;
  std::string requirement;
  std::string id;

  friend bool operator==(const MachineProblem&, const MachineProblem&) = default;
};

// Every rule of isa.md 1.2, numerics.md 1 and 9 and timing.md 2 that the description breaks, single
// values before rules between values.
std::vector<MachineProblem> FindProblems(const MachineDescription& machine);

// InvalidArgument naming the first problem as "KEY = value: requirement [CFnnn]".
absl::Status CheckMachine(const MachineDescription& machine);

}  // namespace moescope::emulator
