// Every key of a machine file, by its kind: wrong types, values outside its range, unknown words
// and misspelt names give the place, the key and what would be right; a good value reaches the
// description and nothing else (timing.md, 9: T16).

#include "emulator/machine_keys.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "emulator/effective_parameters.h"
#include "emulator/machine_override.h"
#include "emulator/machine_toml.h"
#include "emulator/machine_writer.h"

namespace moescope::test {
namespace {

using emulator::KeyKind;
using emulator::MachineDescription;
using emulator::MachineKey;

// The built-in machine with every key stated on a line of its own.
MachineDescription Complete() {
  MachineDescription machine = emulator::LoadMachine("plena-64")->machine;
  machine.dialect.bmm_scale = 0.25f;
  return machine;
}

struct Line {
  std::string text;
  std::size_t number = 0;  // from 1
};

// The file with the value of `key` replaced, and where that value stands.
std::string With(const MachineKey& key, const std::string& value, std::string& place) {
  std::vector<std::string> lines = absl::StrSplit(emulator::WriteMachineFile(Complete()), '\n');
  const std::string start = key.FilePath() + " = ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with(start)) continue;
    lines[i] = start + value;
    place = absl::StrCat("m.toml:", i + 1, ":", start.size() + 1);
  }
  std::string text;
  for (const std::string& line : lines) absl::StrAppend(&text, line, "\n");
  return text;
}

std::vector<std::string> ErrorsOf(const MachineKey& key, const std::string& value,
                                  std::string& place) {
  const auto file = emulator::ParseMachine(With(key, value, place), "m.toml");
  EXPECT_FALSE(place.empty()) << key.path << " is not in the file";
  if (file.ok()) return {};
  return absl::StrSplit(file.status().message(), '\n');
}

void ExpectError(const MachineKey& key, const std::string& value, const std::string& must) {
  std::string place;
  const std::vector<std::string> lines = ErrorsOf(key, value, place);
  ASSERT_FALSE(lines.empty()) << key.path << " = " << value << " was accepted";
  bool found = false;
  for (const std::string& line : lines) {
    found = found || (line.starts_with(place + ": error: " + key.path) &&
                      line.find(must) != std::string::npos);
  }
  EXPECT_TRUE(found) << key.path << " = " << value << "\nexpected " << place << " ... " << must
                     << "\nfound " << lines.front();
}

std::string Alternatives(const MachineKey& key) {
  std::string text;
  for (std::size_t i = 0; i < key.choices.size(); ++i) {
    absl::StrAppend(&text,
                    i == 0                        ? ""
                    : i + 1 == key.choices.size() ? " or "
                                                  : ", ",
                    "\"", std::string(key.choices[i]), "\"");
  }
  return text;
}

class EveryKey : public testing::TestWithParam<std::size_t> {
 protected:
  const MachineKey& key() const { return emulator::MachineKeys()[GetParam()]; }
};

TEST_P(EveryKey, RefusesOtherTypes) {
  const std::map<KeyKind, std::vector<std::string>> wrong = {
      {KeyKind::kInteger, {"\"4\"", "4.5", "true", "[4]", "{ x = 4 }", "2026-07-01"}},
      {KeyKind::kBoolean, {"\"true\"", "1", "0.5", "[true]", "{ x = true }"}},
      {KeyKind::kText, {"4", "4.5", "true", "[\"ocp\"]", "{ x = 1 }"}},
      {KeyKind::kFloat, {"\"0.5\"", "true", "[0.5]", "{ x = 0.5 }"}},
      {KeyKind::kFormat, {"\"Plain\"", "4", "true", "[1]"}}};
  const std::map<KeyKind, std::string> must = {
      {KeyKind::kInteger, "must be an integer [CF004]"},
      {KeyKind::kBoolean, "must be true or false [CF004]"},
      {KeyKind::kText, "must be " + Alternatives(key()) + " [CF004]"},
      {KeyKind::kFloat, "must be a number [CF004]"},
      {KeyKind::kFormat, "must be a table [CF004]"}};
  for (const std::string& value : wrong.at(key().kind)) {
    ExpectError(key(), value, must.at(key().kind));
  }
}

TEST_P(EveryKey, RefusesWhatItsRangeOrChoicesDoNotHave) {
  if (key().kind == KeyKind::kInteger) {
    ExpectError(key(), "-1", "must not be negative [CF012]");
    if (key().largest < static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      ExpectError(key(), std::to_string(key().largest + 1),
                  absl::StrCat("must be at most ", key().largest, " [CF013]"));
    }
  }
  if (key().kind == KeyKind::kText) {
    ExpectError(key(), "\"no such word\"", "must be " + Alternatives(key()) + " [CF007]");
    ExpectError(key(), "\"\"", "must be " + Alternatives(key()));
    // One letter too many: the nearest word is offered.
    const std::string word(key().choices.front());
    ExpectError(key(), "\"" + word + "x\"", "did you mean '" + word + "'");
  }
  if (key().kind == KeyKind::kFloat) {
    for (const char* value : {"inf", "-inf", "nan"}) {
      ExpectError(key(), value, "must be a finite f32 [CF013]");
    }
  }
}

TEST_P(EveryKey, SuggestsItselfForAMisspeltName) {
  const std::string path = key().FilePath();
  const std::string wrong = path + "x";
  const auto file =
      emulator::ParseMachine(emulator::WriteMachineFile(Complete()) + wrong + " = 1\n", "m.toml");
  ASSERT_FALSE(file.ok()) << wrong;
  const std::string message(file.status().message());
  EXPECT_NE(message.find("unknown key " + wrong), std::string::npos) << message;
  EXPECT_NE(message.find("[CF005]"), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean"), std::string::npos) << message;
}

TEST_P(EveryKey, CannotStandTwice) {
  const std::string text = emulator::WriteMachineFile(Complete());
  const std::size_t at = text.find(key().FilePath() + " = ");
  ASSERT_NE(at, std::string::npos);
  const std::string line = text.substr(at, text.find('\n', at) - at);
  const auto file = emulator::ParseMachine(text + line + "\n", "m.toml");
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.status().message().find("CF006"), absl::string_view::npos)
      << file.status().message();
}

// A value other than the default is read, changes this key and no other, and is written back.
TEST_P(EveryKey, ReachesTheDescriptionAlone) {
  const MachineDescription base = Complete();
  std::string value;
  if (key().kind == KeyKind::kInteger) {
    const std::uint64_t old = key().integer(base);
    // Doubling keeps granules and powers of two; 0 becomes 1.
    value = std::to_string(old == 0 ? 1 : 2 * old);
    if (key().path.ends_with(".DC_EN")) value = "0";
    // These must stay related to others.
    if (key().path.ends_with("LEN")) return;
  } else if (key().kind == KeyKind::kBoolean) {
    value = key().integer(base) != 0 ? "false" : "true";
  } else if (key().kind == KeyKind::kText) {
    if (key().path == "MOESCOPE.convention") return;  // scale_rule goes with it
    const std::string old = key().text(base);
    for (const std::string_view choice : key().choices) {
      if (choice != old) value = "\"" + std::string(choice) + "\"";
    }
  } else if (key().kind == KeyKind::kFloat) {
    value = "0.5";
  } else {
    if (key().bf16_only) return;
    value =
        "{ format = \"Plain\", DATA_TYPE = { type = \"Fp\", sign = true, exponent = 5, "
        "mantissa = 10 } }";
  }
  std::string place;
  const auto file = emulator::ParseMachine(With(key(), value, place), "plena-64.toml");
  ASSERT_TRUE(file.ok()) << key().path << " = " << value << ": " << file.status().message();
  EXPECT_NE(file->machine, base) << key().path << " = " << value << " changed nothing";
  const auto before = emulator::EffectiveParameters(base);
  const auto after = emulator::EffectiveParameters(file->machine);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool same = before[i].integer == after[i].integer && before[i].text == after[i].text;
    EXPECT_EQ(same, before[i].key != key().path) << before[i].key;
  }
  const auto again =
      emulator::ParseMachine(emulator::WriteMachineFile(file->machine), "plena-64.toml");
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->machine, file->machine);
}

// The same value as an override.
TEST_P(EveryKey, IsFoundByItsPathAndTakesAnOverride) {
  const auto match = emulator::FindMachineKey(key().path);
  ASSERT_EQ(match.key, &key());
  const MachineDescription base = Complete();
  MachineDescription machine = base;
  std::string path;
  const std::string same = key().kind == KeyKind::kInteger ? std::to_string(key().integer(base))
                           : key().kind == KeyKind::kBoolean
                               ? (key().integer(base) ? "true" : "false")
                               : key().text(base);
  const auto problem = emulator::SetMachineKey(machine, key().path, same, path);
  EXPECT_FALSE(problem.has_value()) << problem->message;
  EXPECT_EQ(path, key().path);
  EXPECT_EQ(machine, base) << "its own value changes nothing";
  if (key().kind != KeyKind::kText) {
    EXPECT_TRUE(emulator::SetMachineKey(machine, key().path, "no such value", path).has_value());
  }
}

TEST_P(EveryKey, HasLabelAndSource) {
  EXPECT_FALSE(key().source.empty());
  // What no source gives is assumed, and names its id or the choice.
  const bool names_id = key().source.starts_with("A0") || key().source.starts_with("A1");
  EXPECT_TRUE(!names_id || key().label == emulator::CostClass::kAssumed);
  EXPECT_NE(key().label, emulator::CostClass::kExtrapolated) << "belongs to costs";
  EXPECT_NE(key().label, emulator::CostClass::kUnsupported);
}

std::string KeyName(const testing::TestParamInfo<std::size_t>& info) {
  std::string name = emulator::MachineKeys()[info.param].path;
  for (char& c : name) {
    if (c == '.') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, EveryKey,
                         testing::Range<std::size_t>(0, emulator::MachineKeys().size()), KeyName);

TEST(MachineKeys, TheOnlyKeysWithoutASourceOfTheirOwnAreNone) {
  std::map<std::string, int> labels;
  for (const MachineKey& key : emulator::MachineKeys()) {
    ++labels[std::string(emulator::Name(emulator::CostClass{key.label}))];
  }
  EXPECT_GE(labels["derived"], 40);
  EXPECT_GE(labels["measured"], 5);
  EXPECT_GE(labels["assumed"], 5);
  EXPECT_EQ(labels.size(), 3u);
}

}  // namespace
}  // namespace moescope::test
