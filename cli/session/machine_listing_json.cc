#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/string_view.h"
#include "cli/session/machine_listing.h"
#include "emulator/effective_parameters.h"

namespace moescope::session {

namespace {

using emulator::EffectiveValue;

std::string ValueText(const EffectiveValue& value) {
  if (value.kind == EffectiveValue::Kind::kText) return value.text;
  if (value.kind == EffectiveValue::Kind::kInteger) return absl::StrCat(value.integer);
  return value.integer != 0 ? "true" : "false";
}

Json ValueJson(const EffectiveValue& value) {
  if (value.kind == EffectiveValue::Kind::kText) return value.text;
  if (value.kind == EffectiveValue::Kind::kInteger) return value.integer;
  return value.integer != 0;
}

std::string LabelOf(const EffectiveValue& value) {
  return value.has_label ? std::string(emulator::Name(value.label)) : "-";
}

}  // namespace

std::string MachineListingText(const emulator::MachineDescription& machine) {
  const std::vector<EffectiveValue> values = emulator::EffectiveParameters(machine);
  std::size_t key_width = 3, value_width = 5;
  for (const EffectiveValue& value : values) {
    key_width = std::max(key_width, value.key.size());
    value_width = std::max(value_width, ValueText(value).size());
  }
  std::string text = absl::StrFormat("machine %s\n%-*s  %-*s  %-12s  %s\n", machine.name, key_width,
                                     "key", value_width, "value", "label", "source");
  for (const EffectiveValue& value : values) {
    absl::StrAppendFormat(&text, "%-*s  %-*s  %-12s  %s\n", key_width, value.key, value_width,
                          ValueText(value), LabelOf(value), value.source);
  }
  return text;
}

std::string MachineListingJson(const emulator::MachineDescription& machine) {
  Json document;
  document["name"] = machine.name;
  document["parameters"] = Json::array();
  for (const EffectiveValue& value : emulator::EffectiveParameters(machine)) {
    Json entry;
    entry["key"] = value.key;
    entry["value"] = ValueJson(value);
    if (value.has_label) entry["label"] = emulator::Name(value.label);
    if (!value.source.empty()) entry["source"] = value.source;
    document["parameters"].push_back(std::move(entry));
  }
  return JsonText(document);
}

}  // namespace moescope::session
