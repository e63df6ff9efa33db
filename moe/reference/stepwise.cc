#include "moe/reference/stepwise.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/status.h"
#include "moe/layer_check.h"
#include "moe/reference/arithmetic.h"
#include "moe/reference/bf16_steps.h"
#include "moe/reference/operands.h"
#include "moe/reference/stepwise_router.h"

namespace moescope::moe::reference {
namespace {

F32Matrix Columns(const F32Matrix& matrix, std::int64_t first, std::int64_t count) {
  F32Matrix part(matrix.rows, count);
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    const auto source =
        matrix.Row(r).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    std::copy(source.begin(), source.end(), part.Row(r).begin());
  }
  return part;
}

// p_c = bf(sum over the tiles of chunk c); p = p_0, then p = bf(p + p_c).
F32Matrix Project(const F32Matrix& x, const F32Matrix& w, int tile,
                  const std::vector<int>& chunks) {
  const Fused arithmetic({tile});
  F32Matrix result;
  std::int64_t first = 0;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const std::int64_t width = std::int64_t{tile} * chunks[c];
    const F32Matrix part_x = Columns(x, first, width);
    const F32Matrix part_w = Columns(w, first, width);
    F32Matrix part = arithmetic.Contract({{part_x, part_w}});
    for (float& value : part.values) value = Bf(value);
    if (c == 0) {
      result = std::move(part);
    } else {
      for (std::size_t i = 0; i < part.values.size(); ++i) {
        result.values[i] = Add(result.values[i], part.values[i]);
      }
    }
    first += width;
  }
  return result;
}

// tanh(z) = 1 - 2 / (exp(2z) + 1), + 1.
float OnePlusTanh(float g) {
  float z = Multiply(Multiply(Multiply(g, Bf(0.044715f)), g), g);
  z = Multiply(Add(z, g), Bf(0.79788456f));
  const float inverse = Reciprocal(Add(Exponential(Multiply(z, 2.0f)), 1.0f));
  return Add(Add(Multiply(inverse, -2.0f), 1.0f), 1.0f);
}

// act(g): the factor of u.
float GateSteps(Activation activation, float g) {
  switch (activation) {
    case Activation::kSwiglu:
      return Multiply(g, Reciprocal(Add(Exponential(Multiply(g, -1.0f)), 1.0f)));
    case Activation::kGptOss:
      return Multiply(g, Reciprocal(Add(Exponential(Multiply(g, Bf(-1.702f))), 1.0f)));
    default:
      return Multiply(Multiply(g, 0.5f), OnePlusTanh(g));
  }
}

class StepwisePass {
 public:
  explicit StepwisePass(const StepwiseInputs& in) : in_(in), layer_(in.layer) {}

  absl::StatusOr<StepwiseOutputs> Run() {
    Prepare();
    if (in_.fixed == nullptr) {
      const F32Matrix logits = StepwiseLogits(in_, x_);
      out_.logits = Narrow(logits);
      out_.routing = StepwiseRoute(in_, logits);
    } else {
      out_.routing = *in_.fixed;
      for (float& weight : out_.routing.topk_w) weight = Bf(weight);
    }
    RETURN_IF_ERROR(Experts());
    Combine();
    if (layer_.shared.has_value()) Shared();
    if (in_.plan.residual != Residual::kNone) AddResidual();
    out_.y = Narrow(y_);
    return std::move(out_);
  }

 private:
  void Prepare();
  void Normalise();
  absl::Status Experts();
  void Expert(std::size_t e, const ExpertMatrices& matrices, const ExpertRows& rows);
  F32Matrix GatherRows(const ExpertRows& rows) const;
  void AddBias(F32Matrix& rows, const Bf16Matrix& bias, std::size_t expert) const;
  void ScaleByWeight(F32Matrix& rows, const ExpertRows& of) const;
  void Activate(F32Matrix& gate, F32Matrix& up) const;
  void Combine();
  void Shared();
  void Sigma();
  void AddResidual();

  const StepwiseInputs& in_;
  const Layer& layer_;
  F32Matrix x_;         // what the layer sees
  F32Matrix residual_;  // what is added at the end
  F32Matrix gate_, hidden_, slot_, y_;
  StepwiseOutputs out_;
};

void StepwisePass::Prepare() {
  x_ = Widen<float>(in_.x);
  residual_ = x_;
  for (float& value : residual_.values) value = Add(0.0f, value);
  if (in_.plan.residual == Residual::kNorm) Normalise();
}

void StepwisePass::Normalise() {
  const float inverse_width = Bf(1.0f / static_cast<float>(layer_.shape.hidden));
  for (std::int64_t t = 0; t < x_.rows; ++t) {
    const auto row = x_.Row(t);
    const float squares = DotSteps(row, row, static_cast<std::size_t>(in_.plan.tile));
    const float factor = Reciprocal(SquareRoot(Add(Multiply(squares, inverse_width), Bf(1e-6f))));
    for (std::size_t n = 0; n < row.size(); ++n) {
      const float weight = isa::Bf16ToFloat((*in_.norm_weight)[n]);
      row[n] = Multiply(Multiply(row[n], factor), weight);
    }
  }
}

absl::Status StepwisePass::Experts() {
  const std::int64_t pairs = out_.routing.pairs();
  gate_ = hidden_ = F32Matrix(pairs, layer_.shape.intermediate);
  slot_ = F32Matrix(pairs, layer_.shape.hidden);
  const std::vector<ExpertRows> rows = RowsPerExpert(out_.routing);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    if (rows[e].pairs.empty()) continue;
    ASSIGN_OR_RETURN(const ExpertMatrices matrices, in_.experts.Load(static_cast<int>(e)));
    Expert(e, matrices, rows[e]);
  }
  out_.gate = Narrow(gate_);
  out_.hidden = Narrow(hidden_);
  out_.slot = Narrow(slot_);
  return absl::OkStatus();
}

F32Matrix StepwisePass::GatherRows(const ExpertRows& rows) const {
  F32Matrix x = Gather(x_, rows.tokens);
  if (in_.plan.gather_adds) {
    for (float& value : x.values) value = Add(0.0f, value);
  }
  if (layer_.weighting == Weighting::kInput) ScaleByWeight(x, rows);
  return x;
}

void StepwisePass::ScaleByWeight(F32Matrix& rows, const ExpertRows& of) const {
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const auto pair = static_cast<std::size_t>(of.pairs[static_cast<std::size_t>(r)]);
    for (float& value : rows.Row(r)) value = Multiply(value, out_.routing.topk_w[pair]);
  }
}

void StepwisePass::AddBias(F32Matrix& rows, const Bf16Matrix& bias, std::size_t expert) const {
  if (bias.rows == 0) return;
  const auto add = bias.Row(static_cast<std::int64_t>(expert));
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const auto row = rows.Row(r);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = Add(row[i], isa::Bf16ToFloat(add[i]));
  }
}

// gate becomes act(gate), up becomes h before the route weight.
void StepwisePass::Activate(F32Matrix& gate, F32Matrix& up) const {
  for (std::size_t i = 0; i < gate.values.size(); ++i) {
    float& g = gate.values[i];
    float& u = up.values[i];
    if (layer_.clamp.has_value()) {
      g = Minimum(g, *layer_.clamp);
      u = Maximum(Minimum(u, *layer_.clamp), -*layer_.clamp);
    }
    g = GateSteps(layer_.activation, g);
    if (layer_.activation == Activation::kGptOss) u = Add(u, 1.0f);
    u = Multiply(u, g);
  }
}

void StepwisePass::Expert(std::size_t e, const ExpertMatrices& matrices, const ExpertRows& rows) {
  const int tile = in_.plan.tile;
  const F32Matrix x = GatherRows(rows);
  F32Matrix gate = Project(x, Widen<float>(matrices.gate), tile, in_.plan.hidden_chunks);
  F32Matrix up = Project(x, Widen<float>(matrices.up), tile, in_.plan.hidden_chunks);
  AddBias(gate, in_.tensors.gate_bias, e);
  AddBias(up, in_.tensors.up_bias, e);
  Activate(gate, up);
  if (layer_.weighting == Weighting::kPre) ScaleByWeight(up, rows);
  F32Matrix down = Project(up, Widen<float>(matrices.down), tile, in_.plan.intermediate_chunks);
  AddBias(down, in_.tensors.down_bias, e);
  if (layer_.weighting == Weighting::kPost) ScaleByWeight(down, rows);
  Scatter(gate, rows.pairs, gate_);
  Scatter(up, rows.pairs, hidden_);
  Scatter(down, rows.pairs, slot_);
}

// acc = +0; for slots ascending acc = bf(acc + o).
void StepwisePass::Combine() {
  y_ = F32Matrix(out_.routing.tokens, layer_.shape.hidden);
  for (std::int64_t pair = 0; pair < out_.routing.pairs(); ++pair) {
    if (out_.routing.topk_idx[static_cast<std::size_t>(pair)] < 0) continue;
    const auto sum = y_.Row(pair / out_.routing.top_k);
    const auto add = slot_.Row(pair);
    for (std::size_t n = 0; n < sum.size(); ++n) sum[n] = Add(sum[n], add[n]);
  }
  out_.routed = Narrow(y_);
}

void StepwisePass::Sigma() {
  std::vector<float> vector;
  for (const std::uint16_t bits : in_.tensors.shared_gate_vector) {
    vector.push_back(isa::Bf16ToFloat(bits));
  }
  for (std::int64_t t = 0; t < x_.rows; ++t) {
    const float logit = DotSteps(x_.Row(t), vector, static_cast<std::size_t>(in_.plan.tile));
    out_.sigma.push_back(isa::FloatToBf16(SigmoidSteps(logit)));
  }
}

// ys = bf(bf(ays) sigma); y = bf(acc + ys).
void StepwisePass::Shared() {
  const int tile = in_.plan.tile;
  F32Matrix gate = Project(x_, Widen<float>(in_.tensors.shared_gate), tile, in_.plan.hidden_chunks);
  F32Matrix up = Project(x_, Widen<float>(in_.tensors.shared_up), tile, in_.plan.hidden_chunks);
  Activate(gate, up);
  F32Matrix down =
      Project(up, Widen<float>(in_.tensors.shared_down), tile, in_.plan.shared_intermediate_chunks);
  if (layer_.shared->gate) Sigma();
  for (std::int64_t t = 0; t < down.rows; ++t) {
    for (std::int64_t n = 0; n < down.columns; ++n) {
      float& value = down.At(t, n);
      if (layer_.shared->gate) {
        value = Multiply(value, isa::Bf16ToFloat(out_.sigma[static_cast<std::size_t>(t)]));
      }
      y_.At(t, n) = Add(y_.At(t, n), value);
    }
  }
  out_.shared = Narrow(down);
}

void StepwisePass::AddResidual() {
  for (std::size_t i = 0; i < y_.values.size(); ++i) {
    y_.values[i] = Add(residual_.values[i], y_.values[i]);
  }
}

}  // namespace

absl::StatusOr<StepwiseOutputs> Stepwise(const StepwiseInputs& inputs) {
  RETURN_IF_ERROR(Check(inputs.layer));
  RETURN_IF_ERROR(Check(inputs.tensors, inputs.layer));
  if (inputs.fixed != nullptr) RETURN_IF_ERROR(Check(*inputs.fixed));
  return StepwisePass(inputs).Run();
}

}  // namespace moescope::moe::reference
