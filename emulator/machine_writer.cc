#include "emulator/machine_writer.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/string_view.h"
#include "emulator/machine_keys.h"
#include "emulator/machine_override.h"

namespace moescope::emulator {
namespace {

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&quoted, "\\", std::string(1, c));
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      absl::StrAppend(&quoted, absl::StrFormat("\\u%04X", static_cast<unsigned char>(c)));
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "\"";
}

std::string_view Truth(bool value) { return value ? "true" : "false"; }

std::string TypeNode(const isa::ElementType& type) {
  if (type.kind == isa::ElementType::Kind::kInt) {
    return absl::StrFormat("{ type = \"Int\", width = %d }", type.Bits());
  }
  return absl::StrFormat("{ type = \"Fp\", sign = %s, exponent = %d, mantissa = %d }",
                         Absl(Truth(type.is_signed)), type.exponent, type.mantissa);
}

std::string FormatNode(const MachineKey& key, const isa::TensorFormat& format) {
  if (key.path.ends_with(".SCALAR_FP")) return TypeNode(format.element);
  if (!format.is_mx()) {
    return absl::StrCat("{ format = \"Plain\", DATA_TYPE = ", TypeNode(format.element), " }");
  }
  return absl::StrCat("{ format = \"Mx\", block = ", format.block,
                      ", ELEM = ", TypeNode(format.element), ", SCALE = ", TypeNode(isa::kE8M0),
                      " }");
}

std::string ValueOf(const MachineKey& key, const MachineDescription& machine) {
  switch (key.kind) {
    case KeyKind::kInteger:
      return absl::StrCat(key.integer(machine));
    case KeyKind::kBoolean:
      return std::string(Truth(key.integer(machine) != 0));
    case KeyKind::kText:
      return Quoted(key.text(machine));
    case KeyKind::kFloat:
      return key.text(machine);
    case KeyKind::kFormat: {
      const std::optional<isa::TensorFormat> format = ParseTensorFormatText(key.text(machine));
      CHECK(format.has_value());
      return FormatNode(key, *format);
    }
  }
  return "";
}

// Keys that a file may not state, or that would turn a default into a statement.
bool IsLeftOut(const MachineKey& key, const MachineDescription& machine) {
  if (key.path == "MOESCOPE.bmm_scale") return !machine.dialect.bmm_scale.has_value();
  return key.path == "MOESCOPE.scale_rule" &&
         machine.dialect.convention == isa::Convention::kReference;
}

std::string CostTable(const CostOverride& cost) {
  return absl::StrCat("\n[MOESCOPE.timing.cost.", cost.mnemonic,
                      "]\nresult = ", Quoted(cost.result), "\ninterval = ", Quoted(cost.interval),
                      "\nlabel = ", Quoted(cost.label), "\nsource = ", Quoted(cost.source), "\n");
}

}  // namespace

std::string WriteMachineFile(const MachineDescription& machine) {
  std::string text;
  for (const MachineKey& key : MachineKeys()) {
    if (IsLeftOut(key, machine)) continue;
    absl::StrAppend(&text, key.FilePath(), " = ", ValueOf(key, machine), "\n");
  }
  for (const CostOverride& cost : machine.costs) absl::StrAppend(&text, CostTable(cost));
  return text;
}

}  // namespace moescope::emulator
