// What every option table of the command must hold, so that --help, completion and the reference
// page can be made from it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/string_view.h"
#include "cli/arguments.h"
#include "tests/cli/test_commands.h"

namespace moescope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The words of an example; it needs no quoting.
std::vector<std::string> Words(std::string_view example) {
  return absl::StrSplit(Absl(example), ' ', absl::SkipEmpty());
}

// What is wrong with an example of `option`: it must be a call of a command (of `command` unless
// the option is a common one) that parses and uses the option.
std::string ExampleProblem(std::span<const Command* const> commands, const Command* command,
                           const Option& option) {
  const std::vector<std::string> words = Words(option.example);
  if (words.size() < 2 || words[0] != "moescope") return "is no call of moescope";
  std::size_t used = 3;
  const Command* called = nullptr;
  if (words.size() > 2) called = FindCommand(commands, absl::StrCat(words[1], " ", words[2]));
  if (called == nullptr) called = FindCommand(commands, words[1]), used = 2;
  if (called == nullptr || (command != nullptr && called != command)) {
    return "calls another command";
  }
  const auto arguments = Arguments::Parse(
      *called, {}, {words.begin() + static_cast<std::ptrdiff_t>(used), words.end()});
  if (!arguments.ok()) return std::string(arguments.status().message());
  if (!arguments->Has(option.name)) return "does not use the option";
  return "";
}

// Everything that is wrong with one row of a table.
std::vector<std::string> Problems(std::span<const Command* const> commands, const Command* command,
                                  const Option& option) {
  std::vector<std::string> problems;
  const auto expect = [&](bool holds, std::string problem) {
    if (!holds) problems.push_back(std::move(problem));
  };
  const std::string_view description = option.description;
  expect(description.size() > 5 && description.back() == '.', "description is no sentence");
  expect(!description.empty() && description.front() >= 'A' && description.front() <= 'Z',
         "description does not start with a capital");
  expect(std::all_of(
             option.name.begin(), option.name.end(),
             [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || (c >= '0' && c <= '9'); }),
         "name is not lower-case");
  expect(option.choices.empty() || !option.value.empty(), "a flag with choices");
  expect(!option.list || !option.value.empty(), "a flag that is a list");
  const std::string example = ExampleProblem(commands, command, option);
  expect(example.empty(), absl::StrCat("example ", example));
  return problems;
}

TEST(OptionTableTest, EveryOptionHasDescriptionAndWorkingExample) {
  std::size_t seen = 0;
  for (const Command* command : Commands()) {
    for (const Option& option : command->options) {
      EXPECT_THAT(Problems(Commands(), command, option), IsEmpty())
          << command->name << " --" << option.name << ": " << option.example;
      ++seen;
    }
  }
  for (const Option& option : kCommonOptions) {
    EXPECT_THAT(Problems(Commands(), nullptr, option), IsEmpty()) << "--" << option.name;
    ++seen;
  }
  EXPECT_GT(seen, 5u);
}

TEST(OptionTableTest, NamesAndLettersAreUniqueInACommand) {
  for (const Command* command : Commands()) {
    std::set<std::string_view> names;
    std::set<char> letters;
    const auto add = [&](const Option& option) {
      EXPECT_TRUE(names.insert(option.name).second) << command->name << " --" << option.name;
      if (option.letter == '\0') return;
      EXPECT_TRUE(letters.insert(option.letter).second) << command->name << " -" << option.letter;
    };
    for (const Option& option : command->options) add(option);
    for (const Option& option : kCommonOptions) add(option);
  }
}

TEST(OptionTableTest, EveryCommandIsDescribed) {
  std::set<std::string_view> names;
  for (const Command* command : Commands()) {
    EXPECT_TRUE(names.insert(command->name).second) << command->name;
    EXPECT_TRUE(absl::EndsWith(Absl(command->summary), ".")) << command->name;
    EXPECT_FALSE(command->exit_codes.empty()) << command->name;
    EXPECT_NE(command->run, nullptr) << command->name;
    for (const Positional& positional : command->positionals) {
      EXPECT_TRUE(absl::EndsWith(Absl(positional.description), ".")) << command->name;
    }
  }
}

// The rules above can fail.
TEST(OptionTableTest, BadRowsAreFound) {
  const auto problems = [](Option option) {
    return absl::StrJoin(Problems(test::kTestCommands, &test::kRun, option), "; ");
  };
  const Option good = {"limit", '\0', "N", "A number.", "moescope run --limit=5"};
  EXPECT_EQ(problems(good), "");
  Option bad = good;
  bad.description = "";
  EXPECT_EQ(problems(bad), "description is no sentence; description does not start with a capital");
  bad = good;
  bad.example = "";
  EXPECT_EQ(problems(bad), "example is no call of moescope");
  bad.example = "moescope run";
  EXPECT_EQ(problems(bad), "example does not use the option");
  bad.example = "moescope profile verify --limit=5";
  EXPECT_EQ(problems(bad), "example calls another command");
  bad.example = "moescope run --limti=5";
  EXPECT_THAT(problems(bad), HasSubstr("unknown option"));
  bad = good;
  bad.name = "Limit";
  bad.example = "";
  EXPECT_THAT(problems(bad), HasSubstr("name is not lower-case"));
}

}  // namespace
}  // namespace moescope::cli
