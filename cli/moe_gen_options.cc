#include "cli/moe_gen_options.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/session/exit_code.h"
#include "emulator/machine_toml.h"
#include "moe/layer_names.h"
#include "moe/presets.h"
#include "moe/route_trace_json.h"
#include "moe/routing_statistics.h"

namespace moescope::cli {
namespace {

absl::StatusOr<emulator::MachineDescription> ReadMachine(const Arguments& arguments) {
  emulator::MachineFileOptions options;
  for (const std::string& text : arguments.All("machine-set")) {
    ASSIGN_OR_RETURN(emulator::MachineOverride value,
                     emulator::ParseOverride("--machine-set", text));
    options.overrides.push_back(std::move(value));
  }
  ASSIGN_OR_RETURN(emulator::MachineFile file,
                   emulator::LoadMachine(arguments.TextOr("machine", "plena-64"), options));
  return std::move(file.machine);
}

absl::Status ReadWidth(const Arguments& arguments, std::string_view option, int& target) {
  ASSIGN_OR_RETURN(const std::optional<std::uint64_t> value, arguments.Number(option));
  if (!value.has_value()) return absl::OkStatus();
  if (*value > 0x7FFFFFFF) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", Absl(option), " = ", *value, ": must be at most 2147483647 [RC001]"));
  }
  target = static_cast<int>(*value);
  return absl::OkStatus();
}

absl::Status ReadShape(const Arguments& arguments, moe::Layer& layer) {
  RETURN_IF_ERROR(ReadWidth(arguments, "hidden", layer.shape.hidden));
  RETURN_IF_ERROR(ReadWidth(arguments, "inter", layer.shape.intermediate));
  RETURN_IF_ERROR(ReadWidth(arguments, "experts", layer.shape.experts));
  RETURN_IF_ERROR(ReadWidth(arguments, "top-k", layer.shape.top_k));
  if (const auto shared = arguments.Text("shared"); shared.has_value()) {
    RETURN_IF_ERROR(moe::ParseShared(*shared, layer));
  }
  return absl::OkStatus();
}

absl::Status ReadRouter(const Arguments& arguments, moe::Layer& layer) {
  const std::optional<std::string> name = arguments.Text("router");
  if (!name.has_value()) return absl::OkStatus();
  ASSIGN_OR_RETURN(layer.router.mode, moe::ParseRouterMode(*name));
  if (layer.router.mode == moe::RouterMode::kSigmoidInput) {
    layer.weighting = moe::Weighting::kInput;
    layer.router.norm = false;
  }
  return absl::OkStatus();
}

absl::Status ReadNumerics(const Arguments& arguments, moe::Layer& layer) {
  if (const auto name = arguments.Text("activation"); name.has_value()) {
    ASSIGN_OR_RETURN(layer.activation, moe::ParseActivation(*name));
  }
  if (const auto clamp = arguments.Text("clamp"); clamp.has_value()) {
    layer.clamp.reset();
    if (*clamp != "none" && !absl::SimpleAtof(*clamp, &layer.clamp.emplace())) {
      return absl::InvalidArgumentError(
          absl::StrCat("clamp '", *clamp, "': expected a number or none (--clamp) [RC012]"));
    }
  }
  ASSIGN_OR_RETURN(layer.weights, moe::ParseWeightFormat(arguments.TextOr("weights", "mxfp8_b8")));
  return absl::OkStatus();
}

absl::StatusOr<moe::Layer> ReadLayer(const Arguments& arguments, std::uint32_t tile) {
  moe::Layer layer = moe::DefaultLayer();
  if (const auto preset = arguments.Text("preset"); preset.has_value()) {
    ASSIGN_OR_RETURN(layer, moe::FindPreset(*preset));
  }
  int scale = 1;
  RETURN_IF_ERROR(ReadWidth(arguments, "scale", scale));
  if (scale < 1) return absl::InvalidArgumentError("--scale = 0: must be at least 1 [RC001]");
  if (arguments.Has("scale")) layer = moe::Scaled(layer, scale, static_cast<int>(tile));
  if (arguments.Has("plain")) layer = moe::Plain(layer);
  if (arguments.Has("routed-only")) layer = moe::RoutedOnly(layer);
  RETURN_IF_ERROR(ReadShape(arguments, layer));
  RETURN_IF_ERROR(ReadRouter(arguments, layer));
  RETURN_IF_ERROR(ReadNumerics(arguments, layer));
  return layer;
}

absl::Status ReadRouting(const Arguments& arguments, GenRequest& request) {
  request.layer.fixed = arguments.TextOr("routing", "device") == "fixed";
  const std::optional<std::string> workload = arguments.Text("workload");
  if (workload.has_value() && !request.layer.fixed) {
    return session::UsageError("--workload says the ids of --routing=fixed");
  }
  if (!workload.has_value()) return absl::OkStatus();
  ASSIGN_OR_RETURN(request.layer.workload, moe::ParseWorkload(*workload));
  if (request.layer.workload.kind != moe::WorkloadKind::kReplay) return absl::OkStatus();
  ASSIGN_OR_RETURN(moe::RouteTrace trace, moe::ReadRouteTrace(request.layer.workload.file));
  moe::MaskSlots(trace.routing, request.layer.workload.masked, request.layer.seed);
  if (!arguments.Has("tokens")) request.layer.tokens = trace.routing.tokens;
  if (!arguments.Has("experts")) request.layer.layer.shape.experts = trace.routing.experts;
  if (!arguments.Has("top-k")) request.layer.layer.shape.top_k = trace.routing.top_k;
  request.routing = std::move(trace.routing);
  return absl::OkStatus();
}

absl::Status ReadLowering(const Arguments& arguments, moe::LayerRequest& request) {
  ASSIGN_OR_RETURN(request.lowering, moe::ParseLowering(arguments.TextOr("lowering", "public"),
                                                        request.layer, request.fixed));
  ASSIGN_OR_RETURN(const auto options, arguments.Pairs("set"));
  for (const auto& [option, value] : options) {
    RETURN_IF_ERROR(moe::SetOption(option, value, request.lowering));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GenRequest> ReadGenRequest(const Arguments& arguments) {
  GenRequest request;
  const std::optional<std::string> folder = arguments.Text("output");
  if (!folder.has_value()) return session::UsageError("moe gen needs -o FOLDER");
  request.folder = *folder;
  request.sparse = arguments.Has("sparse");
  ASSIGN_OR_RETURN(request.machine, ReadMachine(arguments));
  ASSIGN_OR_RETURN(request.layer.layer, ReadLayer(arguments, request.machine.shape.mlen));
  ASSIGN_OR_RETURN(const std::optional<std::uint64_t> tokens, arguments.Number("tokens"));
  request.layer.tokens = static_cast<std::int64_t>(
      std::min<std::uint64_t>(tokens.value_or(1), std::uint64_t{1} << 40));
  ASSIGN_OR_RETURN(const std::optional<std::uint64_t> seed, arguments.Number("seed"));
  request.layer.seed = seed.value_or(1);
  request.layer.values = arguments.TextOr("values", "random") == "saturated"
                             ? moe::Values::kSaturated
                             : moe::Values::kRandom;
  RETURN_IF_ERROR(ReadRouting(arguments, request));
  RETURN_IF_ERROR(ReadLowering(arguments, request.layer));
  return request;
}

std::string GenHeader(const moe::LayerRequest& request) {
  const moe::LayerShape& shape = request.layer.shape;
  return absl::StrFormat(
      "MoE layer written by moescope moe gen; run.json holds every option.\n"
      "tokens %d, hidden %d, intermediate %d, experts %d, top-k %d, weights %s, seed %d",
      request.tokens, shape.hidden, shape.intermediate, shape.experts, shape.top_k,
      Absl(moe::Name(request.layer.weights)), request.seed);
}

std::string GenSummary(const moe::GeneratedLayer& layer, const std::string& folder) {
  std::string text =
      absl::StrFormat("%s: %d words, HBM image of %d bytes\n", folder,
                      layer.compiled().built.program.words.size(), layer.compiled().map.hbm_bytes);
  if (!layer.compiled().fixed.has_value()) return text;
  const moe::RoutingStatistics statistics = moe::Statistics(*layer.compiled().fixed);
  absl::StrAppendFormat(&text,
                        "%d assignments to %d active experts, max/mean %.3f, duplicate factor "
                        "%.3f, gini %.3f\n",
                        statistics.assignments, statistics.active_experts, statistics.max_over_mean,
                        statistics.duplicate_factor, statistics.gini);
  return text;
}

}  // namespace moescope::cli
