#include "cli/config_toml.h"

#include <toml++/toml.h>

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"

namespace moescope::cli {

namespace {

constexpr std::size_t kMaximumBytes = std::size_t{1} << 20;

class ConfigurationReader {
 public:
  ConfigurationReader(const Command& command, std::span<const Command* const> commands,
                      const std::string& text, const std::string& path)
      : command_(command), commands_(commands), path_(path), lines_(absl::StrSplit(text, '\n')) {}

  absl::StatusOr<std::vector<std::string>> Read(const toml::table& root) {
    Table(root, "");
    if (!diagnostics_.empty()) return ToStatus(diagnostics_);
    return words_;
  }

 private:
  // `prefix` is the command's first word inside a group's table, else empty.
  void Table(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = absl::StrCat(prefix, prefix.empty() ? "" : " ", Absl(key.str()));
      const toml::table* inner = node.as_table();
      if (inner == nullptr) {
        Report(key.source(), absl::StrCat("'", name, "' is outside a command's table"), "CF502");
      } else if (FindCommand(commands_, name) != nullptr) {
        CommandTable(name, *inner);
      } else if (prefix.empty() && IsGroup(name)) {
        Table(*inner, name);
      } else {
        Report(key.source(), absl::StrCat("unknown command '", name, "'", Suggestion(name)),
               "CF502");
      }
    }
  }

  // The options of a command, and the tables of the commands behind its name: [diff.log] in [diff].
  void CommandTable(const std::string& name, const toml::table& table) {
    for (const auto& [key, node] : table) {
      const std::string longer = absl::StrCat(name, " ", Absl(key.str()));
      const toml::table* inner = node.as_table();
      if (inner != nullptr && FindCommand(commands_, longer) != nullptr) {
        CommandTable(longer, *inner);
      } else if (name == command_.name) {
        Option(std::string(key.str()), key.source(), node);
      }
    }
  }

  bool IsGroup(const std::string& name) const {
    return std::any_of(commands_.begin(), commands_.end(), [&](const Command* command) {
      return command->name.starts_with(name + " ");
    });
  }

  std::string Suggestion(const std::string& name) const {
    std::vector<std::string_view> names;
    for (const Command* command : commands_) names.push_back(command->name);
    return DidYouMean(name, names);
  }

  void Option(const std::string& name, const toml::source_region& place, const toml::node& node) {
    std::vector<std::string_view> names;
    const cli::Option* found = nullptr;
    const auto look = [&](std::span<const cli::Option> options) {
      for (const cli::Option& option : options) {
        if (option.name == "help" || option.name == "config") continue;
        names.push_back(option.name);
        if (option.name == name) found = &option;
      }
    };
    look(command_.options);
    look(kCommonOptions);
    if (found == nullptr) {
      return Report(place,
                    absl::StrCat("'", Absl(command_.name), "' has no option '", name, "'",
                                 DidYouMean(name, names)),
                    "CF503");
    }
    if (found->value.empty()) return Flag(*found, node);
    const toml::array* array = node.as_array();
    if (found->pair) return Pair(*found, node);
    if (array == nullptr) return Value(*found, node);
    for (const toml::node& element : *array) Value(*found, element);
  }

  void Flag(const cli::Option& option, const toml::node& node) {
    if (!node.is_boolean()) {
      return Report(node.source(), absl::StrCat(Absl(option.name), ": must be true or false"),
                    "CF504");
    }
    if (*node.value<bool>()) words_.push_back(absl::StrCat("--", Absl(option.name)));
  }

  void Pair(const cli::Option& option, const toml::node& node) {
    const toml::array* array = node.as_array();
    const bool fits = array != nullptr && array->size() == 2 && (*array)[0].is_string() &&
                      (*array)[1].is_string();
    if (!fits) {
      return Report(node.source(),
                    absl::StrCat(Absl(option.name), ": must be an array of two texts"), "CF504");
    }
    Value(option, (*array)[0]);
    words_.push_back(*(*array)[1].value<std::string>());
  }

  void Value(const cli::Option& option, const toml::node& node) {
    std::string text;
    if (node.is_string()) {
      text = *node.value<std::string>();
    } else if (node.is_integer()) {
      text = absl::StrCat(*node.value<std::int64_t>());
    }
    if (text.empty()) {
      return Report(
          node.source(),
          absl::StrCat(Absl(option.name), ": must be a text that is not empty, or an integer"),
          "CF504");
    }
    words_.push_back(absl::StrCat("--", Absl(option.name), "=", text));
  }

  void Report(const toml::source_region& place, std::string message, std::string_view id) {
    Diagnostic& diagnostic = diagnostics_.emplace_back();
    diagnostic.id = std::string(id);
    diagnostic.message = std::move(message);
    diagnostic.location = {.file = path_, .line = place.begin.line, .column = place.begin.column};
    const std::size_t index = place.begin.line - 1;
    if (index < lines_.size()) diagnostic.source_line = lines_[index];
  }

  const Command& command_;
  std::span<const Command* const> commands_;
  const std::string& path_;
  std::vector<std::string> lines_;
  std::vector<std::string> words_;
  std::vector<Diagnostic> diagnostics_;
};

// Fence: toml++ throws when it meets something that is not TOML.
absl::StatusOr<toml::table> ParseToml(const std::string& text, const std::string& path) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    Diagnostic diagnostic;
    diagnostic.id = "CF501";
    diagnostic.message = std::string(error.description());
    diagnostic.location = {
        .file = path, .line = error.source().begin.line, .column = error.source().begin.column};
    return ToStatus(diagnostic);
  }
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseConfiguration(
    const Command& command, std::span<const Command* const> commands, const std::string& text,
    const std::string& path) {
  if (text.size() > kMaximumBytes) {
    return absl::InvalidArgumentError(absl::StrCat("configuration '", path, "' has ", text.size(),
                                                   " bytes; at most ", kMaximumBytes, " are read"));
  }
  ASSIGN_OR_RETURN(const toml::table root, ParseToml(text, path));
  return ConfigurationReader(command, commands, text, path).Read(root);
}

absl::StatusOr<std::vector<std::string>> ReadConfiguration(const Command& command,
                                                           std::span<const Command* const> commands,
                                                           const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseConfiguration(command, commands, text, path);
}

}  // namespace moescope::cli
