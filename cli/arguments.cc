#include "cli/arguments.h"

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "base/number.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"

namespace moescope::cli {

namespace {

namespace po = boost::program_options;
using session::UsageError;

template <typename Visitor>
void ForEachOption(const Command& command, Visitor visit) {
  for (const Option& option : command.options) visit(option);
  for (const Option& option : kCommonOptions) visit(option);
}

const Option* FindOption(const Command& command, std::string_view name) {
  const Option* found = nullptr;
  ForEachOption(command, [&](const Option& option) {
    if (option.name == name) found = &option;
  });
  return found;
}

// A value that takes the two words behind its option.
class TwoWords : public po::untyped_value {
 public:
  unsigned min_tokens() const override { return 2; }
  unsigned max_tokens() const override { return 2; }
};

po::options_description Description(const Command& command) {
  po::options_description description;
  ForEachOption(command, [&](const Option& option) {
    std::string names(option.name);
    if (option.letter != '\0') names += {',', option.letter};
    // Boost frees the value with the description.
    const po::value_semantic* value =
        option.pair ? new TwoWords : new po::untyped_value(option.value.empty());
    description.add_options()(names.c_str(), value, "");
  });
  return description;
}

absl::Status UnknownOption(const Command& command, std::string token) {
  token = token.substr(0, token.find('='));
  std::vector<std::string> names;
  ForEachOption(command, [&](const Option& option) {
    names.push_back(absl::StrCat("--", Absl(option.name)));
  });
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return UsageError(absl::StrCat("unknown option '", token, "'", DidYouMean(token, candidates)));
}

// Fence: the only place that calls Boost's parser, which throws.
absl::StatusOr<std::vector<po::option>> Tokenise(const Command& command,
                                                 const std::vector<std::string>& words) {
  constexpr int kStyle =
      po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    const po::options_description description = Description(command);
    return po::command_line_parser(words)
        .options(description)
        .style(kStyle)
        .allow_unregistered()
        .run()
        .options;
  } catch (const po::error& error) {
    return UsageError(error.what());
  }
}

bool IsChoice(const Option& option, std::string_view value) {
  if (option.choices.empty()) return true;
  const std::vector<absl::string_view> choices = absl::StrSplit(Absl(option.choices), '|');
  return std::find(choices.begin(), choices.end(), Absl(value)) != choices.end();
}

absl::Status BadChoice(const Option& option, std::string_view value) {
  const std::vector<std::string> choices = absl::StrSplit(Absl(option.choices), '|');
  const std::vector<std::string_view> candidates(choices.begin(), choices.end());
  return UsageError(absl::StrCat("--", Absl(option.name), "=", Absl(value),
                                 ": unknown value; allowed: ", absl::StrJoin(choices, ", "),
                                 DidYouMean(value, candidates)));
}

absl::Status CheckPositionals(const Command& command, std::size_t given) {
  std::size_t minimum = 0, maximum = 0;
  for (const Positional& positional : command.positionals) {
    minimum += positional.minimum;
    maximum = positional.maximum == kAnyNumber ? kAnyNumber : maximum + positional.maximum;
  }
  if (given < minimum) {
    std::size_t seen = 0;
    for (const Positional& positional : command.positionals) {
      seen += positional.minimum;
      if (given < seen) return UsageError(absl::StrCat("missing argument ", Absl(positional.name)));
    }
  }
  if (given > maximum) {
    return UsageError(
        absl::StrCat("too many arguments: ", given, " given, at most ", maximum, " taken"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Arguments::Add(const std::string& name, const std::vector<std::string>& values) {
  const Option* option = FindOption(*command_, name);
  CHECK(option != nullptr);
  std::vector<std::string>& all = values_[name];
  if (option->pair) {
    all.clear();  // the last pair wins
    // Boost takes the next word even when it is an option.
    if (values.size() != 2 || absl::StartsWith(values[1], "-")) {
      return UsageError(absl::StrCat("the required argument for option '--", name, "' is missing"));
    }
  }
  if (values.empty()) all.emplace_back();
  for (const std::string& value : values) {
    const std::vector<std::string> parts =
        option->list ? absl::StrSplit(value, ',') : std::vector<std::string>{value};
    for (const std::string& part : parts) {
      if (!option->value.empty() && !IsChoice(*option, part)) return BadChoice(*option, part);
    }
    all.push_back(value);
  }
  return absl::OkStatus();
}

absl::StatusOr<Arguments> Arguments::Parse(const Command& command,
                                           const std::vector<std::string>& defaults,
                                           const std::vector<std::string>& words) {
  Arguments arguments(command);
  for (const std::vector<std::string>* source : {&defaults, &words}) {
    ASSIGN_OR_RETURN(const std::vector<po::option> options, Tokenise(command, *source));
    for (const po::option& option : options) {
      if (option.unregistered) return UnknownOption(command, option.original_tokens.front());
      if (option.string_key.empty()) {
        arguments.positionals_.insert(arguments.positionals_.end(), option.value.begin(),
                                      option.value.end());
        continue;
      }
      RETURN_IF_ERROR(arguments.Add(option.string_key, option.value));
      if (source == &words) arguments.on_command_line_.insert(option.string_key);
    }
  }
  if (!arguments.Has("help")) {
    RETURN_IF_ERROR(CheckPositionals(command, arguments.positionals_.size()));
  }
  return arguments;
}

bool Arguments::IsOnCommandLine(std::string_view option) const {
  return on_command_line_.contains(option);
}

absl::Status Arguments::Needs(std::string_view option, std::string_view other) const {
  if (!IsOnCommandLine(option)) return absl::OkStatus();
  return UsageError(absl::StrCat("--", Absl(option), " needs --", Absl(other)));
}

const std::vector<std::string>& Arguments::All(std::string_view option) const {
  static const auto& none = *new std::vector<std::string>;
  CHECK_BECAUSE(FindOption(*command_, option) != nullptr, std::string(option).c_str());
  const auto it = values_.find(option);
  return it == values_.end() ? none : it->second;
}

std::optional<std::string> Arguments::Text(std::string_view option) const {
  const std::vector<std::string>& values = All(option);
  if (values.empty()) return std::nullopt;
  return values.back();
}

std::string Arguments::TextOr(std::string_view option, std::string_view otherwise) const {
  return Text(option).value_or(std::string(otherwise));
}

std::vector<std::string> Arguments::List(std::string_view option) const {
  std::vector<std::string> items;
  for (const std::string& value : All(option)) {
    for (const absl::string_view item : absl::StrSplit(value, ',', absl::SkipEmpty())) {
      items.emplace_back(item);
    }
  }
  return items;
}

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> Arguments::Pairs(
    std::string_view option) const {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& value : All(option)) {
    const std::size_t equals = value.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return UsageError(absl::StrCat("--", Absl(option), " ", value, ": write it as KEY=VALUE"));
    }
    pairs.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  }
  return pairs;
}

absl::StatusOr<std::optional<std::uint64_t>> Arguments::Number(std::string_view option) const {
  const std::optional<std::string> text = Text(option);
  if (!text) return std::optional<std::uint64_t>();
  const absl::StatusOr<std::uint64_t> number = ParseNumber(*text);
  if (!number.ok()) {
    return UsageError(absl::StrCat("--", Absl(option), ": ", number.status().message()));
  }
  return std::optional<std::uint64_t>(*number);
}

}  // namespace moescope::cli
