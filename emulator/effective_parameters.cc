#include "emulator/effective_parameters.h"

#include <string>

#include "emulator/machine_keys.h"

namespace moescope::emulator {

namespace {

EffectiveValue ValueOf(const MachineKey& key, const MachineDescription& machine) {
  EffectiveValue value;
  value.key = key.path;
  value.label = key.label;
  value.has_label = true;
  value.source = std::string(key.source);
  switch (key.kind) {
    case KeyKind::kInteger:
      value.kind = EffectiveValue::Kind::kInteger;
      value.integer = key.integer(machine);
      break;
    case KeyKind::kBoolean:
      value.kind = EffectiveValue::Kind::kBoolean;
      value.integer = key.integer(machine);
      break;
    case KeyKind::kText:
    case KeyKind::kFloat:
    case KeyKind::kFormat:
      value.kind = EffectiveValue::Kind::kText;
      value.text = key.text(machine);
      break;
  }
  return value;
}

}  // namespace

std::vector<EffectiveValue> EffectiveParameters(const MachineDescription& machine) {
  std::vector<EffectiveValue> values;
  for (const MachineKey& key : MachineKeys()) values.push_back(ValueOf(key, machine));
  return values;
}

}  // namespace moescope::emulator
