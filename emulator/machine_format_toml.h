#pragma once

#include <optional>
#include <string>

#include <toml++/toml.h>

#include "emulator/machine.h"
#include "emulator/machine_report.h"
#include "isa/number_format.h"

namespace moescope::emulator {

// One slot of TRANSACTIONAL.PRECISION (numerics.md, 9): `format = "Plain"` with DATA_TYPE, or
// `format = "Mx"` with block, ELEM and SCALE. Whether the format is legal in its slot is not
// checked here. Problems go to the report, and nothing is returned.
std::optional<isa::TensorFormat> ReadTensorFormat(const toml::table& table, const std::string& path,
                                                  MachineReport& report);

// A type node: `type = "Fp"` with sign, exponent, mantissa, or `type = "Int"` with width.
std::optional<isa::ElementType> ReadElementType(const toml::node& node, const std::string& path,
                                                MachineReport& report);

// A [MOESCOPE.timing.cost.<mnemonic>] table (timing.md, 2): result and interval, each an integer or
// a formula, label and source, all required.
std::optional<CostOverride> ReadCostOverride(const toml::node& node, const std::string& path,
                                             const std::string& mnemonic, MachineReport& report);

}  // namespace moescope::emulator
