#include <gtest/gtest.h>

#include <string>

#include "tests/moe/emit/run_layer.h"

// Every preset at reduced width: the program on the emulator equals its CPU twin bit for bit.

namespace moescope::moe {
namespace {

struct Case {
  std::string_view preset;
  std::int64_t tokens;
};

class PresetTest : public testing::TestWithParam<Case> {};

TEST_P(PresetTest, ProgramEqualsTwin) {
  const std::string name(GetParam().preset);
  LayerCase c{.layer = ReducedPreset(name), .tokens = GetParam().tokens};
  if (name == "dsv4-flash") c.workload = "uniform";  // no program can express its router
  RunLayer run(std::move(c));
  ASSERT_TRUE(run.ok());
  run.ExpectEqualToTwin();
}

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const Preset& preset : Presets()) {
    for (const std::int64_t tokens : {1, 2, 8}) cases.push_back({preset.name, tokens});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, PresetTest, testing::ValuesIn(AllCases()),
                         [](const testing::TestParamInfo<Case>& entry) {
                           std::string name(entry.param.preset);
                           for (char& c : name) c = c == '-' || c == '.' ? '_' : c;
                           return name + "_" + std::to_string(entry.param.tokens);
                         });

}  // namespace
}  // namespace moescope::moe
