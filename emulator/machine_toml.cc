#include "emulator/machine_toml.h"

#include <map>
#include <utility>

#include <toml++/toml.h>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "emulator/machine_check.h"
#include "emulator/machine_keys.h"
#include "emulator/machine_override.h"
#include "emulator/machine_reader_toml.h"
#include "emulator/machine_report.h"
#include "machines_data.h"

namespace moescope::emulator {

namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20;

// "dir/plena-64.toml" -> "plena-64".
std::string StemOf(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

// What the library says, without its preamble ("Error while parsing key-value pair: ").
std::string Reason(std::string_view description) {
  const std::size_t colon = description.find(": ");
  if (description.starts_with("Error while parsing") && colon != std::string_view::npos) {
    description.remove_prefix(colon + 2);
  }
  return std::string(description);
}

// Fence: toml++ throws when it meets something that is not TOML.
bool ParseToml(std::string_view text, MachineReport& report, toml::table& root) {
  try {
    root = toml::parse(text);
    return true;
  } catch (const toml::parse_error& error) {
    const FilePlace place{error.source().begin.line, error.source().begin.column};
    const std::string description = Reason(error.description());
    if (absl::StrContains(description, "redefine")) {
      report.Error(place, absl::StrCat("duplicated key: ", description), "CF006");
    } else {
      report.Error(place, absl::StrCat("not TOML: ", description), "CF002");
    }
    return false;
  }
}

class Loader {
 public:
  Loader(std::string_view text, const std::string& file, const MachineFileOptions& options)
      : text_(text),
        options_(options),
        report_(file, text),
        reader_(options.allow_unknown_keys, report_, machine_) {
    machine_.name = StemOf(file);
  }

  absl::StatusOr<MachineFile> Load() {
    toml::table root;
    if (!ParseToml(text_, report_, root)) return report_.ToStatus();
    machine_.max_loop_instructions = 0;
    machine_.dialect = {};
    machine_.dialect.convention = isa::Convention::kReference;
    if (!root.contains("MOESCOPE")) UseReferenceDialect(machine_.dialect);
    reader_.Read(root);
    CheckMissing();
    ApplyOptions();
    CheckScaleRule();
    if (report_.ok()) CheckRules();
    RETURN_IF_ERROR(report_.ToStatus());
    return MachineFile{machine_, report_.TakeWarnings()};
  }

 private:
  // The description starts as the built-in machine, so a default is in place already.
  void CheckMissing() {
    for (const MachineKey& key : MachineKeys()) {
      if (!key.required || reader_.places().contains(key.path) || reader_.IsBroken(key.path)) {
        continue;
      }
      const FilePlace place = reader_.NearestPlace(key.FilePath());
      if (options_.default_missing_keys) {
        report_.Warning(
            place,
            absl::StrCat(key.FilePath(), ": missing; the built-in machine's ",
                         key.integer ? absl::StrCat(key.integer(machine_)) : key.text(machine_),
                         " is used"),
            "CF003");
      } else {
        report_.Error(place, absl::StrCat(key.FilePath(), ": missing"), "CF003");
      }
    }
  }

  void ApplyOptions() {
    if (options_.reference_dialect) UseReferenceDialect(machine_.dialect);
    for (const MachineOverride& override : options_.overrides) {
      std::string path;
      const auto problem = SetMachineKey(machine_, override.key, override.value, path);
      if (problem) {
        report_.ErrorAt(override.origin, problem->message, problem->id);
      } else {
        origins_[path] = override.origin;
      }
    }
  }

  // Under `reference` even the default rule may not be named.
  void CheckScaleRule() {
    const std::string key = "MOESCOPE.scale_rule";
    if (machine_.dialect.convention != isa::Convention::kReference) return;
    const auto override = origins_.find(key);
    const auto in_file = reader_.places().find(key);
    const std::string message = absl::StrCat(
        key, ": cannot be set under convention = \"reference\", which has its own rule");
    if (override != origins_.end()) {
      report_.ErrorAt(override->second, message, "CF018");
    } else if (in_file != reader_.places().end() && !options_.reference_dialect) {
      report_.Error(in_file->second, message, "CF018");
    }
  }

  void CheckRules() {
    for (const MachineProblem& problem : FindProblems(machine_)) {
      std::string message =
          absl::StrCat(problem.key, " = ", problem.value, ": ", problem.requirement);
      const std::string path = absl::EndsWith(problem.key, ".value")
                                   ? problem.key.substr(0, problem.key.size() - 6)
                                   : problem.key;
      const auto override = origins_.find(path);
      const auto in_file = reader_.places().find(path);
      if (override != origins_.end()) {
        report_.ErrorAt(override->second, std::move(message), problem.id);
      } else if (in_file != reader_.places().end()) {
        report_.Error(in_file->second, std::move(message), problem.id);
      } else {
        report_.Error({1, 1}, std::move(message), problem.id);
      }
    }
  }

  std::string_view text_;
  const MachineFileOptions& options_;
  MachineDescription machine_;
  MachineReport report_;
  MachineReader reader_;
  std::map<std::string, std::string, std::less<>> origins_;  // of overridden keys
};

}  // namespace

void UseReferenceDialect(Dialect& dialect) {
  dialect.convention = isa::Convention::kReference;
  dialect.scale_rule = isa::ScaleRule::kFloor;
  dialect.masked_reduction = MaskedReduction::kReference;
  dialect.scale_read = ScaleRead::kSingleBlock;
}

absl::StatusOr<MachineOverride> ParseOverride(std::string_view option, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string origin = absl::StrCat(Absl(option), " ", Absl(text));
  if (equals == std::string_view::npos || equals == 0) {
    Diagnostic diagnostic{.id = "CF008", .message = "must be KEY=VALUE"};
    diagnostic.location.file = origin;
    return ToStatus(diagnostic);
  }
  return MachineOverride{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)),
                         origin};
}

absl::StatusOr<MachineFile> ParseMachine(std::string_view text, const std::string& file,
                                         const MachineFileOptions& options) {
  if (text.size() > kLargestFile) {
    Diagnostic diagnostic{.id = "CF001"};
    diagnostic.message =
        absl::StrCat("the file has ", text.size(), " bytes; at most ", kLargestFile, " are read");
    diagnostic.location.file = file;
    return ToStatus(diagnostic);
  }
  return Loader(text, file, options).Load();
}

absl::StatusOr<MachineFile> LoadMachine(const std::string& name,
                                        const MachineFileOptions& options) {
  const absl::StatusOr<std::string> text = ReadFile(name);
  if (text.ok()) return ParseMachine(*text, name, options);
  const std::string_view builtin = BuiltinMachineText(name);
  if (absl::IsNotFound(text.status()) && !builtin.empty()) {
    return ParseMachine(builtin, name, options);
  }
  Diagnostic diagnostic{.id = "CF001", .message = std::string(text.status().message())};
  if (absl::IsNotFound(text.status())) {
    diagnostic.message += DidYouMean(name, BuiltinMachineNames());
  }
  return ToStatus(diagnostic);
}

const std::vector<std::string_view>& BuiltinMachineNames() {
  static const auto* const kNames =
      new std::vector<std::string_view>{"plena-64", "rtl-8", "analytic"};
  return *kNames;
}

std::string_view BuiltinMachineText(std::string_view name) {
  if (name == "plena-64") return machines::kPlena64;
  if (name == "rtl-8") return machines::kRtl8;
  if (name == "analytic") return machines::kAnalytic;
  return {};
}

}  // namespace moescope::emulator
