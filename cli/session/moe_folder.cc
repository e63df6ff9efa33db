#include "cli/session/moe_folder.h"

#include <bit>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/session/run_manifest.h"
#include "emulator/machine_toml.h"
#include "emulator/machine_writer.h"
#include "isa/bfloat16.h"
#include "moe/layer_manifest_json.h"
#include "moe/route_trace_json.h"

namespace moescope::session {
namespace {

using moe::LayerFiles;

std::string PathOf(const std::string& folder, const char* name) {
  return absl::StrCat(folder, "/", name);
}

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (!error && std::filesystem::is_directory(folder, error)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(folder, ": cannot make the folder: ", error.message(), " [RC091]"));
}

absl::Status WriteRouting(const moe::GeneratedLayer& layer, const std::string& folder) {
  if (!layer.compiled().fixed.has_value()) return absl::OkStatus();
  const moe::LayerShape& shape = layer.compiled().layer.shape;
  const moe::RouteTrace trace{.routing = *layer.compiled().fixed,
                              .hidden_size = shape.hidden,
                              .intermediate_size = shape.intermediate,
                              .seed = layer.request().seed};
  return WriteFile(PathOf(folder, LayerFiles::kRouting), moe::FormatRouteTrace(trace));
}

absl::Status WriteExpected(const moe::GeneratedLayer& layer,
                           const moe::reference::StepwiseOutputs& twin, const std::string& folder) {
  RETURN_IF_ERROR(WriteFile(PathOf(folder, LayerFiles::kOutput), F32Bytes(twin.y)));
  for (const moe::NamedOutput& output : moe::NamedOutputs(layer.compiled(), twin)) {
    if (output.name == "ids") {
      RETURN_IF_ERROR(WriteFile(PathOf(folder, LayerFiles::kIds), moe::Bytes(output.words)));
    } else if (output.name == "weights") {
      RETURN_IF_ERROR(WriteFile(PathOf(folder, LayerFiles::kWeights), F32Bytes(output.expected)));
    }
  }
  return absl::OkStatus();
}

absl::Status WriteImages(const moe::GeneratedLayer& layer, const moe::Routing& routing,
                         const std::string& folder, const WriteLayerOptions& options) {
  const moe::CompiledLayer& compiled = layer.compiled();
  const moe::ImageInputs inputs = layer.images();
  RETURN_IF_ERROR(
      WriteFile(PathOf(folder, LayerFiles::kVram), moe::Bytes(moe::VramImage(compiled, inputs))));
  RETURN_IF_ERROR(
      WriteFile(PathOf(folder, LayerFiles::kFp), moe::Bytes(moe::FpImage(compiled, inputs))));
  RETURN_IF_ERROR(WriteFile(PathOf(folder, LayerFiles::kInt), moe::Bytes(moe::IntImage(compiled))));
  const std::vector<std::int64_t> used = moe::CountPerExpert(routing);
  moe::ExpertFilter filter;
  if (options.sparse) {
    filter = [&used](int expert) { return used[static_cast<std::size_t>(expert)] > 0; };
  }
  return moe::WriteHbmFile(compiled, inputs, PathOf(folder, LayerFiles::kHbm), filter);
}

}  // namespace

std::string F32Bytes(const moe::Bf16Matrix& values) {
  std::vector<std::uint32_t> words;
  words.reserve(values.values.size());
  for (const isa::Bf16 bits : values.values) {
    words.push_back(std::bit_cast<std::uint32_t>(isa::Bf16ToFloat(bits)));
  }
  return moe::Bytes(words);
}

absl::Status WriteLayerFolder(const moe::GeneratedLayer& layer, const std::string& folder,
                              const WriteLayerOptions& options) {
  ASSIGN_OR_RETURN(const moe::reference::StepwiseOutputs twin, layer.Machine());
  RETURN_IF_ERROR(MakeFolder(folder));
  RETURN_IF_ERROR(WriteImages(layer, twin.routing, folder, options));
  RETURN_IF_ERROR(WriteFile(PathOf(folder, LayerFiles::kProgram), layer.compiled().built.text));
  RETURN_IF_ERROR(WriteFile(PathOf(folder, LayerFiles::kMachine),
                            emulator::WriteMachineFile(layer.compiled().machine)));
  RETURN_IF_ERROR(WriteRouting(layer, folder));
  RETURN_IF_ERROR(WriteExpected(layer, twin, folder));
  return WriteFile(PathOf(folder, LayerFiles::kManifest), moe::FormatLayerManifest(layer));
}

absl::StatusOr<LayerFolder> ReadLayerFolder(const std::string& folder) {
  ASSIGN_OR_RETURN(RunRequest run, ReadManifest(PathOf(folder, LayerFiles::kManifest)));
  ASSIGN_OR_RETURN(const moe::LayerRequest request, moe::ReadLabels(run.labels));
  ASSIGN_OR_RETURN(emulator::MachineFile file, emulator::LoadMachine(run.machine.file));
  std::optional<moe::Routing> routing;
  if (request.fixed) {
    ASSIGN_OR_RETURN(const moe::RouteTrace trace,
                     moe::ReadRouteTrace(PathOf(folder, LayerFiles::kRouting)));
    routing = trace.routing;
  }
  ASSIGN_OR_RETURN(moe::GeneratedLayer layer,
                   moe::GeneratedLayer::Make(request, file.machine, "", std::move(routing)));
  return LayerFolder{std::move(run), std::move(file.machine), std::move(layer)};
}

}  // namespace moescope::session
