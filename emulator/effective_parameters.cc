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

// An override is as good as the label that its file gives it.
CostClass LabelOf(const CostOverride& cost) {
  for (std::size_t i = 0; i < kCostClassCount; ++i) {
    if (cost.label == kCostClassNames[i]) return static_cast<CostClass>(i);
  }
  return CostClass::kAssumed;
}

void AppendCost(const CostOverride& cost, std::vector<EffectiveValue>& values) {
  for (const bool is_result : {true, false}) {
    EffectiveValue& value = values.emplace_back();
    value.key = "MOESCOPE.timing.cost." + cost.mnemonic + (is_result ? ".result" : ".interval");
    value.kind = EffectiveValue::Kind::kText;
    value.text = is_result ? cost.result : cost.interval;
    value.label = LabelOf(cost);
    value.has_label = true;
    value.source = cost.source;
  }
}

}  // namespace

std::vector<EffectiveValue> EffectiveParameters(const MachineDescription& machine) {
  std::vector<EffectiveValue> values;
  for (const MachineKey& key : MachineKeys()) values.push_back(ValueOf(key, machine));
  for (const CostOverride& cost : machine.costs) AppendCost(cost, values);
  return values;
}

}  // namespace moescope::emulator
