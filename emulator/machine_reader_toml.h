#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "emulator/machine.h"
#include "emulator/machine_keys.h"
#include "emulator/machine_report.h"

namespace moescope::emulator {

inline FilePlace PlaceOf(const toml::node& node) {
  return {node.source().begin.line, node.source().begin.column};
}
inline FilePlace PlaceOf(const toml::key& key) {
  return {key.source().begin.line, key.source().begin.column};
}

// A value as a message shows it: short scalars as TOML writes them, other nodes by their kind.
std::string ValueText(const toml::node& node);
// "\"a\"", "\"a\" or \"b\"", "\"a\", \"b\" or \"c\"".
std::string Alternatives(const std::vector<std::string_view>& choices);
// "KEY = value: problem".
std::string Statement(std::string_view path, const toml::node& node, std::string_view problem);

// Reads the tables of a machine file into a description. Problems go to the report.
class MachineReader {
 public:
  MachineReader(bool allow_unknown_keys, MachineReport& report, MachineDescription& machine)
      : allow_unknown_keys_(allow_unknown_keys), report_(report), machine_(machine) {}

  void Read(const toml::table& root);

  // Where the file sets a key, by its path (PRECISION: the slot's table).
  const std::map<std::string, FilePlace, std::less<>>& places() const { return places_; }
  // Whether a table that the path lies in is something else in the file.
  bool IsBroken(std::string_view path) const;
  // The nearest table of the file that a path lies in.
  FilePlace NearestPlace(std::string_view path) const;

 private:
  void ReadTable(const toml::table& table, const std::string& path);
  void ReadValue(const MachineKey& key, const toml::node& node);
  void ReadInteger(const MachineKey& key, const toml::node& node);
  void ReadBoolean(const MachineKey& key, const toml::node& node);
  void ReadText(const MachineKey& key, const toml::node& node);
  void ReadFloat(const MachineKey& key, const toml::node& node);
  void ReadFormat(const MachineKey& key, const toml::node& node);
  void ReadCosts(const toml::node& node, const std::string& path);
  void ReadCost(const toml::key& mnemonic, const toml::node& node, const std::string& path);
  void Unknown(const toml::key& key, const std::string& parent);

  const bool allow_unknown_keys_;
  MachineReport& report_;
  MachineDescription& machine_;
  std::map<std::string, FilePlace, std::less<>> places_;
  std::map<std::string, FilePlace, std::less<>> tables_;
  std::vector<std::string> broken_;  // paths of tables that are no tables
};

}  // namespace moescope::emulator
