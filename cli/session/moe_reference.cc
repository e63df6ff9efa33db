#include "cli/session/moe_reference.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/session/moe_folder.h"
#include "isa/bfloat16.h"
#include "moe/reference/router.h"

namespace moescope::session {
namespace {

class ReferenceWriter {
 public:
  explicit ReferenceWriter(const std::string& folder) : folder_(folder) {}

  absl::Status Values(const std::string& name, const moe::Bf16Matrix& values) {
    absl::StrAppend(&names_, name, ".f32 ", values.rows, " x ", values.columns, "\n");
    return WriteFile(absl::StrCat(folder_, "/", name, ".f32"), F32Bytes(values));
  }
  absl::Status Words(const std::string& name, const std::vector<std::uint32_t>& words) {
    absl::StrAppend(&names_, name, ".u32 ", words.size(), "\n");
    return WriteFile(absl::StrCat(folder_, "/", name, ".u32"), moe::Bytes(words));
  }
  const std::string& names() const { return names_; }

 private:
  std::string folder_;
  std::string names_;
};

absl::Status WriteMachine(const moe::GeneratedLayer& layer, ReferenceWriter& writer) {
  ASSIGN_OR_RETURN(const moe::reference::StepwiseOutputs twin, layer.Machine());
  for (const moe::NamedOutput& output : moe::NamedOutputs(layer.compiled(), twin)) {
    RETURN_IF_ERROR(output.space == moe::NamedOutput::Space::kInt
                        ? writer.Words(output.name, output.words)
                        : writer.Values(output.name, output.expected));
  }
  return absl::OkStatus();
}

absl::Status WriteFused(const moe::GeneratedLayer& layer, int tile, ReferenceWriter& writer) {
  const moe::CompiledLayer& compiled = layer.compiled();
  if (layer.request().lowering.residual != moe::Residual::kNone) {
    return absl::UnimplementedError(
        "precisions f32 and f64 have no residual; use --precision=machine [RC094]");
  }
  moe::Routing routing;
  if (compiled.fixed.has_value()) {
    routing = *compiled.fixed;
  } else {
    routing = moe::reference::Route(compiled.layer, layer.tensors(), layer.x(),
                                    {.accumulation = {.tile = tile}})
                  .routing;
  }
  std::vector<std::uint32_t> ids(routing.topk_idx.begin(), routing.topk_idx.end());
  RETURN_IF_ERROR(writer.Words("ids", ids));
  ASSIGN_OR_RETURN(const moe::Bf16Matrix y, layer.FusedOutput(routing, tile));
  return writer.Values("y", y);
}

}  // namespace

absl::StatusOr<std::string> WriteReference(const std::string& layer_folder, Precision precision,
                                           const std::string& folder) {
  ASSIGN_OR_RETURN(const LayerFolder layer, ReadLayerFolder(layer_folder));
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": cannot make the folder: ", error.message(), " [RC091]"));
  }
  ReferenceWriter writer(folder);
  if (precision == Precision::kMachine) {
    RETURN_IF_ERROR(WriteMachine(layer.layer, writer));
  } else {
    const int tile =
        precision == Precision::kF32 ? static_cast<int>(layer.layer.compiled().map.m) : 0;
    RETURN_IF_ERROR(WriteFused(layer.layer, tile, writer));
  }
  return writer.names();
}

}  // namespace moescope::session
