#include "cli/dispatch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "cli/arguments.h"
#include "cli/config_toml.h"
#include "cli/help.h"
#include "cli/version.h"
#include "isa/isa_hash.h"
#include "profiler/profile.h"

namespace moescope::cli {

namespace {

using session::UsageError;

// Whether the CUDA backend is part of this build.
#ifdef MOESCOPE_HAS_CUDA
constexpr bool kHasCuda = true;
#else
constexpr bool kHasCuda = false;
#endif

// The first words of the commands, each once: what the first argument may be.
std::vector<std::string_view> FirstWords(std::span<const Command* const> commands) {
  std::vector<std::string_view> words;
  for (const Command* command : commands) {
    const std::string_view word = command->name.substr(0, command->name.find(' '));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

std::vector<std::string_view> SecondWords(std::span<const Command* const> commands,
                                          std::string_view group) {
  std::vector<std::string_view> words;
  for (const Command* command : commands) {
    if (command->name.substr(0, command->name.find(' ')) != group) continue;
    if (command->name.size() > group.size())
      words.push_back(command->name.substr(group.size() + 1));
  }
  return words;
}

bool IsHelp(const std::string& word) { return word == "--help" || word == "-h"; }

struct Call {
  const Command* command = nullptr;
  std::size_t words = 0;  // taken by the command's name
};

absl::StatusOr<Call> FindCall(std::span<const Command* const> commands,
                              const std::vector<std::string>& words) {
  const std::string& first = words.front();
  if (words.size() > 1) {
    const Command* command = FindCommand(commands, absl::StrCat(first, " ", words[1]));
    if (command != nullptr) return Call{command, 2};
  }
  if (const Command* command = FindCommand(commands, first)) return Call{command, 1};
  const std::vector<std::string_view> seconds = SecondWords(commands, first);
  if (seconds.empty()) {
    if (absl::StartsWith(first, "-")) {
      constexpr std::string_view kOptions[] = {"--help", "--version"};
      return UsageError(absl::StrCat("unknown option '", first, "'", DidYouMean(first, kOptions)));
    }
    return UsageError(
        absl::StrCat("unknown command '", first, "'", DidYouMean(first, FirstWords(commands))));
  }
  if (words.size() == 1) return UsageError(absl::StrCat("'", first, "' needs a command"));
  return UsageError(
      absl::StrCat("unknown command '", first, " ", words[1], "'", DidYouMean(words[1], seconds)));
}

ExitCode Fail(const Console& console, const absl::Status& status, std::string_view command) {
  console.Error(status);
  if (session::IsUsageError(status)) {
    console.Note(
        absl::StrCat("Try 'moescope ", Absl(command), command.empty() ? "" : " ", "--help'.\n"));
  }
  return session::ExitCodeOf(status);
}

void ApplyCommonOptions(const Arguments& arguments, Console& console) {
  console.set_quiet(static_cast<int>(std::min<std::size_t>(arguments.Count("quiet"), 2)));
  const std::string colour = arguments.TextOr("color", "auto");
  console.set_colour(session::UseColour(colour, STDOUT_FILENO),
                     session::UseColour(colour, STDERR_FILENO));
  const std::string format = arguments.TextOr("diagnostics-format", "text");
  console.set_diagnostics_format(format == "json"     ? session::DiagnosticsFormat::kJson
                                 : format == "sarif"  ? session::DiagnosticsFormat::kSarif
                                 : format == "github" ? session::DiagnosticsFormat::kGithub
                                                      : session::DiagnosticsFormat::kText);
}

// The options of the command's table in the configuration file of --config or MOESCOPE_CONFIG.
absl::StatusOr<std::vector<std::string>> ConfiguredWords(const Command& command,
                                                         std::span<const Command* const> commands,
                                                         const Arguments& arguments) {
  std::optional<std::string> path = arguments.Text("config");
  const char* variable = std::getenv("MOESCOPE_CONFIG");
  if (!path && variable != nullptr && *variable != '\0') path = variable;
  if (!path) return std::vector<std::string>();
  return ReadConfiguration(command, commands, *path);
}

ExitCode RunCommand(const Command& command, std::span<const Command* const> commands,
                    const std::vector<std::string>& words, Console& console) {
  absl::StatusOr<Arguments> arguments = Arguments::Parse(command, {}, words);
  if (!arguments.ok()) return Fail(console, arguments.status(), command.name);
  if (arguments->Has("help")) {
    console.Out(CommandHelp(command, session::TextWidth(STDOUT_FILENO), /*examples=*/false));
    return ExitCode::kSuccess;
  }
  ApplyCommonOptions(*arguments, console);
  const absl::StatusOr<std::vector<std::string>> defaults =
      ConfiguredWords(command, commands, *arguments);
  if (!defaults.ok()) return Fail(console, defaults.status(), command.name);
  if (!defaults->empty()) {
    arguments = Arguments::Parse(command, *defaults, words);
    if (!arguments.ok()) return Fail(console, arguments.status(), command.name);
    ApplyCommonOptions(*arguments, console);
  }
  return command.run(*arguments, console);
}

ExitCode PrintHelp(std::span<const Command* const> commands, const std::vector<std::string>& words,
                   Console& console) {
  const int width = session::TextWidth(STDOUT_FILENO);
  if (words.empty()) {
    console.Out(OverviewHelp(commands, width));
    return ExitCode::kSuccess;
  }
  if (words.size() == 1 && FindCommand(commands, words.front()) == nullptr &&
      !SecondWords(commands, words.front()).empty()) {
    console.Out(GroupHelp(commands, words.front(), width));
    return ExitCode::kSuccess;
  }
  const absl::StatusOr<Call> call = FindCall(commands, words);
  if (!call.ok()) return Fail(console, call.status(), "");
  console.Out(CommandHelp(*call->command, width, /*examples=*/true));
  return ExitCode::kSuccess;
}

}  // namespace

const Command* FindCommand(std::span<const Command* const> commands, std::string_view name) {
  const auto it = std::find_if(commands.begin(), commands.end(),
                               [&](const Command* command) { return command->name == name; });
  return it == commands.end() ? nullptr : *it;
}

std::string VersionText() {
  const isa::InstructionSet& set = isa::InstructionSet::Builtin();
  return absl::StrCat("moescope ", Absl(Version()), "\ncommit: ", Absl(Commit()),
                      "\nISA: ", set.version().major, ".", set.version().minor, " ",
                      isa::IsaHash(set), "\nprofile schema: ", profiler::kProfileSchemaVersion, ".",
                      profiler::kProfileSchemaMinor, "\nCUDA: ", kHasCuda ? "yes" : "no", "\n");
}

ExitCode Dispatch(std::span<const Command* const> commands, const std::vector<std::string>& words,
                  Console& console) {
  if (words.empty()) {
    console.Error(OverviewHelp(commands, session::TextWidth(STDERR_FILENO)));
    return ExitCode::kUsage;
  }
  const std::string& first = words.front();
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (first == "help") return PrintHelp(commands, rest, console);
  if (IsHelp(first)) return PrintHelp(commands, {}, console);
  if (first == "--version") {
    console.Out(VersionText());
    return ExitCode::kSuccess;
  }
  if (words.size() == 2 && IsHelp(words[1]) && FindCommand(commands, first) == nullptr) {
    return PrintHelp(commands, {first}, console);
  }
  const absl::StatusOr<Call> call = FindCall(commands, words);
  if (!call.ok()) return Fail(console, call.status(), "");
  const std::vector<std::string> arguments(words.begin() + static_cast<std::ptrdiff_t>(call->words),
                                           words.end());
  return RunCommand(*call->command, commands, arguments, console);
}

}  // namespace moescope::cli
