#include "moe/layer_request.h"

#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"
#include "moe/layer_check.h"
#include "moe/layer_names.h"

namespace moescope::moe {
namespace {

constexpr std::string_view kPrefix = "moe.";
constexpr std::string_view kOptionPrefix = "moe.lowering.";
constexpr std::array<std::string_view, 2> kValueNames = {"random", "saturated"};

// One property of a request: how it is written and read.
struct Property {
  std::string_view key;  // without the prefix
  std::function<std::string(const LayerRequest&)> write;
  std::function<absl::Status(std::string_view, LayerRequest&)> read;
};

template <typename Integer>
absl::Status ReadInteger(std::string_view text, Integer& target) {
  if (absl::SimpleAtoi(Absl(text), &target)) return absl::OkStatus();
  return absl::InvalidArgumentError("expected an integer");
}

absl::Status ReadTruth(std::string_view text, bool& target) {
  target = text == "true";
  if (text == "true" || text == "false") return absl::OkStatus();
  return absl::InvalidArgumentError("expected true or false");
}

absl::Status ReadFloat(std::string_view text, float& target) {
  if (absl::SimpleAtof(Absl(text), &target)) return absl::OkStatus();
  return absl::InvalidArgumentError("expected a number");
}

// `member` gives a reference into the request.
template <typename Member>
Property Integer(std::string_view key, Member member) {
  return {
      key,
      [member](const LayerRequest& r) {
        return absl::StrCat(member(const_cast<LayerRequest&>(r)));
      },
      [member](std::string_view text, LayerRequest& r) { return ReadInteger(text, member(r)); }};
}
template <typename Member>
Property Truth(std::string_view key, Member member) {
  return {key,
          [member](const LayerRequest& r) {
            return std::string(member(const_cast<LayerRequest&>(r)) ? "true" : "false");
          },
          [member](std::string_view text, LayerRequest& r) { return ReadTruth(text, member(r)); }};
}
template <typename Member, typename Parse>
Property Named(std::string_view key, Member member, Parse parse) {
  return {key,
          [member](const LayerRequest& r) {
            return std::string(Name(member(const_cast<LayerRequest&>(r))));
          },
          [member, parse](std::string_view text, LayerRequest& r) -> absl::Status {
            ASSIGN_OR_RETURN(member(r), parse(text));
            return absl::OkStatus();
          }};
}

Property RoutedScale() {
  return {
      "routed_scale",
      [](const LayerRequest& r) { return absl::StrFormat("%.9g", r.layer.router.routed_scale); },
      [](std::string_view text, LayerRequest& r) {
        return ReadFloat(text, r.layer.router.routed_scale);
      }};
}

Property Clamp() {
  return {"clamp",
          [](const LayerRequest& r) {
            return r.layer.clamp ? absl::StrFormat("%.9g", *r.layer.clamp) : std::string("none");
          },
          [](std::string_view text, LayerRequest& r) {
            if (text == "none") {
              r.layer.clamp.reset();
              return absl::OkStatus();
            }
            return ReadFloat(text, r.layer.clamp.emplace());
          }};
}

Property Shared() {
  return {"shared",
          [](const LayerRequest& r) {
            if (!r.layer.shared) return std::string("none");
            return absl::StrCat(r.layer.shared->intermediate, r.layer.shared->gate ? "+gate" : "");
          },
          [](std::string_view text, LayerRequest& r) { return ParseShared(text, r.layer); }};
}

Property ValueKind() {
  return {"values",
          [](const LayerRequest& r) {
            return std::string(kValueNames[static_cast<std::size_t>(r.values)]);
          },
          [](std::string_view text, LayerRequest& r) {
            for (std::size_t i = 0; i < kValueNames.size(); ++i) {
              if (kValueNames[i] != text) continue;
              r.values = static_cast<Values>(i);
              return absl::OkStatus();
            }
            return absl::InvalidArgumentError("expected random or saturated");
          }};
}

Property Routing() {
  return {
      "routing",
      [](const LayerRequest& r) { return r.fixed ? Format(r.workload) : std::string("device"); },
      [](std::string_view text, LayerRequest& r) -> absl::Status {
        r.fixed = text != "device";
        if (!r.fixed) return absl::OkStatus();
        ASSIGN_OR_RETURN(r.workload, ParseWorkload(text));
        return absl::OkStatus();
      }};
}

const std::vector<Property>& Properties() {
  using R = LayerRequest;
  static const std::vector<Property> kProperties = {
      Integer(
          "tokens", [](R & r) -> auto& { return r.tokens; }),
      Integer(
          "hidden", [](R & r) -> auto& { return r.layer.shape.hidden; }),
      Integer(
          "intermediate", [](R & r) -> auto& { return r.layer.shape.intermediate; }),
      Integer(
          "experts", [](R & r) -> auto& { return r.layer.shape.experts; }),
      Integer(
          "top_k", [](R & r) -> auto& { return r.layer.shape.top_k; }),
      Named(
          "router", [](R & r) -> auto& { return r.layer.router.mode; }, ParseRouterMode),
      Truth(
          "norm", [](R & r) -> auto& { return r.layer.router.norm; }),
      RoutedScale(),
      Integer(
          "groups", [](R & r) -> auto& { return r.layer.router.groups; }),
      Integer(
          "topk_group", [](R & r) -> auto& { return r.layer.router.topk_group; }),
      Truth(
          "logit_bias", [](R & r) -> auto& { return r.layer.router.logit_bias; }),
      Truth(
          "correction_bias", [](R & r) -> auto& { return r.layer.router.correction_bias; }),
      Named(
          "activation", [](R & r) -> auto& { return r.layer.activation; }, ParseActivation),
      Clamp(),
      Truth(
          "expert_bias", [](R & r) -> auto& { return r.layer.expert_bias; }),
      Named(
          "weighting", [](R & r) -> auto& { return r.layer.weighting; }, ParseWeighting),
      Named(
          "weights", [](R & r) -> auto& { return r.layer.weights; }, ParseWeightFormat),
      Shared(),
      Integer(
          "seed", [](R & r) -> auto& { return r.seed; }),
      ValueKind(),
      Routing(),
  };
  return kProperties;
}

absl::Status Wrong(std::string_view key, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("label ", Absl(key), ": ", Absl(why), " [RC090]"));
}

absl::Status ReadLowering(const std::map<std::string, std::string>& labels, Lowering& lowering) {
  for (const std::string_view option : OptionNames()) {
    const std::string key = absl::StrCat(Absl(kOptionPrefix), Absl(option));
    const auto label = labels.find(key);
    if (label == labels.end()) return Wrong(key, "is missing");
    if (absl::Status status = SetOption(option, label->second, lowering); !status.ok()) {
      return Wrong(key, {status.message().data(), status.message().size()});
    }
  }
  return absl::OkStatus();
}

absl::Status KnowsAll(const std::map<std::string, std::string>& labels) {
  for (const auto& [key, value] : labels) {
    if (!key.starts_with(kPrefix)) continue;
    bool known = key.starts_with(kOptionPrefix);
    for (const Property& property : Properties()) {
      known |= key.substr(kPrefix.size()) == property.key;
    }
    if (!known) return Wrong(key, "is unknown");
  }
  return absl::OkStatus();
}

}  // namespace

Layer DefaultLayer() {
  return {.shape = {128, 128, 32, 4},
          .router = {.mode = RouterMode::kSoftmaxTopk, .norm = true},
          .weighting = Weighting::kPre,
          .weights = WeightFormat::kMxfp8B8};
}

absl::Status ParseShared(std::string_view text, Layer& layer) {
  if (text == "none") {
    layer.shared.reset();
    return absl::OkStatus();
  }
  SharedExpert shared;
  std::string_view width = text;
  if (width.ends_with("+gate")) {
    shared.gate = true;
    width.remove_suffix(5);
  }
  if (!absl::SimpleAtoi(Absl(width), &shared.intermediate)) {
    return absl::InvalidArgumentError(
        absl::StrCat("shared '", Absl(text),
                     "': expected WIDTH, WIDTH+gate or none (--shared) "
                     "[RC015]"));
  }
  layer.shared = shared;
  return absl::OkStatus();
}

std::map<std::string, std::string> Labels(const LayerRequest& request) {
  std::map<std::string, std::string> labels;
  for (const Property& property : Properties()) {
    labels[absl::StrCat(Absl(kPrefix), Absl(property.key))] = property.write(request);
  }
  for (const OptionValue& option : Options(request.lowering)) {
    labels[absl::StrCat(Absl(kOptionPrefix), option.option)] = option.value;
  }
  return labels;
}

absl::StatusOr<LayerRequest> ReadLabels(const std::map<std::string, std::string>& labels) {
  LayerRequest request{.layer = DefaultLayer()};
  for (const Property& property : Properties()) {
    const std::string key = absl::StrCat(Absl(kPrefix), Absl(property.key));
    const auto label = labels.find(key);
    if (label == labels.end()) return Wrong(key, "is missing");
    if (absl::Status status = property.read(label->second, request); !status.ok()) {
      return Wrong(key, {status.message().data(), status.message().size()});
    }
  }
  RETURN_IF_ERROR(KnowsAll(labels));
  RETURN_IF_ERROR(ReadLowering(labels, request.lowering));
  RETURN_IF_ERROR(Check(request.layer));
  return request;
}

}  // namespace moescope::moe
