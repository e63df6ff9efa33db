#include "cuda/host/preconditions.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cuda/buffer_layout.h"

namespace moescope::cuda {
namespace {

constexpr std::uintptr_t kAlignment = 16;

std::string ShapeText(ElementType type, std::int64_t rows, std::int64_t columns) {
  return absl::StrFormat("%s [%d,%d]", Absl(Name(type)), rows, columns);
}

absl::Status Aligned(std::string_view name, const void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  if (address % kAlignment == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("%s: address 0x%x is not aligned to %d bytes",
                                                    Absl(name), address, kAlignment));
}

// A named range of device memory.
struct Range {
  std::string_view name;
  const void* data;
  std::int64_t bytes;

  std::uintptr_t first() const { return reinterpret_cast<std::uintptr_t>(data); }
  bool Overlaps(const Range& other) const {
    return bytes > 0 && other.bytes > 0 &&
           first() < other.first() + static_cast<std::uintptr_t>(other.bytes) &&
           other.first() < first() + static_cast<std::uintptr_t>(bytes);
  }
};

// Collects the ranges of one call and checks each as it comes.
class Checker {
 public:
  absl::Status HasShape(std::string_view name, const Tensor& tensor, ElementType type,
                        std::int64_t rows, std::int64_t columns, bool written) {
    if (rows > 0 && !tensor.present()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: expected %s, got none", Absl(name), ShapeText(type, rows, columns)));
    }
    if (tensor.type != type || tensor.rows != rows || tensor.columns != columns) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: expected %s, got %s", Absl(name), ShapeText(type, rows, columns),
                          ShapeText(tensor.type, tensor.rows, tensor.columns)));
    }
    if (tensor.stride != columns) {
      return absl::InvalidArgumentError(absl::StrFormat("%s: expected row stride %d, got %d",
                                                        Absl(name), columns, tensor.stride));
    }
    return AddRange({name, tensor.data, tensor.bytes()}, written);
  }

  absl::Status IsAbsent(std::string_view name, const Tensor& tensor, std::string_view option) {
    if (!tensor.present()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: given, but the plan has no %s", Absl(name), Absl(option)));
  }

  absl::Status HasBytes(std::string_view name, Span span, std::int64_t bytes, bool written) {
    if (span.bytes < bytes || (bytes > 0 && span.data == nullptr)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: need %d bytes, got %d", Absl(name), bytes, span.data == nullptr ? 0 : span.bytes));
    }
    return AddRange({name, span.data, bytes}, written);
  }

  // Nothing that is written shares a byte with anything else.
  absl::Status Disjoint() const {
    for (const Range& output : written_) {
      for (const Range& other : written_) {
        if (output.name != other.name && output.Overlaps(other)) return Overlap(output, other);
      }
      for (const Range& input : read_) {
        if (output.Overlaps(input)) return Overlap(output, input);
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddRange(const Range& range, bool written) {
    RETURN_IF_ERROR(Aligned(range.name, range.data));
    (written ? written_ : read_).push_back(range);
    return absl::OkStatus();
  }
  static absl::Status Overlap(const Range& a, const Range& b) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s overlaps %s", Absl(a.name), Absl(b.name)));
  }

  std::vector<Range> read_;
  std::vector<Range> written_;
};

}  // namespace

absl::Status CheckWorkspace(const Plan& plan, Span workspace) {
  Checker checker;
  return checker.HasBytes("workspace", workspace, LayoutOf(plan, Buffer::kWorkspace).bytes, true);
}

absl::Status CheckRoute(const Plan& plan, const RouteTensors& tensors, Span workspace) {
  if (plan.options.router.mode == moe::RouterMode::kGiven) {
    return absl::FailedPreconditionError("Route: router mode given has nothing to compute");
  }
  Checker checker;
  const std::int64_t t = plan.tokens;
  const std::int64_t k = plan.shape.top_k;
  RETURN_IF_ERROR(
      checker.HasShape("x", tensors.x, ElementType::kBf16, t, plan.shape.hidden, false));
  RETURN_IF_ERROR(checker.HasBytes("weights", tensors.weights,
                                   LayoutOf(plan, Buffer::kPackedWeights).bytes, false));
  RETURN_IF_ERROR(checker.HasShape("topk_idx", tensors.topk_idx, ElementType::kInt32, t, k, true));
  RETURN_IF_ERROR(checker.HasShape("topk_w", tensors.topk_w, ElementType::kFloat32, t, k, true));
  RETURN_IF_ERROR(
      checker.HasBytes("workspace", workspace, LayoutOf(plan, Buffer::kWorkspace).bytes, true));
  return checker.Disjoint();
}

absl::Status CheckForward(const Plan& plan, const ForwardTensors& tensors, Span workspace) {
  Checker checker;
  const std::int64_t t = plan.tokens;
  const std::int64_t h = plan.shape.hidden;
  const std::int64_t k = plan.shape.top_k;
  const std::int64_t i = plan.shape.intermediate;
  RETURN_IF_ERROR(checker.HasShape("y", tensors.y, ElementType::kBf16, t, h, true));
  if (plan.options.save_gate_up) {
    RETURN_IF_ERROR(
        checker.HasShape("gate", tensors.gate, ElementType::kBf16, plan.rows_max, i, true));
    RETURN_IF_ERROR(checker.HasShape("up", tensors.up, ElementType::kBf16, plan.rows_max, i, true));
  } else {
    RETURN_IF_ERROR(checker.IsAbsent("gate", tensors.gate, "save_gate_up"));
    RETURN_IF_ERROR(checker.IsAbsent("up", tensors.up, "save_gate_up"));
  }
  RETURN_IF_ERROR(checker.HasShape("x", tensors.x, ElementType::kBf16, t, h, false));
  RETURN_IF_ERROR(checker.HasShape("topk_idx", tensors.topk_idx, ElementType::kInt32, t, k, false));
  RETURN_IF_ERROR(checker.HasShape("topk_w", tensors.topk_w, ElementType::kFloat32, t, k, false));
  RETURN_IF_ERROR(checker.HasBytes("weights", tensors.weights,
                                   LayoutOf(plan, Buffer::kPackedWeights).bytes, false));
  RETURN_IF_ERROR(
      checker.HasBytes("workspace", workspace, LayoutOf(plan, Buffer::kWorkspace).bytes, true));
  return checker.Disjoint();
}

}  // namespace moescope::cuda
