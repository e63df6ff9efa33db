#include "tests/moe/emit/sweep.h"

#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "moe/generator.h"
#include "moe/layer_request.h"
#include "moe/route_trace_json.h"
#include "tests/stages/linted.h"

namespace moescope::moe {
namespace {

constexpr std::int64_t kTokens[] = {1, 2, 8};
constexpr std::pair<int, int> kWidths[] = {{128, 128}, {192, 256}, {320, 320}, {128, 320}};
constexpr WeightFormat::Kind kFormats[] = {WeightFormat::kBf16, WeightFormat::kMxfp8B8,
                                           WeightFormat::kMxfp8B32, WeightFormat::kMxfp4B32};
constexpr const char* kShared[] = {"preset", "none", "128", "128+gate"};
constexpr const char* kWorkloads[] = {"balanced",
                                      "uniform",
                                      "hot(p=0.8,n=2)",
                                      "ragged",
                                      "empty(first)",
                                      "empty(middle,last)",
                                      "single",
                                      "rotating(n=4,period=2)",
                                      "burst(length=3,gap=2)",
                                      "replay",
                                      "ragged+masked(0.25)",
                                      "uniform+masked(1)"};

// "softmax_all without norm, sigmoid_group and sigmoid_input look scores up" (moe.md, 15.2).
bool LooksScoresUp(const Router& router) {
  return router.mode == RouterMode::kSigmoidGroup || router.mode == RouterMode::kSigmoidInput ||
         (router.mode == RouterMode::kSoftmaxAll && !router.norm);
}

Layer LayerOf(const Variant& variant) {
  Layer layer = ReducedPreset(variant.preset);
  layer.shape.hidden = variant.hidden;
  layer.shape.intermediate = variant.intermediate;
  layer.weights = variant.format;
  if (variant.shared != "preset") {
    EXPECT_TRUE(ParseShared(variant.shared, layer).ok());
  }
  return layer;
}

Lowering LoweringOf(const Variant& variant, const Layer& layer) {
  Lowering lowering = *ParseLowering(variant.lowering, layer, !variant.workload.empty());
  for (const OptionValue& option : variant.options) {
    EXPECT_TRUE(SetOption(option.option, option.value, lowering).ok()) << option.option;
  }
  return lowering;
}

// A trace from elsewhere: written as JSON and read back.
Routing ReplayedRouting(const Layer& layer, std::int64_t tokens) {
  RouteTrace trace;
  trace.routing = *GenerateRouting(*ParseWorkload("ragged+masked(0.1)"),
                                   {tokens, layer.shape.top_k, layer.shape.experts}, /*seed=*/99);
  return ParseRouteTrace(FormatRouteTrace(trace), "trace.json")->routing;
}

// What a single option needs beside it to be legal.
void MakeLegal(Variant& variant, const OptionValue& option) {
  if (option.value == "norm") variant.options.push_back({"gather", "vram"});
  if (option.value == "group" && variant.workload.empty()) variant.workload = "hot(p=1,n=2)";
}

bool IsDeviceless(std::string_view preset) { return preset == "dsv4-flash"; }

std::vector<OptionValue> EveryOptionValue() {
  std::vector<OptionValue> values;
  for (const std::string_view option : OptionNames()) {
    for (const std::string_view value : OptionValues(option)) {
      values.push_back({std::string(option), std::string(value)});
    }
  }
  for (const char* count : {"1", "2", "3"}) values.push_back({"k_tiles", count});
  return values;
}

Variant Base(std::string_view preset, std::int64_t tokens) {
  Variant variant{.preset = std::string(preset), .tokens = tokens};
  if (IsDeviceless(preset)) variant.workload = "uniform";
  return variant;
}

}  // namespace

std::string NameOf(const Variant& variant) {
  std::string name = absl::StrCat(variant.preset, " H=", variant.hidden,
                                  " I=", variant.intermediate, " T=", variant.tokens, " ",
                                  variant.workload.empty() ? "device" : variant.workload, " ");
  absl::StrAppend(&name, std::string(Name(variant.format)), " shared=", variant.shared, " ",
                  variant.lowering, " seed=", variant.seed);
  for (const OptionValue& option : variant.options) {
    absl::StrAppend(&name, " ", option.option, "=", option.value);
  }
  return name;
}

LayerCase CaseOf(const Variant& variant) {
  const Layer layer = LayerOf(variant);
  LayerCase c{.layer = layer,
              .tokens = variant.tokens,
              .lowering = LoweringOf(variant, layer),
              .seed = variant.seed};
  if (variant.workload == "replay") {
    c.routing = ReplayedRouting(layer, variant.tokens);
  } else if (!variant.workload.empty()) {
    c.workload = variant.workload;
  }
  return c;
}

std::optional<std::string> RefusalOf(const Variant& variant) {
  const Layer layer = LayerOf(variant);
  const Lowering lowering = LoweringOf(variant, layer);
  const bool fixed = !variant.workload.empty();
  if (!fixed && layer.router.mode == RouterMode::kSqrtSoftplus) return "[RC074]";
  if (!fixed && lowering.reuse == Reuse::kGroup) return "[RC075]";
  if (layer.expert_bias && lowering.weighting == ProgramWeighting::kPre) return "[RC075]";
  if (lowering.residual == Residual::kNorm && lowering.gather == GatherSource::kHbm) {
    return "[RC075]";
  }
  if (!fixed && lowering.router == RouterChoice::kMatrix && LooksScoresUp(layer.router)) {
    return "[RC076]";
  }
  return std::nullopt;
}

std::vector<Variant> OptionSweep() {
  std::vector<Variant> variants;
  std::size_t index = 0;
  for (const Preset& preset : Presets()) {
    for (const OptionValue& option : EveryOptionValue()) {
      Variant variant = Base(preset.name, kTokens[index++ % 3]);
      variant.hidden = 320;  // five tiles: K is split
      variant.intermediate = 192;
      variant.options = {option};
      MakeLegal(variant, option);
      variants.push_back(std::move(variant));
    }
    for (const bool fixed : {false, true}) {
      Variant variant = Base(preset.name, kTokens[index++ % 3]);
      variant.intermediate = 320;
      variant.lowering = "tuned";
      if (fixed) variant.workload = "ragged";
      variants.push_back(std::move(variant));
    }
  }
  return variants;
}

std::vector<Variant> WidthSweep() {
  std::vector<Variant> variants;
  for (const Preset& preset : Presets()) {
    for (const auto& [hidden, intermediate] : kWidths) {
      for (const std::int64_t tokens : kTokens) {
        Variant variant = Base(preset.name, tokens);
        variant.hidden = hidden;
        variant.intermediate = intermediate;
        variants.push_back(std::move(variant));
      }
    }
  }
  return variants;
}

std::vector<Variant> WorkloadSweep() {
  std::vector<Variant> variants;
  for (const char* preset : {"gpt-oss-20b", "deepseek-v2-lite", "llama4-scout"}) {
    for (const char* workload : kWorkloads) {
      // One slot per token leaves no room for three hot experts, but for every workload.
      for (const std::int64_t tokens : kTokens) {
        for (const char* reuse : {"none", "group"}) {
          Variant variant = Base(preset, tokens);
          variant.workload = workload;
          variant.options = {{"reuse", reuse}};
          variants.push_back(std::move(variant));
        }
      }
    }
  }
  return variants;
}

std::vector<Variant> FormatSweep() {
  std::vector<Variant> variants;
  std::size_t index = 0;
  for (const Preset& preset : Presets()) {
    for (const auto format : kFormats) {
      for (const char* shared : kShared) {
        for (const char* orientation : {"kn", "nk"}) {
          Variant variant = Base(preset.name, kTokens[index++ % 2]);
          variant.format = format;
          variant.shared = shared;
          variant.options = {{"orientation", orientation}};
          variants.push_back(std::move(variant));
        }
      }
    }
  }
  return variants;
}

std::vector<Variant> RandomSweep(std::size_t count, std::uint64_t seed) {
  std::vector<Variant> variants;
  std::uint64_t draw = 0;
  const auto pick = [&](std::size_t choices) {
    return static_cast<std::size_t>(Below(choices, U64(seed, Stream::kChoice, draw++)));
  };
  for (std::size_t i = 0; i < count; ++i) {
    Variant variant = Base(Presets()[pick(Presets().size())].name, kTokens[pick(3)]);
    std::tie(variant.hidden, variant.intermediate) = kWidths[pick(std::size(kWidths))];
    if (pick(2) == 0) variant.workload = kWorkloads[pick(std::size(kWorkloads))];
    variant.format = kFormats[pick(std::size(kFormats))];
    variant.shared = kShared[pick(std::size(kShared))];
    variant.seed = 1 + pick(1000);
    for (const std::string_view option : OptionNames()) {
      const std::vector<std::string_view> values = OptionValues(option);
      variant.options.push_back({std::string(option), std::string(values[pick(values.size())])});
    }
    variants.push_back(std::move(variant));
  }
  return variants;
}

std::vector<Variant> QuickSweep() {
  std::vector<Variant> variants;
  std::size_t index = 0;
  for (const OptionValue& option : EveryOptionValue()) {
    Variant variant = Base(Presets()[index % Presets().size()].name, 1 + index % 2);
    variant.hidden = index % 3 == 0 ? 320 : 128;
    variant.format = kFormats[index % std::size(kFormats)];
    variant.shared = kShared[index / 2 % std::size(kShared)];
    if (index % 2 == 1) variant.workload = kWorkloads[index / 2 % std::size(kWorkloads)];
    variant.options = {option};
    MakeLegal(variant, option);
    variants.push_back(std::move(variant));
    ++index;
  }
  return variants;
}

std::string FindingsAboveNote(const std::string& text, bool idle) {
  stages::LintOptions options;
  if (idle) options.max_unattributed_ppm = 1'000'000;
  std::string found;
  for (const Diagnostic& d : stages::ToDiagnostics(test::LintText(text, options).findings)) {
    if (d.severity != Severity::kNote) found += RenderText(d);
  }
  return found;
}

SweepCounts RunSweep(std::string_view name, const std::vector<Variant>& variants) {
  SweepCounts counts;
  for (const Variant& variant : variants) {
    SCOPED_TRACE(NameOf(variant));
    LayerCase c = CaseOf(variant);
    if (const std::optional<std::string> id = RefusalOf(variant); id.has_value()) {
      const absl::Status status = CompileCase(c).status();
      EXPECT_TRUE(absl::EndsWith(status.message(), *id)) << status;
      ++counts.refused;
    } else {
      RunLayer run(std::move(c));
      if (!run.ok()) continue;
      run.ExpectEqualToTwin();
      const bool idle = run.compiled().map.slots.empty();
      EXPECT_EQ(FindingsAboveNote(run.compiled().built.text, idle), "");
      ++counts.equal;
    }
    if (testing::Test::HasFailure()) break;  // the first one is enough to read
  }
  std::printf("[  SWEEP   ] %.*s: %zu variants, %zu equal to the twin, %zu refused as they must\n",
              static_cast<int>(name.size()), name.data(), variants.size(), counts.equal,
              counts.refused);
  EXPECT_EQ(counts.equal + counts.refused, variants.size());
  return counts;
}

}  // namespace moescope::moe
