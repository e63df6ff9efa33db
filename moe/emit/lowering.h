#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "moe/encoded_matrix.h"
#include "moe/layer.h"
#include "moe/stepwise_plan.h"

namespace moescope::moe {

// How a layer is turned into a program. The first value of each enumeration is the public
// compiler's choice (moe.md, 15.3); options are independent.

enum class TopKSource : std::uint8_t { kBuiltin, kRegister };
enum class KAdd : std::uint8_t { kTile, kLive, kAccumulate };
enum class Reuse : std::uint8_t { kNone, kGroup };
enum class AddressUse : std::uint8_t { kTile, kHoist };
enum class ZeroRow : std::uint8_t { kEach, kOnce };
enum class RouteWeight : std::uint8_t { kBroadcast, kScalar };
enum class GatherPadding : std::uint8_t { kZero, kSkip };
enum class RouterMatrix : std::uint8_t { kStream, kResident };
enum class ProgramWeighting : std::uint8_t { kPost, kPre };
// Beyond the table of moe.md: choices that a layer leaves open.
enum class RouterChoice : std::uint8_t { kAuto, kDot, kMatrix };
enum class GatherSource : std::uint8_t { kHbm, kVram };

struct Lowering {
  TopKSource topk = TopKSource::kBuiltin;
  int k_tiles = 4;  // per chunk; 0 = as many as fit
  KAdd k_add = KAdd::kTile;
  int buffers = 1;  // 1 or 2
  Reuse reuse = Reuse::kNone;
  AddressUse address = AddressUse::kTile;
  ZeroRow zero_row = ZeroRow::kEach;
  RouteWeight route_weight = RouteWeight::kBroadcast;
  GatherPadding gather_padding = GatherPadding::kZero;
  RouterMatrix router_matrix = RouterMatrix::kStream;
  ProgramWeighting weighting = ProgramWeighting::kPost;
  RouterChoice router = RouterChoice::kAuto;
  GatherSource gather = GatherSource::kHbm;
  Orientation orientation = Orientation::kContractionMajor;
  Residual residual = Residual::kNone;

  friend bool operator==(const Lowering&, const Lowering&) = default;
};

// The public compiler's choices, and those that cost least. `fixed` routing allows `reuse=group`;
// `pre` needs a layer without b2.
Lowering PublicLowering();
Lowering TunedLowering(const Layer& layer, bool fixed);

// "public" or "tuned".
absl::StatusOr<Lowering> ParseLowering(std::string_view name, const Layer& layer, bool fixed);

// One --set OPTION=VALUE. InvalidArgument names the options, or the values of the option.
absl::Status SetOption(std::string_view option, std::string_view value, Lowering& lowering);

// Every option with its value, in a fixed order: what manifests record.
struct OptionValue {
  std::string option;
  std::string value;

  friend bool operator==(const OptionValue&, const OptionValue&) = default;
};
std::vector<OptionValue> Options(const Lowering& lowering);

// Names of all options, and of the values that an option takes ("4", "max" stand for k_tiles).
std::vector<std::string_view> OptionNames();
std::vector<std::string_view> OptionValues(std::string_view option);

}  // namespace moescope::moe
