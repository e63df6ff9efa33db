#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "moe/emit/compile.h"
#include "moe/emit/images.h"
#include "moe/layer_request.h"
#include "moe/reference/stepwise.h"

namespace moescope::moe {

// A layer with its generated inputs and its program: the common ground of `moe gen`, `moe
// reference` and `moe check`.
class GeneratedLayer {
 public:
  // Compiles and generates everything but the routed experts, which are made when asked for.
  // `routing` replaces the workload of fixed routing.
  static absl::StatusOr<GeneratedLayer> Make(const LayerRequest& request,
                                             const emulator::MachineDescription& machine,
                                             const std::string& header,
                                             std::optional<Routing> routing = std::nullopt);

  const LayerRequest& request() const { return request_; }
  const CompiledLayer& compiled() const { return *compiled_; }
  const LayerTensors& tensors() const { return tensors_; }
  const ExpertSource& experts() const { return *experts_; }
  const Bf16Matrix& x() const { return x_; }

  // Whether program, reference and CUDA must agree bit for bit (moe.md, 5.3 and 14): the saturated
  // fixtures, where nothing of the layer leaves the saturated range and every sum is exact.
  bool has_one_result() const;

  ImageInputs images() const;
  // What the program leaves in its memories, and what the layer is without the program's roundings:
  // `fused` with the given sums and the routing of `machine`.
  absl::StatusOr<reference::StepwiseOutputs> Machine() const;
  absl::StatusOr<Bf16Matrix> FusedOutput(const Routing& routing, int tile) const;

 private:
  GeneratedLayer() = default;

  LayerRequest request_{.layer = DefaultLayer()};
  std::optional<CompiledLayer> compiled_;
  LayerTensors tensors_;
  Bf16Matrix x_;
  std::vector<std::uint16_t> norm_weight_;
  std::unique_ptr<ExpertSource> experts_;
};

// One thing that a program leaves in a memory and the twin names.
struct NamedOutput {
  enum class Space : std::uint8_t { kVram, kFp, kInt };
  std::string name;  // "logits", "ids", "weights", "gate", "hidden", "slot", "sigma", "shared", "y"
  Space space = Space::kVram;
  std::vector<VramMatrix> rows;      // kVram: where each row of `expected` starts
  std::uint32_t address = 0;         // kFp and kInt: first word
  Bf16Matrix expected;               // kVram and kFp
  std::vector<std::uint32_t> words;  // kInt
};

// Everything comparable, in the order of the stages.
std::vector<NamedOutput> NamedOutputs(const CompiledLayer& compiled,
                                      const reference::StepwiseOutputs& outputs);

}  // namespace moescope::moe
