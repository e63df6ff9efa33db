#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/program.h"

namespace moescope::stages {

class Vocabulary;

// The built-in stages of profile.md 1.1, in display order.
struct BuiltinName {
  std::string_view name;
  isa::StageScope scope;
};
inline constexpr std::array<BuiltinName, 14> kBuiltinStages = {{
    {"residual_setup", isa::StageScope::kLayer},
    {"router_topk", isa::StageScope::kLayer},
    {"accumulator_init", isa::StageScope::kLayer},
    {"gather", isa::StageScope::kPair},
    {"expert_weight_address", isa::StageScope::kPair},
    {"expert_weight_prefetch", isa::StageScope::kPair},
    {"expert_projection", isa::StageScope::kPair},
    {"expert_activation", isa::StageScope::kPair},
    {"expert_bias", isa::StageScope::kPair},
    {"expert_route_weight", isa::StageScope::kPair},
    {"scatter_combine", isa::StageScope::kPair},
    {"shared_expert", isa::StageScope::kLayer},
    {"shared_gate", isa::StageScope::kLayer},
    {"shared_combine", isa::StageScope::kLayer},
}};

// The name of a stage that exists: of the built-in vocabulary or of a Vocabulary's extensions.
// There is no default stage and no conversion from text, so that an emitter cannot forget or
// mistype one.
class Stage {
 public:
  std::string_view name() const { return name_; }
  isa::StageScope scope() const { return scope_; }
  isa::StageOrigin origin() const { return origin_; }

  friend bool operator==(const Stage& a, const Stage& b) { return a.name_ == b.name_; }

 private:
  friend class Vocabulary;
  friend consteval Stage BuiltinStage(std::string_view name);
  constexpr Stage(std::string_view name, isa::StageScope scope, isa::StageOrigin origin)
      : name_(name), scope_(scope), origin_(origin) {}

  std::string_view
      name_;  // owned by kBuiltinStages or by the vocabulary, which outlives its stages
  isa::StageScope scope_;
  isa::StageOrigin origin_;
};

// A built-in stage by name; a typo does not compile.
consteval Stage BuiltinStage(std::string_view name) {
  for (const BuiltinName& builtin : kBuiltinStages) {
    if (builtin.name == name) return Stage(builtin.name, builtin.scope, isa::StageOrigin::kBuiltin);
  }
  throw "not a built-in stage";  // fence: reached only while compiling, and makes that an error
}

inline constexpr Stage kResidualSetup = BuiltinStage("residual_setup");
inline constexpr Stage kRouterTopk = BuiltinStage("router_topk");
inline constexpr Stage kAccumulatorInit = BuiltinStage("accumulator_init");
inline constexpr Stage kGather = BuiltinStage("gather");
inline constexpr Stage kExpertWeightAddress = BuiltinStage("expert_weight_address");
inline constexpr Stage kExpertWeightPrefetch = BuiltinStage("expert_weight_prefetch");
inline constexpr Stage kExpertProjection = BuiltinStage("expert_projection");
inline constexpr Stage kExpertActivation = BuiltinStage("expert_activation");
inline constexpr Stage kExpertBias = BuiltinStage("expert_bias");
inline constexpr Stage kExpertRouteWeight = BuiltinStage("expert_route_weight");
inline constexpr Stage kScatterCombine = BuiltinStage("scatter_combine");
inline constexpr Stage kSharedExpert = BuiltinStage("shared_expert");
inline constexpr Stage kSharedGate = BuiltinStage("shared_gate");
inline constexpr Stage kSharedCombine = BuiltinStage("shared_combine");

// What an instruction is for: a stage, and for pair-scope stages the pair and, when known, the
// expert.
struct Attribution {
  Stage stage;
  std::optional<std::uint32_t> pair = std::nullopt;
  std::optional<std::uint32_t> expert = std::nullopt;

  friend bool operator==(const Attribution&, const Attribution&) = default;
};

// profile.md 5.8; printed wherever shared and routed stages can be compared.
inline constexpr std::string_view kSharedVersusRoutedCaveat =
    "Read ratios between shared_* and routed stages with care. They describe how this program was "
    "lowered, not what an MoE layer must cost: routed experts run one (token, expert) slot at a "
    "time "
    "and fetch, address and prefetch their weights for every slot, while the shared expert is one "
    "dense pass over all rows. A different lowering of the same layer moves the ratio.";
static_assert(kSharedVersusRoutedCaveat.size() == 363);

}  // namespace moescope::stages
