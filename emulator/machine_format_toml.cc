#include "emulator/machine_format_toml.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "emulator/machine_reader_toml.h"
#include "isa/format_check.h"

namespace moescope::emulator {

namespace {

// Reads the keys of one table.
class Fields {
 public:
  Fields(const toml::table& table, const std::string& path, MachineReport& report)
      : table_(table), path_(path), report_(report) {}

  bool ok() const { return ok_; }
  bool Has(std::string_view key) const { return table_.contains(key); }
  std::string Path(std::string_view key) const { return absl::StrCat(path_, ".", Absl(key)); }

  // The node of a key, reported when missing.
  const toml::node* Required(std::string_view key) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
      Fail(PlaceOf(static_cast<const toml::node&>(table_)), Path(key) + ": missing", "CF003");
    }
    return node;
  }

  std::int64_t Integer(std::string_view key, std::int64_t least, std::int64_t largest) {
    const toml::node* node = Required(key);
    if (node == nullptr) return least;
    if (!node->is_integer()) {
      Fail(*node, key, "must be an integer", "CF004");
      return least;
    }
    const std::int64_t value = *node->value<std::int64_t>();
    if (value < least) Fail(*node, key, absl::StrCat("must be at least ", least), "CF012");
    if (value > largest) Fail(*node, key, absl::StrCat("must be at most ", largest), "CF013");
    return value;
  }

  bool Boolean(std::string_view key) {
    const toml::node* node = Required(key);
    if (node == nullptr) return false;
    if (!node->is_boolean()) Fail(*node, key, "must be true or false", "CF004");
    return node->value<bool>().value_or(false);
  }

  // An integer, or a text that is not empty.
  std::string IntegerOrText(std::string_view key) {
    const toml::node* node = Required(key);
    if (node == nullptr) return "";
    if (node->is_integer()) return absl::StrCat(*node->value<std::int64_t>());
    if (node->is_string() && !node->value<std::string>()->empty()) {
      return *node->value<std::string>();
    }
    Fail(*node, key, "must be an integer or a formula", "CF004");
    return "";
  }

  std::string Text(std::string_view key) {
    const toml::node* node = Required(key);
    if (node == nullptr) return "";
    if (node->is_string() && !node->value<std::string>()->empty()) {
      return *node->value<std::string>();
    }
    Fail(*node, key, "must be a text that is not empty", "CF004");
    return "";
  }

  // One of some words; empty when it is none of them.
  std::string Word(std::string_view key, const std::vector<std::string_view>& words) {
    const toml::node* node = Required(key);
    if (node == nullptr) return "";
    const std::string word = node->is_string() ? *node->value<std::string>() : "";
    if (std::find(words.begin(), words.end(), word) != words.end()) return word;
    Fail(*node, key, absl::StrCat("must be ", Alternatives(words)),
         node->is_string() ? "CF007" : "CF004");
    return "";
  }

  void OnlyKeys(std::initializer_list<std::string_view> known) {
    const std::vector<std::string_view> names(known);
    for (const auto& [key, node] : table_) {
      if (std::find(names.begin(), names.end(), key.str()) != names.end()) continue;
      Fail(PlaceOf(key),
           absl::StrCat("unknown key ", Path(key.str()), DidYouMean(key.str(), names)), "CF005");
    }
  }

  void Fail(const toml::node& node, std::string_view key, std::string_view problem,
            std::string_view id) {
    Fail(PlaceOf(node), Statement(Path(key), node, problem), id);
  }
  void Fail(FilePlace place, std::string message, std::string_view id) {
    report_.Error(place, std::move(message), id);
    ok_ = false;
  }

 private:
  const toml::table& table_;
  const std::string& path_;
  MachineReport& report_;
  bool ok_ = true;
};

// Keys that belong to the other format contradict `format`.
bool Agrees(Fields& fields, const toml::table& table, std::string_view format,
            std::initializer_list<std::string_view> foreign) {
  for (const std::string_view key : foreign) {
    const toml::node* node = table.get(key);
    if (node == nullptr) continue;
    fields.Fail(
        PlaceOf(*node),
        absl::StrCat(fields.Path(key), ": does not go with format = \"", Absl(format), "\""),
        "CF017");
    return false;
  }
  return true;
}

std::optional<isa::TensorFormat> ReadPlain(Fields& fields, const toml::table& table,
                                           MachineReport& report) {
  if (!Agrees(fields, table, "Plain", {"ELEM", "SCALE", "block"})) return std::nullopt;
  fields.OnlyKeys({"format", "DATA_TYPE"});
  const toml::node* type = fields.Required("DATA_TYPE");
  if (type == nullptr) return std::nullopt;
  const auto element = ReadElementType(*type, fields.Path("DATA_TYPE"), report);
  if (!element || !fields.ok()) return std::nullopt;
  return isa::Plain(*element);
}

std::optional<isa::TensorFormat> ReadMx(Fields& fields, const toml::table& table,
                                        MachineReport& report) {
  if (!Agrees(fields, table, "Mx", {"DATA_TYPE"})) return std::nullopt;
  fields.OnlyKeys({"format", "block", "ELEM", "SCALE"});
  const std::int64_t block = fields.Integer("block", 1, 1 << 30);
  const toml::node* elem = fields.Required("ELEM");
  const toml::node* scale = fields.Required("SCALE");
  if (elem == nullptr || scale == nullptr) return std::nullopt;
  const auto element = ReadElementType(*elem, fields.Path("ELEM"), report);
  const auto scale_type = ReadElementType(*scale, fields.Path("SCALE"), report);
  if (!element || !scale_type || !fields.ok()) return std::nullopt;
  const absl::StatusOr<isa::TensorFormat> format = isa::MakeMx(*element, *scale_type, block);
  if (format.ok()) return *format;
  fields.Fail(PlaceOf(*scale), absl::StrCat(fields.Path("SCALE"), ": ", format.status().message()),
              "CF016");
  return std::nullopt;
}

}  // namespace

std::optional<isa::ElementType> ReadElementType(const toml::node& node, const std::string& path,
                                                MachineReport& report) {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    report.Error(PlaceOf(node), Statement(path, node, "must be a table"), "CF004");
    return std::nullopt;
  }
  Fields fields(*table, path, report);
  const std::string type = fields.Word("type", {"Fp", "Int"});
  isa::ElementType element;
  if (type == "Int") {
    fields.OnlyKeys({"type", "width"});
    element = isa::Int(static_cast<int>(fields.Integer("width", 1, 64)));
  } else if (type == "Fp") {
    fields.OnlyKeys({"type", "sign", "exponent", "mantissa"});
    const bool sign = fields.Boolean("sign");
    const std::int64_t exponent = fields.Integer("exponent", 0, 64);
    const std::int64_t mantissa = fields.Integer("mantissa", 0, 64);
    element = isa::Fp(sign, static_cast<int>(exponent), static_cast<int>(mantissa));
  }
  if (!fields.ok()) return std::nullopt;
  return element;
}

std::optional<isa::TensorFormat> ReadTensorFormat(const toml::table& table, const std::string& path,
                                                  MachineReport& report) {
  Fields fields(table, path, report);
  const std::string format = fields.Word("format", {"Plain", "Mx"});
  if (format == "Plain") return ReadPlain(fields, table, report);
  if (format == "Mx") return ReadMx(fields, table, report);
  return std::nullopt;
}

std::optional<CostOverride> ReadCostOverride(const toml::node& node, const std::string& path,
                                             const std::string& mnemonic, MachineReport& report) {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    report.Error(PlaceOf(node), Statement(path, node, "must be a table"), "CF004");
    return std::nullopt;
  }
  Fields fields(*table, path, report);
  fields.OnlyKeys({"result", "interval", "label", "source"});
  CostOverride cost{.mnemonic = mnemonic};
  cost.result = fields.IntegerOrText("result");
  cost.interval = fields.IntegerOrText("interval");
  cost.label = fields.Word("label", {"measured", "derived", "assumed"});
  cost.source = fields.Text("source");
  if (!fields.ok()) return std::nullopt;
  return cost;
}

}  // namespace moescope::emulator
