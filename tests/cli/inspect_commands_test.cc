// machine show, profile verify, profile show, explain, completion and help.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "cli/session/explanations.h"
#include "nlohmann/json.hpp"
#include "tests/cli/command_call.h"
#include "tests/support/project_folders.h"

namespace moescope::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Document = nlohmann::json;
using Words = std::vector<std::string>;

std::string Out(const Words& words) {
  const test::Outcome outcome = test::CallMoescope(words);
  EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.err;
  return outcome.out;
}

std::string Error(const Words& words, ExitCode code) {
  const test::Outcome outcome = test::CallMoescope(words);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  return outcome.err;
}

// ---- machine show

// The value of a key in the JSON form.
Document ValueOf(Words options, const std::string& key) {
  options.insert(options.begin(), {"machine", "show", "--format=json"});
  const Document machine = Document::parse(Out(options));
  for (const Document& parameter : machine["parameters"]) {
    if (parameter["key"] == key) return parameter["value"];
  }
  return nullptr;
}

TEST(MachineShowTest, OptionsChangeTheParametersTheyName) {
  EXPECT_EQ(ValueOf({}, "TRANSACTIONAL.CONFIG.BLEN"), 4);
  EXPECT_EQ(ValueOf({"--set=BLEN=8"}, "TRANSACTIONAL.CONFIG.BLEN"), 8);
  EXPECT_EQ(ValueOf({"--set=BLEN=8", "--set=BLEN=16"}, "TRANSACTIONAL.CONFIG.BLEN"), 16);
  EXPECT_EQ(ValueOf({"--set=HBM_SIZE=1G"}, "TRANSACTIONAL.CONFIG.HBM_SIZE"), 1 << 30);
  EXPECT_EQ(ValueOf({"--timing=serial"}, "MOESCOPE.timing.model"), "serial");
  EXPECT_EQ(ValueOf({"--timing=rtl"}, "MOESCOPE.timing.model"), "rtl");
  EXPECT_EQ(ValueOf({"--dialect=reference"}, "MOESCOPE.convention"), "reference");
  EXPECT_EQ(ValueOf({"--dialect=masked_reduction=reference"}, "MOESCOPE.masked_reduction"),
            "reference");
  EXPECT_EQ(ValueOf({"--strict-encoding"}, "MOESCOPE.strict_encoding"), true);
  EXPECT_EQ(ValueOf({}, "MOESCOPE.strict_encoding"), false);
}

TEST(MachineShowTest, ShippedMachinesAreShownInBothForms) {
  for (const char* name : {"plena-64", "rtl-8", "analytic"}) {
    const std::string text = Out({"machine", "show", name});
    EXPECT_THAT(text, StartsWith(absl::StrCat("machine ", name, "\n")));
    const Document json = Document::parse(Out({"machine", "show", name, "--format=json"}));
    EXPECT_EQ(json["name"], name);
    // Every parameter of the one form is in the other, with label and source.
    for (const Document& parameter : json["parameters"]) {
      EXPECT_THAT(text, HasSubstr(absl::StrCat(parameter["key"].get<std::string>(), " ")));
      EXPECT_NE(parameter["label"], "");
      EXPECT_NE(parameter["source"], "");
    }
  }
  EXPECT_EQ(Out({"machine", "show"}), Out({"machine", "show", "plena-64"}));
}

TEST(MachineShowTest, WhatCannotBeReadIsRefused) {
  EXPECT_EQ(Error({"machine", "show", "nope"}, ExitCode::kInput),
            "error: cannot open 'nope': No such file or directory [CF001]\n");
  EXPECT_EQ(Error({"machine", "show", "--timing=fast"}, ExitCode::kInput),
            "--timing=fast: error: MOESCOPE.timing.model = fast: must be one of serial, pipelined, "
            "rtl [CF007]\n");
  EXPECT_EQ(Error({"machine", "show", "--dialect=foo=bar"}, ExitCode::kInput),
            "--dialect foo=bar: error: unknown key 'MOESCOPE.foo' [CF009]\n");
  EXPECT_THAT(Error({"machine", "show", "--set=BLEN=few"}, ExitCode::kInput),
              EndsWith(" = few: must be an integer [CF004]\n"));
  EXPECT_EQ(Error({"machine", "show", "--set=BLEN"}, ExitCode::kUsage),
            "moescope: --set BLEN: write it as KEY=VALUE\n");
  EXPECT_THAT(Error({"machine", "show", "--set=model=serial"}, ExitCode::kInput),
              HasSubstr("is ambiguous: "));
  EXPECT_THAT(Error({"machine", "show", "a", "b"}, ExitCode::kUsage),
              StartsWith("moescope: too many arguments: 2 given, at most 1 taken\n"));
}

// The numbers of options and of machine keys are read by one grammar.
TEST(MachineShowTest, NumbersAreReadAsEverywhere) {
  const std::pair<const char*, int> kNumbers[] = {{"64", 64},   {"0x40", 64},   {"1_024", 1024},
                                                  {"1K", 1024}, {"1KiB", 1024}, {"4kb", 4096}};
  for (const auto& [text, value] : kNumbers) {
    EXPECT_EQ(ValueOf({absl::StrCat("--set=int_sram_words=", text)}, "MOESCOPE.int_sram_words"),
              value)
        << text;
  }
  for (const char* text : {"", "K", "1__0", "1_", "-1", "1.5", "1e3", "0x", "1P"}) {
    EXPECT_THAT(
        Error({"machine", "show", absl::StrCat("--set=int_sram_words=", text)}, ExitCode::kInput),
        HasSubstr("must be an integer [CF004]"))
        << text;
  }
}

// ---- profile verify and show

class ProfileCommandsTest : public ::testing::Test {
 protected:
  ProfileCommandsTest() : profile_(test::WriteProfile(folder_, "p.json")) {
    changed_ = folder_.Write(
        "q.json", absl::StrReplaceAll(folder_.Read("p.json"), {{"\"calls\": 1", "\"calls\": 0"}}));
  }
  moescope::test::ScratchFolder folder_;
  std::string profile_;
  std::string changed_;
};

TEST_F(ProfileCommandsTest, VerifyNamesEveryBrokenInvariant) {
  EXPECT_EQ(Out({"profile", "verify", profile_, profile_}), "");
  const test::Outcome broken = test::CallMoescope({"profile", "verify", profile_, changed_});
  EXPECT_EQ(broken.code, ExitCode::kCheckFailed);
  EXPECT_THAT(broken.out, StartsWith(absl::StrCat(changed_, ": PV13: ")));
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(broken.out, '\n', absl::SkipEmpty()))) {
    EXPECT_THAT(line, ContainsRegex("^.*q.json: PV[0-9][0-9]: .*"));
  }
  const test::Outcome json =
      test::CallMoescope({"profile", "verify", profile_, changed_, "--format=json"});
  EXPECT_EQ(json.code, ExitCode::kCheckFailed);
  const Document document = Document::parse(json.out);
  ASSERT_EQ(document.size(), 2u);
  EXPECT_EQ(document[0]["failures"].size(), 0u);
  EXPECT_EQ(document[1]["failures"][0]["id"], "PV13");
}

TEST_F(ProfileCommandsTest, VerifyGoesOnAfterAFileThatIsNoProfile) {
  const std::string text = folder_.Write("t.json", "nothing");
  const test::Outcome outcome = test::CallMoescope({"profile", "verify", text, changed_, profile_});
  EXPECT_EQ(outcome.code, ExitCode::kInput);
  EXPECT_THAT(outcome.err, StartsWith(absl::StrCat("moescope: ", text, ": ")));
  EXPECT_THAT(outcome.out, HasSubstr("PV13"));
  EXPECT_EQ(Error({"profile", "verify", "-", "-"}, ExitCode::kUsage),
            "moescope: at most one input may be '-'\n");
  EXPECT_THAT(Error({"profile", "verify"}, ExitCode::kUsage),
              StartsWith("moescope: missing argument FILE\n"));
}

TEST_F(ProfileCommandsTest, ShowPrintsAnyPart) {
  EXPECT_EQ(Out({"profile", "show", profile_, "/totals/cycles"}), "13\n");
  EXPECT_EQ(Out({"profile", "show", profile_, "/stages/0/name"}), "accumulator_init\n");
  EXPECT_EQ(Document::parse(Out({"profile", "show", profile_})),
            Document::parse(folder_.Read("p.json")));
  EXPECT_EQ(Error({"profile", "show", profile_, "/totals/cycle"}, ExitCode::kInput),
            absl::StrCat("moescope: ", profile_,
                         ": nothing at '/totals/cycle'; did you mean 'cycles'?\n"));
  EXPECT_EQ(Error({"profile", "show", profile_, "totals"}, ExitCode::kUsage),
            "moescope: 'totals': a JSON pointer starts with '/'\n");
}

// ---- explain

// Every ID in brackets that any message of the sources can have is explained. IDs are found as
// texts of two capitals and digits in the code of all folders that report findings.
TEST(ExplainTest, EveryIdInTheSourcesHasAPage) {
  std::set<std::string, std::less<>> known;
  for (const Explanation& explanation : session::AllExplanations()) {
    EXPECT_TRUE(known.emplace(explanation.id).second) << explanation.id;
  }
  const std::set<std::string> prefixes = {"AS", "MS", "EM", "CF", "MF", "PC",
                                          "IM", "FT", "LM", "PV", "IS", "RC"};
  std::size_t found = 0;
  for (const char* folder :
       {"base", "isa", "asm", "stages", "emulator", "profiler", "moe", "cli"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             absl::StrCat(moescope::test::SourceFolder(), "/", folder))) {
      const std::string path = entry.path();
      if (!path.ends_with(".cc") && !path.ends_with(".h")) continue;
      const std::string text = *ReadFile(path);
      for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos;) {
        const std::size_t end = text.find('"', ++at);
        if (end == std::string::npos) break;
        const std::string word = text.substr(at, end - at);
        const bool digits =
            word.size() >= 4 && word.size() <= 5 &&
            std::all_of(word.begin() + 2, word.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (!digits || !prefixes.contains(word.substr(0, 2))) continue;
        ++found;
        EXPECT_TRUE(known.contains(word)) << word << " in " << path;
      }
    }
  }
  EXPECT_GT(found, 300u);
}

TEST(ExplainTest, PagesHaveCauseExampleAndFix) {
  for (const char* id : {"AS008", "MS104", "CF012", "CF510", "MF003", "PC001", "IM011", "IM013",
                         "FT301", "LM001", "PV02", "IS010", "RC001", "EM001"}) {
    const std::string page = Out({"explain", id});
    EXPECT_THAT(page, StartsWith(absl::StrCat(id, ": ")));
    for (const char* heading : {"\nCause:\n", "\nExample:\n", "\nFix:\n"}) {
      EXPECT_THAT(page, HasSubstr(heading)) << id;
    }
  }
  EXPECT_EQ(Out({"explain", "as008"}), Out({"explain", "AS008"}));
  EXPECT_EQ(Error({"explain", "XX999"}, ExitCode::kUsage),
            "moescope: no finding has the ID 'XX999'\n");
  EXPECT_THAT(Error({"explain", "CF01"}, ExitCode::kUsage), HasSubstr("; did you mean 'CF0"));
  EXPECT_THAT(Error({"explain"}, ExitCode::kUsage), StartsWith("moescope: missing argument ID\n"));
}

// ---- completion

TEST(CompletionCommandTest, KnowsThreeShells) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = Out({"completion", shell});
    EXPECT_THAT(script, HasSubstr("Generated by 'moescope completion'"));
    for (const Command* command : Commands()) {
      const std::string first(command->name.substr(0, command->name.find(' ')));
      EXPECT_THAT(script, HasSubstr(first)) << shell;
      for (const Option& option : command->options) {
        EXPECT_THAT(script, HasSubstr(std::string(option.name))) << shell;
      }
    }
  }
  EXPECT_EQ(Error({"completion", "csh"}, ExitCode::kUsage),
            "moescope: unknown shell 'csh'; known: bash, zsh, fish\n");
}

// ---- every command

TEST(EveryCommandTest, RefusesWhatItDoesNotKnowWithTheNearestName) {
  for (const Command* command : Commands()) {
    Words words = absl::StrSplit(std::string(command->name), ' ');
    words.push_back("--halp");
    const std::string err = Error(words, ExitCode::kUsage);
    EXPECT_THAT(err, StartsWith("moescope: unknown option '--halp'; did you mean '--help'?\n"))
        << command->name;
    EXPECT_THAT(
        err, EndsWith(absl::StrCat("Try 'moescope ", std::string(command->name), " --help'.\n")));
  }
}

TEST(EveryCommandTest, RefusesUnknownValuesOfEveryClosedList) {
  for (const Command* command : Commands()) {
    for (const Option& option : command->options) {
      if (option.choices.empty()) continue;
      Words words = absl::StrSplit(std::string(command->name), ' ');
      words.push_back(absl::StrCat("--", std::string(option.name), "=no-such-value"));
      EXPECT_THAT(Error(words, ExitCode::kUsage),
                  StartsWith(absl::StrCat("moescope: --", std::string(option.name),
                                          "=no-such-value: unknown value; allowed: ")))
          << command->name;
    }
  }
}

TEST(EveryCommandTest, RefusesOptionsWithoutTheirValueAndFlagsWithOne) {
  for (const Command* command : Commands()) {
    for (const Option& option : command->options) {
      Words words = absl::StrSplit(std::string(command->name), ' ');
      const std::string name = absl::StrCat("--", std::string(option.name));
      const bool flag = option.value.empty();
      words.push_back(flag ? name + "=1" : name);
      EXPECT_THAT(Error(words, ExitCode::kUsage),
                  StartsWith(flag ? absl::StrCat("moescope: option '", name,
                                                 "' does not take any arguments\n")
                                  : absl::StrCat("moescope: the required argument for option '",
                                                 name, "' is missing\n")))
          << command->name;
    }
  }
}

TEST(EveryCommandTest, TakesDefaultsFromItsTable) {
  const moescope::test::ScratchFolder folder;
  for (const Command* command : Commands()) {
    const std::string table = absl::StrReplaceAll(std::string(command->name), {{" ", "."}});
    const std::string config = folder.Write("c.toml", absl::StrCat("[", table, "]\nnope = 1\n"));
    Words words = absl::StrSplit(std::string(command->name), ' ');
    std::size_t needed = 0;
    for (const Positional& positional : command->positionals) needed += positional.minimum;
    for (std::size_t i = 0; i < needed; ++i) words.push_back("x");
    words.insert(words.end(), {"--config", config});
    EXPECT_EQ(Error(words, ExitCode::kInput),
              absl::StrCat(config, ":2:1: error: '", std::string(command->name),
                           "' has no option 'nope' [CF503]\n    2 | nope = 1\n      | ^\n"))
        << command->name;
  }
}

}  // namespace
}  // namespace moescope::cli
