#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cuda/plan.h"
#include "cuda/tensor.h"

// The layer on the device (moe.md, 3 to 7). Route and Forward check everything on the host before
// the first launch, allocate nothing, never wait and can be captured in a graph. Errors of their
// own: InvalidArgument with the tensor, what it needs and what it got; Internal with the text of
// the CUDA runtime when a launch is refused.

namespace moescope::cuda {

// The workspace holds a status word, so one workspace serves one launch sequence at a time.
struct RouteTensors {
  Tensor x;         // [T, H] BF16
  Span weights;     // packed
  Tensor topk_idx;  // out, [T, K] int32
  Tensor topk_w;    // out, [T, K] float32
};
// Logits, total-order top-k and weights. FailedPrecondition when the plan's router is `given`.
absl::Status Route(const Plan& plan, const RouteTensors& tensors, Span workspace, Stream stream);

struct ForwardTensors {
  Tensor x;         // [T, H] BF16
  Tensor topk_idx;  // [T, K] int32; -1 = masked slot
  Tensor topk_w;    // [T, K] float32
  Span weights;     // packed
  Tensor y;         // out, [T, H] BF16
  Tensor gate, up;  // out, [rows_max, I] BF16 each: g0 and u0; exactly with save_gate_up
};
absl::Status Forward(const Plan& plan, const ForwardTensors& tensors, Span workspace,
                     Stream stream);

// Kernels that one Forward of the plan launches: a captured graph has exactly these nodes, and no
// copy or fill.
int ForwardLaunches(const Plan& plan);

struct DeviceReport {
  std::int64_t rows = 0;    // routed rows of the last Forward
  std::int64_t groups = 0;  // experts with rows
};
// The only call that waits. InvalidArgument when an expert id was out of range (the slot counted as
// masked), with the first such pair in pair order.
absl::StatusOr<DeviceReport> Finish(const Plan& plan, Span workspace, Stream stream);

}  // namespace moescope::cuda
