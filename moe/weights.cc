#include "moe/weights.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"
#include "moe/layer_names.h"

namespace moescope::moe {
namespace {

absl::Status WrongShape(std::string_view name, std::int64_t rows, std::int64_t columns,
                        std::int64_t got_rows, std::int64_t got_columns) {
  return absl::InvalidArgumentError(absl::StrFormat("%s: expected [%d,%d], got [%d,%d] [RC034]",
                                                    Absl(name), rows, columns, got_rows,
                                                    got_columns));
}

// An absent tensor is one of no rows.
template <typename T>
absl::Status HasShape(std::string_view name, const Matrix<T>& tensor, bool present,
                      std::int64_t rows, std::int64_t columns) {
  if (!present) rows = columns = 0;
  if (tensor.rows == rows && tensor.columns == columns &&
      tensor.values.size() == static_cast<std::size_t>(rows * columns)) {
    return absl::OkStatus();
  }
  return WrongShape(name, rows, columns, tensor.rows, tensor.columns);
}

template <typename T>
absl::Status HasLength(std::string_view name, const std::vector<T>& tensor, bool present,
                       std::int64_t length) {
  if (!present) length = 0;
  if (tensor.size() == static_cast<std::size_t>(length)) return absl::OkStatus();
  return WrongShape(name, 1, length, 1, static_cast<std::int64_t>(tensor.size()));
}

absl::Status CheckShared(const LayerTensors& tensors, const Layer& layer) {
  const bool present = layer.shared.has_value();
  const std::int64_t width = present ? layer.shared->intermediate : 0;
  const std::int64_t h = layer.shape.hidden;
  RETURN_IF_ERROR(HasShape("shared gate", tensors.shared_gate, present, width, h));
  RETURN_IF_ERROR(HasShape("shared up", tensors.shared_up, present, width, h));
  RETURN_IF_ERROR(HasShape("shared down", tensors.shared_down, present, h, width));
  return HasLength("wg", tensors.shared_gate_vector, present && layer.shared->gate, h);
}

absl::Status CheckStored(std::string_view name, const std::vector<EncodedMatrix>& tensors,
                         const Layer& layer, std::int64_t outputs, std::int64_t contraction) {
  if (tensors.size() != static_cast<std::size_t>(layer.shape.experts)) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: expected %d experts, got %d [RC034]",
                                                      Absl(name), layer.shape.experts,
                                                      tensors.size()));
  }
  for (const EncodedMatrix& tensor : tensors) {
    if (tensor.format != layer.weights) {
      return absl::InvalidArgumentError(absl::StrFormat("%s: expected format %s, got %s [RC035]",
                                                        Absl(name), Absl(Name(layer.weights)),
                                                        Absl(Name(tensor.format))));
    }
    if (tensor.outputs != outputs || tensor.contraction != contraction) {
      return WrongShape(name, outputs, contraction, tensor.outputs, tensor.contraction);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Check(const LayerTensors& tensors, const Layer& layer) {
  const std::int64_t e = layer.shape.experts;
  const std::int64_t h = layer.shape.hidden;
  const std::int64_t i = layer.shape.intermediate;
  const bool routed = layer.router.mode != RouterMode::kGiven;
  RETURN_IF_ERROR(HasShape("Wr", tensors.router, routed, e, h));
  RETURN_IF_ERROR(HasLength("br", tensors.router_bias, layer.router.logit_bias, e));
  RETURN_IF_ERROR(HasLength("bias_corr", tensors.correction_bias, layer.router.correction_bias, e));
  RETURN_IF_ERROR(HasShape("b1", tensors.gate_bias, layer.expert_bias, e, i));
  RETURN_IF_ERROR(HasShape("b3", tensors.up_bias, layer.expert_bias, e, i));
  RETURN_IF_ERROR(HasShape("b2", tensors.down_bias, layer.expert_bias, e, h));
  return CheckShared(tensors, layer);
}

absl::Status Check(const EncodedExperts& experts, const Layer& layer) {
  const std::int64_t h = layer.shape.hidden;
  const std::int64_t i = layer.shape.intermediate;
  RETURN_IF_ERROR(CheckGateUpRows(experts.layout, 2 * i));
  RETURN_IF_ERROR(CheckStored("W13", experts.gate_up, layer, 2 * i, h));
  return CheckStored("W2", experts.down, layer, h, i);
}

absl::StatusOr<Bf16Matrix> ExpertSource::LoadOne(int expert, Member member) const {
  ASSIGN_OR_RETURN(ExpertMatrices matrices, Load(expert));
  return std::move(matrices.*member);
}

absl::StatusOr<ExpertMatrices> StoredExperts::Load(int expert) const {
  const auto e = static_cast<std::size_t>(expert);
  ASSIGN_OR_RETURN(const Bf16Matrix gate_up, Decode(experts_.gate_up[e], rules_));
  ExpertMatrices matrices;
  matrices.gate = GateRows(gate_up, experts_.layout);
  matrices.up = UpRows(gate_up, experts_.layout);
  ASSIGN_OR_RETURN(matrices.down, Decode(experts_.down[e], rules_));
  return matrices;
}

}  // namespace moescope::moe
