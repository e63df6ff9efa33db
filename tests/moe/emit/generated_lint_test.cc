#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "moe/emit/compile.h"
#include "stages/strip.h"
#include "tests/moe/emit/run_layer.h"
#include "tests/stages/linted.h"

// Lint of generated programs: nothing above a note as they are, and every seeded misattribution
// found by the rule that is there for it.

namespace moescope::moe {
namespace {

assembler::BuiltProgram Build(const Layer& layer, std::int64_t tokens,
                              const Lowering& lowering = {}, const char* workload = nullptr) {
  std::optional<Routing> fixed;
  Layer described = layer;
  if (workload != nullptr) {
    fixed = *GenerateRouting(*ParseWorkload(workload),
                             {tokens, layer.shape.top_k, layer.shape.experts}, 1);
    described.router = {.mode = RouterMode::kGiven};
  }
  absl::StatusOr<CompiledLayer> compiled =
      Compile(described, {tokens, fixed.has_value() ? &*fixed : nullptr},
              emulator::MachineDescription{}, lowering);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return std::move(compiled->built);
}

std::string AboveNote(const std::string& text) {
  std::string found;
  for (const Diagnostic& d : stages::ToDiagnostics(test::LintText(text).findings)) {
    if (d.severity != Severity::kNote) found += RenderText(d);
  }
  return found;
}

class GeneratedLintTest : public testing::TestWithParam<std::string_view> {};

TEST_P(GeneratedLintTest, NothingAboveNote) {
  const std::string name(GetParam());
  const Layer layer = ReducedPreset(name);
  for (const std::int64_t tokens : {1, 2, 8}) {
    const char* fixed = name == "dsv4-flash" ? "uniform" : nullptr;
    EXPECT_EQ(AboveNote(Build(layer, tokens, {}, fixed).text), "") << tokens;
    EXPECT_EQ(
        AboveNote(Build(layer, tokens, TunedLowering(layer, true), "ragged+masked(0.1)").text), "")
        << tokens;
  }
}

// The text is the program: assembling it gives the words, the stage table and the positions.
TEST_P(GeneratedLintTest, TextAssemblesToTheProgram) {
  const std::string name(GetParam());
  const assembler::BuiltProgram built =
      Build(ReducedPreset(name), 2, {}, name == "dsv4-flash" ? "uniform" : nullptr);
  const auto assembly = assembler::Assemble(built.text, "layer.asm");
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  EXPECT_EQ(assembly->program.words, built.program.words);
  EXPECT_EQ(assembly->program.ranges, built.program.ranges);
  EXPECT_EQ(assembly->program.names, built.program.names);
}

std::vector<std::string_view> PresetNames() {
  std::vector<std::string_view> names;
  for (const Preset& preset : Presets()) names.push_back(preset.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Presets, GeneratedLintTest, testing::ValuesIn(PresetNames()),
                         [](const testing::TestParamInfo<std::string_view>& entry) {
                           std::string name(entry.param);
                           for (char& c : name) c = c == '-' || c == '.' ? '_' : c;
                           return name;
                         });

Layer SmallLayer() {
  return {.shape = {128, 64, 8, 2},
          .router = {.mode = RouterMode::kSoftmaxTopk, .logit_bias = true},
          .expert_bias = true,
          .weighting = Weighting::kPost,
          .weights = WeightFormat::kMxfp8B8,
          .shared = SharedExpert{64, true}};
}

TEST(GeneratedLintOptionsTest, EveryOptionAlone) {
  for (const OptionValue& option : Options(PublicLowering())) {
    for (const std::string_view value : OptionValues(option.option)) {
      Layer layer = SmallLayer();
      if (option.option == "weighting") layer.expert_bias = false;
      Lowering lowering;
      ASSERT_TRUE(SetOption(option.option, value, lowering).ok());
      if (lowering.residual == Residual::kNorm) lowering.gather = GatherSource::kVram;
      const char* fixed = lowering.reuse == Reuse::kGroup ? "uniform" : nullptr;
      EXPECT_EQ(AboveNote(Build(layer, 2, lowering, fixed).text), "")
          << option.option << "=" << value;
    }
  }
}

TEST(GeneratedMarkersTest, RemovingThemChangesNoWord) {
  const assembler::BuiltProgram built = Build(SmallLayer(), 2);
  std::string bare;
  for (std::size_t begin = 0; begin < built.text.size();) {
    const std::size_t end = built.text.find('\n', begin) + 1;
    const std::string line = built.text.substr(begin, end - begin);
    if (line.find("@stage") == std::string::npos) bare += line;
    begin = end;
  }
  const auto assembly = assembler::Assemble(bare, "bare.asm");
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  EXPECT_EQ(assembly->program.words, built.program.words);
  EXPECT_EQ(assembly->program.ranges.size(), 1u);
}

// Every stage of the layer appears, with the pairs 0..n-1.
TEST(GeneratedMarkersTest, AllStagesAreMarked) {
  Lowering lowering;
  lowering.residual = Residual::kAdd;
  const assembler::BuiltProgram built = Build(SmallLayer(), 2, lowering);
  std::vector<std::string> names;
  for (const isa::StageName& name : built.program.names) names.push_back(name.name);
  for (const stages::BuiltinName& stage : stages::kBuiltinStages) {
    EXPECT_THAT(names, testing::Contains(stage.name));
  }
  for (std::uint32_t pair = 0; pair < 4; ++pair) {
    EXPECT_TRUE(std::any_of(built.program.ranges.begin(), built.program.ranges.end(),
                            [&](const isa::StageRange& r) { return r.pair == pair; }));
  }
}

struct Seed {
  const char* name;
  std::string text;
  std::vector<const char*> rules;
};

std::string Replace(std::string text, const std::string& after, const std::string& from,
                    const std::string& to) {
  const std::size_t begin = text.find(after);
  EXPECT_NE(begin, std::string::npos) << after;
  const std::size_t at = text.find(from, begin);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// All markers of a stage read as another one.
std::string Rename(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find("@stage=" + from, at)) != std::string::npos; at += 1) {
    text.replace(at + 7, from.size(), to);
  }
  return text;
}

TEST(SeededMisattributionTest, EachIsFoundByItsRule) {
  const std::string clean = Build(SmallLayer(), 2).text;
  ASSERT_EQ(AboveNote(clean), "");
  const Seed seeds[] = {
      {"a deleted marker",
       Replace(clean, "", "; @stage=expert_projection pair=0\n", ""),
       {"MS104", "MS105", "MS114"}},
      {"swapped names",
       Replace(clean, "", "; @stage=expert_weight_prefetch pair=0", "; @stage=gather pair=0"),
       {"MS104"}},
      {"a marker in a loop",
       Replace(clean, "; @stage=expert_projection pair=0", "M_MM ",
               "\n; @stage=expert_activation pair=0\nM_MM "),
       {"MS108"}},
      {"a dropped pair",
       Replace(clean, "", "; @stage=gather pair=1", "; @stage=gather"),
       {"MS109"}},
      {"a marker at the end", clean + "; @stage=gather pair=0\n", {"MS102"}},
      {"projection billed to accumulator_init",
       Replace(clean, "", "@stage=expert_projection pair=0", "@stage=accumulator_init"),
       {"MS104", "MS105"}},
      {"V_TOPK in expert_bias",
       Replace(clean, "", "V_TOPK", "\n; @stage=expert_bias pair=0\nV_TOPK"),
       {"MS104"}},
      {"the shared gate's scaling as route weight",
       Rename(clean, "shared_gate", "expert_route_weight"),
       {"MS109"}},
      {"the router left in residual_setup",
       Rename(clean, "router_topk", "residual_setup"),
       {"MS104"}},
  };
  for (const Seed& seed : seeds) {
    std::vector<std::string> found;
    for (const Diagnostic& d : stages::ToDiagnostics(test::LintText(seed.text).findings)) {
      if (d.severity != Severity::kNote) found.push_back(d.id);
    }
    EXPECT_TRUE(std::any_of(seed.rules.begin(), seed.rules.end(),
                            [&](const char* rule) {
                              return std::find(found.begin(), found.end(), rule) != found.end();
                            }))
        << seed.name << ": " << testing::PrintToString(found);
  }
}

}  // namespace
}  // namespace moescope::moe
