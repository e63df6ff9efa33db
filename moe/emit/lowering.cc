#include "moe/emit/lowering.h"

#include <cstddef>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/string_view.h"
#include "base/suggestion.h"

namespace moescope::moe {
namespace {

// An option whose values are the enumerators of a type, in order.
struct Option {
  std::string_view name;
  std::vector<std::string_view> values;
  std::size_t (*get)(const Lowering&);
  void (*set)(Lowering&, std::size_t);
};

template <auto kMember>
std::size_t Get(const Lowering& lowering) {
  return static_cast<std::size_t>(lowering.*kMember);
}
template <auto kMember>
void Set(Lowering& lowering, std::size_t value) {
  using Type = std::remove_reference_t<decltype(lowering.*kMember)>;
  lowering.*kMember = static_cast<Type>(value);
}

template <auto kMember>
Option Enumerated(std::string_view name, std::vector<std::string_view> values) {
  return {name, std::move(values), &Get<kMember>, &Set<kMember>};
}

// k_tiles is a number; its value index is the number itself, 0 = max.
constexpr std::string_view kChunk = "k_tiles";

const std::vector<Option>& Table() {
  static const std::vector<Option> kTable = {
      Enumerated<&Lowering::topk>("topk", {"builtin", "register"}),
      {kChunk,
       {"4", "max"},
       [](const Lowering& l) { return static_cast<std::size_t>(l.k_tiles); },
       [](Lowering& l, std::size_t value) { l.k_tiles = static_cast<int>(value); }},
      Enumerated<&Lowering::k_add>("k_add", {"tile", "live", "accumulate"}),
      {"buffers",
       {"1", "2"},
       [](const Lowering& l) { return static_cast<std::size_t>(l.buffers - 1); },
       [](Lowering& l, std::size_t value) { l.buffers = static_cast<int>(value) + 1; }},
      Enumerated<&Lowering::reuse>("reuse", {"none", "group"}),
      Enumerated<&Lowering::address>("address", {"tile", "hoist"}),
      Enumerated<&Lowering::zero_row>("zero_row", {"each", "once"}),
      Enumerated<&Lowering::route_weight>("route_weight", {"broadcast", "scalar"}),
      Enumerated<&Lowering::gather_padding>("gather_padding", {"zero", "skip"}),
      Enumerated<&Lowering::router_matrix>("router_matrix", {"stream", "resident"}),
      Enumerated<&Lowering::weighting>("weighting", {"post", "pre"}),
      Enumerated<&Lowering::router>("router", {"auto", "dot", "matrix"}),
      Enumerated<&Lowering::gather>("gather", {"hbm", "vram"}),
      Enumerated<&Lowering::orientation>("orientation", {"nk", "kn"}),
      Enumerated<&Lowering::residual>("residual", {"none", "add", "norm"}),
  };
  return kTable;
}

const Option* Find(std::string_view name) {
  for (const Option& option : Table()) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

std::string Joined(const std::vector<std::string_view>& names) {
  return absl::StrJoin(names, ", ",
                       [](std::string* out, std::string_view name) { out->append(name); });
}

absl::Status UnknownOption(std::string_view option) {
  const std::vector<std::string_view> names = OptionNames();
  return absl::InvalidArgumentError(absl::StrCat("unknown lowering option '", Absl(option),
                                                 "' (--set)", DidYouMean(option, names),
                                                 "; known: ", Joined(names), " [RC070]"));
}

}  // namespace

Lowering PublicLowering() { return {}; }

Lowering TunedLowering(const Layer& layer, bool fixed) {
  Lowering lowering;
  lowering.k_tiles = 0;
  lowering.k_add = KAdd::kLive;
  lowering.buffers = 2;
  lowering.reuse = fixed ? Reuse::kGroup : Reuse::kNone;
  lowering.address = AddressUse::kHoist;
  lowering.zero_row = ZeroRow::kOnce;
  lowering.route_weight = RouteWeight::kScalar;
  lowering.gather_padding = GatherPadding::kSkip;
  lowering.router_matrix = RouterMatrix::kResident;
  lowering.weighting = layer.expert_bias ? ProgramWeighting::kPost : ProgramWeighting::kPre;
  return lowering;
}

absl::StatusOr<Lowering> ParseLowering(std::string_view name, const Layer& layer, bool fixed) {
  if (name == "public") return PublicLowering();
  if (name == "tuned") return TunedLowering(layer, fixed);
  return absl::InvalidArgumentError(absl::StrCat("unknown lowering '", Absl(name),
                                                 "' (--lowering); known: public, tuned [RC070]"));
}

absl::Status SetOption(std::string_view option, std::string_view value, Lowering& lowering) {
  const Option* entry = Find(option);
  if (entry == nullptr) return UnknownOption(option);
  int count = 0;
  if (option == kChunk && value != "max" && absl::SimpleAtoi(Absl(value), &count) && count >= 1) {
    entry->set(lowering, static_cast<std::size_t>(count));
    return absl::OkStatus();
  }
  if (option == kChunk && value == "max") {
    entry->set(lowering, 0);
    return absl::OkStatus();
  }
  for (std::size_t i = 0; option != kChunk && i < entry->values.size(); ++i) {
    if (entry->values[i] != value) continue;
    entry->set(lowering, i);
    return absl::OkStatus();
  }
  const std::string known = option == kChunk ? "a count or max" : Joined(entry->values);
  return absl::InvalidArgumentError(absl::StrCat("lowering option ", Absl(option), " = '",
                                                 Absl(value), "' (--set); known: ", known,
                                                 " [RC071]"));
}

std::vector<OptionValue> Options(const Lowering& lowering) {
  std::vector<OptionValue> options;
  for (const Option& option : Table()) {
    const std::size_t value = option.get(lowering);
    const std::string text = option.name != kChunk ? std::string(option.values[value])
                             : value == 0          ? "max"
                                                   : absl::StrCat(value);
    options.push_back({std::string(option.name), text});
  }
  return options;
}

std::vector<std::string_view> OptionNames() {
  std::vector<std::string_view> names;
  for (const Option& option : Table()) names.push_back(option.name);
  return names;
}

std::vector<std::string_view> OptionValues(std::string_view option) {
  const Option* entry = Find(option);
  return entry == nullptr ? std::vector<std::string_view>{} : entry->values;
}

}  // namespace moescope::moe
