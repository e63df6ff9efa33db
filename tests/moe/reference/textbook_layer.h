#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "moe/layer.h"
#include "moe/reference/operands.h"
#include "moe/routing.h"
#include "tests/moe/reference/dual.h"

// The layer in real arithmetic, as a textbook writes it: token by token, adapters merged into the
// weights, no rounding points. Written for any scalar type, so that dual numbers differentiate it.
// It shares nothing with moe/reference but the container types.

namespace moescope::moe::reference {

template <typename S>
struct TextbookExpert {
  Matrix<S> gate, up, down;  // [I, H], [I, H], [H, I]
};

template <typename S>
struct TextbookLora {
  double scale = 0;
  Matrix<S> a1, a3, b2;               // [r, H], [r, H], [H, r]
  std::vector<Matrix<S>> b1, b3, a2;  // [E] of [I, r], [I, r], [r, I]
};

template <typename S>
struct TextbookInputs {
  Layer layer;
  Routing routing;
  Matrix<S> x;            // [T, H]
  std::vector<S> weight;  // [T K]
  std::vector<TextbookExpert<S>> experts;
  Matrix<S> gate_bias, up_bias, down_bias;  // [E, .]; empty = none
  std::optional<TextbookExpert<S>> shared;
  std::vector<S> shared_gate;  // [H]; empty = no gate
  std::optional<TextbookLora<S>> lora;
};

template <typename S>
S TextbookActivation(Activation activation, S g, S u) {
  using std::erf;
  using std::exp;
  using std::tanh;
  switch (activation) {
    case Activation::kSwiglu:
      return g / (S(1) + exp(-g)) * u;
    case Activation::kGptOss:
      return g / (S(1) + exp(-(S(double{1.702f}) * g))) * (u + S(1));
    case Activation::kGegluTanh: {
      const S cube = S(double{0.044715f}) * g * g * g;
      return S(0.5) * g * (S(1) + tanh(S(double{0.79788456f}) * (g + cube))) * u;
    }
    case Activation::kGegluErf:
      return S(0.5) * g * (S(1) + erf(g / S(std::sqrt(2.0)))) * u;
  }
  return S(0);
}

// W v + bias, with W = base + scale * wide * narrow where there is an adapter.
template <typename S>
std::vector<S> Apply(const Matrix<S>& base, const std::vector<S>& v,
                     const Matrix<S>* wide = nullptr, const Matrix<S>* narrow = nullptr,
                     double scale = 0) {
  std::vector<S> result;
  for (std::int64_t row = 0; row < base.rows; ++row) {
    S sum(0);
    for (std::int64_t k = 0; k < base.columns; ++k) {
      S weight = base.At(row, k);
      for (std::int64_t r = 0; wide != nullptr && r < narrow->rows; ++r) {
        weight += S(scale) * wide->At(row, r) * narrow->At(r, k);
      }
      sum += weight * v[static_cast<std::size_t>(k)];
    }
    result.push_back(sum);
  }
  return result;
}

// act(clamp(gate), clamp(up)) * factor.
template <typename S>
std::vector<S> TextbookHidden(const Layer& layer, const std::vector<S>& gate,
                              const std::vector<S>& up, S factor) {
  std::vector<S> hidden;
  for (std::size_t i = 0; i < gate.size(); ++i) {
    S g = gate[i];
    S u = up[i];
    if (layer.clamp.has_value()) {
      const S limit(double{*layer.clamp});
      if (g > limit) g = limit;
      if (u > limit) u = limit;
      if (u < -limit) u = -limit;
    }
    hidden.push_back(TextbookActivation(layer.activation, g, u) * factor);
  }
  return hidden;
}

template <typename S>
void AddTextbookBias(const Matrix<S>& bias, std::size_t expert, S factor, std::vector<S>& to) {
  if (bias.rows == 0) return;
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] += factor * bias.At(static_cast<std::int64_t>(expert), static_cast<std::int64_t>(i));
  }
}

// What one slot adds to its token.
template <typename S>
std::vector<S> TextbookSlot(const TextbookInputs<S>& in, std::size_t pair, std::vector<S> x) {
  const auto e = static_cast<std::size_t>(in.routing.topk_idx[pair]);
  const S w = in.weight[pair];
  const bool pre = in.layer.weighting == Weighting::kPre;
  if (in.layer.weighting == Weighting::kInput) {
    for (S& value : x) value = value * w;
  }
  const TextbookLora<S>* lora = in.lora.has_value() ? &*in.lora : nullptr;
  const TextbookExpert<S>& expert = in.experts[e];
  std::vector<S> gate = lora == nullptr
                            ? Apply(expert.gate, x)
                            : Apply(expert.gate, x, &lora->b1[e], &lora->a1, lora->scale);
  std::vector<S> up = lora == nullptr ? Apply(expert.up, x)
                                      : Apply(expert.up, x, &lora->b3[e], &lora->a3, lora->scale);
  AddTextbookBias(in.gate_bias, e, S(1), gate);
  AddTextbookBias(in.up_bias, e, S(1), up);
  const std::vector<S> hidden = TextbookHidden(in.layer, gate, up, pre ? w : S(1));
  std::vector<S> out = lora == nullptr
                           ? Apply(expert.down, hidden)
                           : Apply(expert.down, hidden, &lora->b2, &lora->a2[e], lora->scale);
  AddTextbookBias(in.down_bias, e, pre ? w : S(1), out);
  if (in.layer.weighting == Weighting::kPost) {
    for (S& value : out) value = value * w;
  }
  return out;
}

template <typename S>
std::vector<S> TextbookShared(const TextbookInputs<S>& in, const std::vector<S>& x) {
  using std::exp;
  const std::vector<S> hidden =
      TextbookHidden(in.layer, Apply(in.shared->gate, x), Apply(in.shared->up, x), S(1));
  std::vector<S> out = Apply(in.shared->down, hidden);
  if (in.shared_gate.empty()) return out;
  S logit(0);
  for (std::size_t k = 0; k < x.size(); ++k) logit += x[k] * in.shared_gate[k];
  for (S& value : out) value = value / (S(1) + exp(-logit));
  return out;
}

// y [T, H].
template <typename S>
Matrix<S> TextbookLayer(const TextbookInputs<S>& in) {
  Matrix<S> y(in.routing.tokens, in.layer.shape.hidden, S(0));
  const auto add = [&](std::int64_t token, const std::vector<S>& row) {
    for (std::int64_t n = 0; n < y.columns; ++n) {
      y.At(token, n) += row[static_cast<std::size_t>(n)];
    }
  };
  for (std::int64_t t = 0; t < in.routing.tokens; ++t) {
    const std::vector<S> x(in.x.Row(t).begin(), in.x.Row(t).end());
    for (int k = 0; k < in.routing.top_k; ++k) {
      const auto pair = static_cast<std::size_t>(t * in.routing.top_k + k);
      if (in.routing.topk_idx[pair] >= 0) add(t, TextbookSlot(in, pair, x));
    }
    if (in.shared.has_value()) add(t, TextbookShared(in, x));
  }
  return y;
}

// The operands of moe/reference as those of the textbook, in another scalar type.
template <typename S>
Matrix<S> Converted(const Matrix<double>& from) {
  Matrix<S> to;
  to.rows = from.rows;
  to.columns = from.columns;
  to.values.assign(from.values.begin(), from.values.end());
  return to;
}

template <typename S>
std::vector<Matrix<S>> Converted(const std::vector<Matrix<double>>& from) {
  std::vector<Matrix<S>> to;
  for (const Matrix<double>& matrix : from) to.push_back(Converted<S>(matrix));
  return to;
}

template <typename S>
TextbookExpert<S> Converted(const ExpertOperands<double>& from) {
  return {Converted<S>(from.gate), Converted<S>(from.up), Converted<S>(from.down)};
}

template <typename S>
TextbookInputs<S> TextbookOf(const LayerOperands<double>& operands) {
  TextbookInputs<S> in{.layer = operands.layer,
                       .routing = operands.routing,
                       .x = Converted<S>(operands.x),
                       .weight = {operands.weight.begin(), operands.weight.end()},
                       .experts = {},
                       .gate_bias = Converted<S>(operands.gate_bias),
                       .up_bias = Converted<S>(operands.up_bias),
                       .down_bias = Converted<S>(operands.down_bias),
                       .shared = {},
                       .shared_gate = {},
                       .lora = {}};
  for (int e = 0; e < operands.layer.shape.experts; ++e) {
    in.experts.push_back(Converted<S>(*operands.expert(e)));
  }
  if (operands.shared.has_value()) in.shared = Converted<S>(*operands.shared);
  in.shared_gate.assign(operands.shared_gate_vector.begin(), operands.shared_gate_vector.end());
  if (operands.lora.has_value()) {
    const LoraOperands<double>& lora = *operands.lora;
    in.lora = TextbookLora<S>{lora.scale,
                              Converted<S>(lora.a1),
                              Converted<S>(lora.a3),
                              Converted<S>(lora.b2),
                              Converted<S>(lora.b1),
                              Converted<S>(lora.b3),
                              Converted<S>(lora.a2)};
  }
  return in;
}

}  // namespace moescope::moe::reference
