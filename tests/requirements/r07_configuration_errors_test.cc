// R07: an unknown key, a malformed number and a CR LF configuration give file, line and reason,
// never a library exception. For every kind of configuration that the command reads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/cli/command_call.h"

namespace moescope::cli {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A kind of configuration: a correct file, how the command reads it, and mistakes.
struct Mistake {
  const char* from;  // in the correct text
  const char* to;
  const char* finding;  // behind "FILE:"
};

struct Kind {
  const char* name;
  const char* text;
  std::vector<std::string> (*call)(const std::string& path, const std::string& program);
  std::vector<Mistake> mistakes;
};

const Kind kKinds[] = {
    {"machine.toml",
     "# a machine\n[TRANSACTIONAL.CONFIG]\nBLEN.value = 4\nMLEN.value = "
     "64\n\n[MOESCOPE.hbm]\nchannels = "
     "8\n",
     [](const std::string& path, const std::string&) {
       return std::vector<std::string>{"machine", "show", path, "--settings-fallback=defaults"};
     },
     {{"BLEN.value = 4", "BLENN.value = 4", "3:1: error: "},
      {"channels = 8", "chanels = 8",
       "7:1: error: unknown key MOESCOPE.hbm.chanels; did you mean 'channels'? [CF005]"},
      {"BLEN.value = 4", "BLEN.value = four", "3:"},
      {"BLEN.value = 4", "BLEN.value = \"4\"", "3:14: error: TRANSACTIONAL.CONFIG.BLEN.value = "},
      {"BLEN.value = 4", "BLEN.value = 0",
       "3:14: error: TRANSACTIONAL.CONFIG.BLEN.value = 0: must be at least 1 [CF012]"},
      {"BLEN.value = 4", "BLEN.value = 4\nBLEN.value = 8", "4:"},
      {"BLEN.value = 4", "BLEN.value = 99999999999999999999", "3:"},
      {"[MOESCOPE.hbm]", "[MOESCOPE.hbm", "6:"}}},
    {"run.json",
     "{\"schema\": \"moescope.run\", \"schema_version\": 1,\n \"program\": {\"file\": "
     "\"p.asm\"},\n "
     "\"limits\": {\"max_cycles\": 1000},\n \"hot\": 5}\n",
     [](const std::string& path, const std::string&) {
       return std::vector<std::string>{"run", path, "-q"};
     },
     {{"\"hot\"", "\"hott\"", "4:2: error: unknown key 'hott'; did you mean 'hot'? [MF003]"},
      {"\"max_cycles\"", "\"max_cycle\"",
       "3:13: error: unknown key 'limits.max_cycle'; did you mean 'max_cycles'? [MF003]"},
      {"1000", "\"1e3\"", "3:27: error: limits.max_cycles = \"1e3\": "},
      {"1000", "-1", "3:27: error: limits.max_cycles = -1: "},
      {"1000", "1000.5", "3:27: error: limits.max_cycles = 1000.5: "},
      {"1000", "99999999999999999999", "3:27: error: limits.max_cycles = 99999999999999999999: "},
      {"1000", "1000,", "3:"},
      {"\"hot\": 5", "\"hot\": 5, \"hot\": 6", "4:12: error: key 'hot' is given twice [MF006]"}}},
    {"config.toml",
     "[run]\nhot = 5\nquiet = true\n\n[profile.verify]\nformat = 'json'\n",
     [](const std::string& path, const std::string& program) {
       return std::vector<std::string>{"run", "--opcode=" + program, "--config", path};
     },
     {{"hot = 5", "hott = 5",
       "2:1: error: 'run' has no option 'hott'; did you mean 'hot'? [CF503]"},
      {"hot = 5", "hot = 5.5",
       "2:7: error: hot: must be a text that is not empty, or an integer [CF504]"},
      {"quiet = true", "quiet = 1", "3:9: error: quiet: must be true or false [CF504]"},
      {"[run]", "[rnu]", "1:2: error: unknown command 'rnu'; did you mean 'run'? [CF502]"},
      {"hot = 5", "hot = ", "2:"},
      {"hot = 5", "hot = 5\nhot = 6", "3:"}}},
    {"stages.toml",
     "schema = \"moescope.stages\"\nversion = 1\n[[stage]]\nname = \"my_stage\"\nsummary = "
     "\"Mine.\"\nscope = \"layer\"\n",
     [](const std::string& path, const std::string&) {
       return std::vector<std::string>{"stages", "list", "--stage-vocabulary=" + path};
     },
     {{"summary", "sumary", "3:1: error: stage[0].summary: missing [MS022]"},
      {"version = 1", "version = one", "2:"},
      {"version = 1", "version = 2", "2:11: error: "},
      {"\"layer\"", "\"layers\"", "6:9: error: "},
      {"\"my_stage\"", "\"My Stage\"", "4:8: error: "}}},
    {"rules.toml",
     "schema = \"moescope.annotate\"\nversion = 1\n\n[[rule]]\nid = \"A1\"\nmatch = [\"Gather "
     "{n}\"]\n"
     "stage = \"gather\"\n",
     [](const std::string& path, const std::string& program) {
       return std::vector<std::string>{"annotate", program, "--check", "--rules=" + path};
     },
     {{"stage = \"gather\"", "stage = \"gather\"\nstagee = 1", "8:1: error: "},
      {"\"gather\"", "\"gahter\"", "7:9: error: "},
      {"version = 1", "version = 1.5", "2:11: error: "},
      {"[[rule]]", "[[rule]", "4:"}}},
};

class R07_ConfigurationErrors : public ::testing::Test {
 protected:
  R07_ConfigurationErrors() : program_(folder_.Write("p.asm", "S_ADDI_INT gp1, gp0, 5\n")) {}

  test::Outcome Read(const Kind& kind, std::string_view text) const {
    return test::CallMoescope(kind.call(folder_.Write(kind.name, text), program_));
  }

  moescope::test::ScratchFolder folder_;
  std::string program_;
};

TEST_F(R07_ConfigurationErrors, CorrectFilesAreAcceptedHoweverTheirLinesEnd) {
  for (const Kind& kind : kKinds) {
    const std::string text = kind.text;
    const std::string kForms[] = {
        text, absl::StrReplaceAll(text, {{"\n", "\r\n"}}),
        text.substr(0, text.size() - 1),     // no newline at the end
        absl::StrCat("\xEF\xBB\xBF", text),  // a byte-order mark
    };
    for (const std::string& form : kForms) {
      const test::Outcome outcome = Read(kind, form);
      EXPECT_EQ(outcome.code, ExitCode::kSuccess) << kind.name << "\n" << outcome.err;
      EXPECT_THAT(outcome.err, ::testing::Not(HasSubstr("error"))) << kind.name;
    }
  }
}

TEST_F(R07_ConfigurationErrors, CommentsMayHoldAnyLetters) {
  for (const Kind& kind : kKinds) {
    if (std::string_view(kind.name).ends_with(".json")) continue;  // JSON has no comments
    const std::string text = absl::StrCat("# \xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n", kind.text);
    EXPECT_EQ(Read(kind, text).code, ExitCode::kSuccess) << kind.name;
  }
}

TEST_F(R07_ConfigurationErrors, MistakesGiveFileLineAndReason) {
  for (const Kind& kind : kKinds) {
    for (const Mistake& mistake : kind.mistakes) {
      std::string text = kind.text;
      const std::size_t at = text.find(mistake.from);
      ASSERT_NE(at, std::string::npos) << kind.name << ": " << mistake.from;
      text.replace(at, std::string_view(mistake.from).size(), mistake.to);
      for (const bool carriage_returns : {false, true}) {
        if (carriage_returns) text = absl::StrReplaceAll(text, {{"\n", "\r\n"}});
        const test::Outcome outcome = Read(kind, text);
        EXPECT_EQ(outcome.code, ExitCode::kInput) << kind.name << ": " << mistake.to;
        EXPECT_THAT(outcome.err,
                    StartsWith(absl::StrCat(folder_.Path(kind.name), ":", mistake.finding)))
            << kind.name << ": " << mistake.to;
        EXPECT_THAT(outcome.err, ::testing::ContainsRegex("\\[[A-Z][A-Z][0-9]+\\]"));
        EXPECT_THAT(outcome.err, ::testing::Not(AnyOf(HasSubstr("exception"), HasSubstr("what()"),
                                                      HasSubstr("terminate"))));
      }
    }
  }
}

// Whatever the bytes: a result, or an error of input. An exception would end the test program.
TEST_F(R07_ConfigurationErrors, RandomDamageNeverEscapes) {
  std::mt19937 random(11);
  for (const Kind& kind : kKinds) {
    const std::string text = kind.text;
    for (int round = 0; round < 150; ++round) {
      std::string damaged = text;
      for (auto i = 1 + random() % 3; i > 0; --i) {
        const std::size_t at = random() % damaged.size();
        switch (random() % 4) {
          case 0:
            damaged[at] = static_cast<char>(random());
            break;
          case 1:
            damaged.erase(at, 1 + random() % 5);
            break;
          case 2:
            damaged.insert(at, 1, "{}[]\"=,.:\n\\"[random() % 11]);
            break;
          default:
            damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 20));
        }
        if (damaged.empty()) damaged = "x";
      }
      const test::Outcome outcome = Read(kind, damaged);
      EXPECT_THAT(outcome.code,
                  AnyOf(ExitCode::kSuccess, ExitCode::kInput, ExitCode::kUsage, ExitCode::kLimit))
          << damaged;
      if (outcome.code != ExitCode::kSuccess) {
        EXPECT_NE(outcome.err, "") << damaged;
      }
    }
  }
}

}  // namespace
}  // namespace moescope::cli
