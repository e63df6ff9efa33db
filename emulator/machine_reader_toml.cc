#include "emulator/machine_reader_toml.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "emulator/machine_format_toml.h"
#include "isa/format_check.h"
#include "isa/instruction_set.h"

namespace moescope::emulator {

namespace {

// HBM_V_INT_TYPE is read for its form alone.
constexpr std::string_view kIntegerSlot = "TRANSACTIONAL.PRECISION.HBM_V_INT_TYPE";
constexpr std::string_view kCosts = "MOESCOPE.timing.cost";
constexpr std::string_view kScalarSlot = "TRANSACTIONAL.PRECISION.SCALAR_FP";

bool IsSkipped(std::string_view path) { return path == "MODE" || path == "ANALYTIC"; }

const MachineKey* KeyAt(std::string_view file_path) {
  for (const MachineKey& key : MachineKeys()) {
    if (key.FilePath() == file_path) return &key;
  }
  return nullptr;
}

bool IsAccepted(std::string_view path) {
  const std::vector<std::string>& keys = AcceptedKeys();
  return std::find(keys.begin(), keys.end(), path) != keys.end();
}

// Every path a file may hold.
std::vector<std::string> KnownPaths() {
  std::vector<std::string> paths = AcceptedKeys();
  for (const MachineKey& key : MachineKeys()) paths.push_back(key.FilePath());
  paths.emplace_back(kIntegerSlot);
  paths.emplace_back(kCosts);
  paths.emplace_back("MODE");
  paths.emplace_back("ANALYTIC");
  return paths;
}

// The names that may stand in the table `parent`.
std::vector<std::string> NamesIn(const std::string& parent) {
  std::vector<std::string> names;
  const std::string prefix = parent.empty() ? "" : parent + ".";
  for (const std::string& path : KnownPaths()) {
    if (!path.starts_with(prefix) || path.size() == prefix.size()) continue;
    std::string name = path.substr(prefix.size());
    name = name.substr(0, name.find('.'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

std::string Alternatives(const std::vector<std::string_view>& choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    absl::StrAppend(&text,
                    i == 0                    ? ""
                    : i + 1 == choices.size() ? " or "
                                              : ", ",
                    "\"", Absl(choices[i]), "\"");
  }
  return text;
}

std::string ValueText(const toml::node& node) {
  if (node.is_string()) {
    const std::string text = *node.value<std::string>();
    return text.size() > 60 ? absl::StrCat("\"", text.substr(0, 57), "...\"")
                            : absl::StrCat("\"", text, "\"");
  }
  if (node.is_integer()) return absl::StrCat(*node.value<std::int64_t>());
  if (node.is_boolean()) return *node.value<bool>() ? "true" : "false";
  if (node.is_floating_point()) return absl::StrCat(*node.value<double>());
  return node.is_table() ? "{...}" : node.is_array() ? "[...]" : "a date or time";
}

std::string Statement(std::string_view path, const toml::node& node, std::string_view problem) {
  return absl::StrCat(Absl(path), " = ", ValueText(node), ": ", Absl(problem));
}

void MachineReader::Read(const toml::table& root) { ReadTable(root, ""); }

FilePlace MachineReader::NearestPlace(std::string_view path) const {
  for (;;) {
    if (const auto at = tables_.find(path); at != tables_.end()) return at->second;
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) return {1, 1};
    path = path.substr(0, dot);
  }
}

void MachineReader::ReadTable(const toml::table& table, const std::string& path) {
  for (const auto& [key, node] : table) {
    const std::string inner = absl::StrCat(path, path.empty() ? "" : ".", Absl(key.str()));
    if (IsSkipped(inner)) continue;
    if (const MachineKey* known = KeyAt(inner)) {
      ReadValue(*known, node);
    } else if (inner == kIntegerSlot) {
      if (const toml::table* slot = node.as_table()) {
        ReadTensorFormat(*slot, inner, report_);
      } else {
        report_.Error(PlaceOf(node), Statement(inner, node, "must be a table"), "CF004");
      }
    } else if (inner == kCosts) {
      ReadCosts(node, inner);
    } else if (IsAccepted(inner)) {
      if (node.is_integer()) continue;
      report_.Error(PlaceOf(node), Statement(inner, node, "must be an integer"), "CF004");
    } else if (NamesIn(inner).empty()) {
      Unknown(key, path);
    } else if (const toml::table* below = node.as_table()) {
      tables_[inner] = PlaceOf(key);
      ReadTable(*below, inner);
    } else {
      report_.Error(PlaceOf(node), Statement(inner, node, "must be a table"), "CF004");
      broken_.push_back(inner);
    }
  }
}

bool MachineReader::IsBroken(std::string_view path) const {
  return std::any_of(broken_.begin(), broken_.end(), [path](const std::string& table) {
    return path == table || (path.starts_with(table) && path[table.size()] == '.');
  });
}

void MachineReader::Unknown(const toml::key& key, const std::string& parent) {
  const std::vector<std::string> names = NamesIn(parent);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  std::string message = absl::StrCat("unknown key ", parent, parent.empty() ? "" : ".",
                                     Absl(key.str()), DidYouMean(key.str(), candidates));
  if (allow_unknown_keys_) {
    report_.Warning(PlaceOf(key), std::move(message), "CF005");
  } else {
    report_.Error(PlaceOf(key), std::move(message), "CF005");
  }
}

void MachineReader::ReadValue(const MachineKey& key, const toml::node& node) {
  places_[key.path] = PlaceOf(node);
  switch (key.kind) {
    case KeyKind::kInteger:
      return ReadInteger(key, node);
    case KeyKind::kBoolean:
      return ReadBoolean(key, node);
    case KeyKind::kText:
      return ReadText(key, node);
    case KeyKind::kFloat:
      return ReadFloat(key, node);
    case KeyKind::kFormat:
      return ReadFormat(key, node);
  }
}

void MachineReader::ReadInteger(const MachineKey& key, const toml::node& node) {
  const auto fail = [&](std::string_view problem, std::string_view id) {
    report_.Error(PlaceOf(node), Statement(key.FilePath(), node, problem), id);
  };
  if (!node.is_integer()) return fail("must be an integer", "CF004");
  const std::int64_t value = *node.value<std::int64_t>();
  if (value < 0) return fail("must not be negative", "CF012");
  if (static_cast<std::uint64_t>(value) > key.largest) {
    return fail(absl::StrCat("must be at most ", key.largest), "CF013");
  }
  key.set_integer(machine_, static_cast<std::uint64_t>(value));
}

void MachineReader::ReadBoolean(const MachineKey& key, const toml::node& node) {
  if (!node.is_boolean()) {
    report_.Error(PlaceOf(node), Statement(key.FilePath(), node, "must be true or false"), "CF004");
    return;
  }
  key.set_integer(machine_, *node.value<bool>() ? 1 : 0);
}

void MachineReader::ReadText(const MachineKey& key, const toml::node& node) {
  const std::string must_be = absl::StrCat("must be ", Alternatives(key.choices));
  if (!node.is_string()) {
    report_.Error(PlaceOf(node), Statement(key.FilePath(), node, must_be), "CF004");
    return;
  }
  const std::string text = *node.value<std::string>();
  if (std::find(key.choices.begin(), key.choices.end(), text) == key.choices.end()) {
    report_.Error(
        PlaceOf(node),
        Statement(key.FilePath(), node, absl::StrCat(must_be, DidYouMean(text, key.choices))),
        "CF007");
    return;
  }
  key.set_text(machine_, text);
}

void MachineReader::ReadFloat(const MachineKey& key, const toml::node& node) {
  if (!node.is_number()) {
    report_.Error(PlaceOf(node), Statement(key.FilePath(), node, "must be a number"), "CF004");
    return;
  }
  key.set_float(machine_, static_cast<float>(*node.value<double>()));
}

void MachineReader::ReadFormat(const MachineKey& key, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    report_.Error(PlaceOf(node), Statement(key.path, node, "must be a table"), "CF004");
    return;
  }
  std::optional<isa::TensorFormat> format;
  if (key.path == kScalarSlot) {
    const std::optional<isa::ElementType> element = ReadElementType(node, key.path, report_);
    if (element) format = isa::Plain(*element);
  } else {
    format = ReadTensorFormat(*table, key.path, report_);
  }
  if (!format) return;
  if (key.bf16_only && *format != isa::Plain(isa::kBf16)) {
    const absl::Status why =
        isa::CheckTensorFormat(*format, isa::FormatSlot::kBf16Only, isa::Convention::kOcp, 1);
    report_.Error(PlaceOf(node), absl::StrCat(key.path, ": ", why.message()), "CF016");
    return;
  }
  key.set_format(machine_, *format);
}

void MachineReader::ReadCosts(const toml::node& node, const std::string& path) {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    report_.Error(PlaceOf(node), Statement(path, node, "must be a table"), "CF004");
    return;
  }
  for (const auto& [key, cost] : *table) {
    ReadCost(key, cost, absl::StrCat(path, ".", Absl(key.str())));
  }
}

// Formulas are checked with the shape of the machine, not here.
void MachineReader::ReadCost(const toml::key& mnemonic, const toml::node& node,
                             const std::string& path) {
  const std::string name(mnemonic.str());
  if (isa::InstructionSet::Builtin().Find(name) == nullptr) {
    std::vector<std::string_view> names;
    for (const isa::Instruction& row : isa::InstructionSet::Builtin().instructions()) {
      names.push_back(row.mnemonic);
    }
    report_.Error(PlaceOf(mnemonic),
                  absl::StrCat(path, ": is not an instruction", DidYouMean(name, names)), "CF020");
    return;
  }
  places_[path] = PlaceOf(mnemonic);
  if (const toml::table* fields = node.as_table()) {
    for (const auto& [field, value] : *fields) {
      places_[absl::StrCat(path, ".", Absl(field.str()))] = PlaceOf(value);
    }
  }
  if (const std::optional<CostOverride> cost = ReadCostOverride(node, path, name, report_)) {
    machine_.costs.push_back(*cost);
  }
}

}  // namespace moescope::emulator
