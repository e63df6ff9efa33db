#include "moe/layer_names.h"

#include <array>
#include <cstddef>
#include <span>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/string_view.h"
#include "base/suggestion.h"

namespace moescope::moe {
namespace {

constexpr std::array<std::string_view, 6> kRouterModes = {
    "given", "softmax_topk", "softmax_all", "sigmoid_group", "sqrtsoftplus", "sigmoid_input"};
constexpr std::array<std::string_view, 4> kActivations = {"swiglu", "gpt_oss", "geglu_tanh",
                                                          "geglu_erf"};
constexpr std::array<std::string_view, 3> kLayouts = {"halves", "interleaved", "granule8"};
constexpr std::array<std::string_view, 3> kWeightings = {"pre", "post", "input"};
constexpr std::array<std::string_view, 4> kFormats = {"bf16", "mxfp8_b8", "mxfp8_b32", "mxfp4_b32"};

absl::StatusOr<std::size_t> IndexOf(std::string_view what, std::string_view name,
                                    std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
  }
  const std::string known = absl::StrJoin(
      names, ", ", [](std::string* out, std::string_view item) { out->append(item); });
  return absl::InvalidArgumentError(absl::StrCat("unknown ", Absl(what), " '", Absl(name),
                                                 "'; known: ", known, DidYouMean(name, names)));
}

template <typename Enum>
absl::StatusOr<Enum> Parse(std::string_view what, std::string_view name,
                           std::span<const std::string_view> names) {
  const absl::StatusOr<std::size_t> index = IndexOf(what, name, names);
  if (!index.ok()) return index.status();
  return static_cast<Enum>(*index);
}

}  // namespace

std::string_view Name(RouterMode mode) { return kRouterModes[static_cast<std::size_t>(mode)]; }
std::string_view Name(Activation activation) {
  return kActivations[static_cast<std::size_t>(activation)];
}
std::string_view Name(GateUpLayout layout) { return kLayouts[static_cast<std::size_t>(layout)]; }
std::string_view Name(Weighting weighting) { return kWeightings[weighting]; }
std::string_view Name(WeightFormat format) { return kFormats[format]; }

absl::StatusOr<RouterMode> ParseRouterMode(std::string_view name) {
  return Parse<RouterMode>("router mode", name, kRouterModes);
}
absl::StatusOr<Activation> ParseActivation(std::string_view name) {
  return Parse<Activation>("activation", name, kActivations);
}
absl::StatusOr<GateUpLayout> ParseGateUpLayout(std::string_view name) {
  return Parse<GateUpLayout>("gate/up layout", name, kLayouts);
}
absl::StatusOr<Weighting> ParseWeighting(std::string_view name) {
  const absl::StatusOr<std::size_t> index = IndexOf("weighting", name, kWeightings);
  if (!index.ok()) return index.status();
  return Weighting(static_cast<Weighting::Kind>(*index));
}
absl::StatusOr<WeightFormat> ParseWeightFormat(std::string_view name) {
  const absl::StatusOr<std::size_t> index = IndexOf("weight format", name, kFormats);
  if (!index.ok()) return index.status();
  return WeightFormat(static_cast<WeightFormat::Kind>(*index));
}

}  // namespace moescope::moe
