#include "moe/seeded_layer.h"

#include <cmath>
#include <cstddef>

#include "base/status.h"
#include "isa/bfloat16.h"

namespace moescope::moe {
namespace {

// Shape and place of a tensor in its stream.
struct Place {
  Stream stream;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t copy = 0;  // which of the equally shaped tensors of the stream

  std::uint64_t first() const { return static_cast<std::uint64_t>(copy * rows * columns); }
};

Bf16Matrix Normal(std::uint64_t seed, const Place& place, float sigma) {
  return NormalMatrix(seed, place.stream, place.first(), place.rows, place.columns, sigma);
}

// Each element one of `choices`, with equal chance.
Bf16Matrix Choice(std::uint64_t seed, const Place& place, std::initializer_list<float> choices) {
  Bf16Matrix matrix(place.rows, place.columns);
  std::uint64_t index = place.first();
  for (std::uint16_t& value : matrix.values) {
    const std::uint64_t pick = Below(choices.size(), U64(seed, place.stream, index++));
    value = isa::FloatToBf16(choices.begin()[pick]);
  }
  return matrix;
}

// One nonzero element in each row: 1 at a drawn column, negated with chance one half if asked.
Bf16Matrix OneHot(std::uint64_t seed, const Place& place, bool with_sign) {
  Bf16Matrix matrix(place.rows, place.columns);
  for (std::int64_t row = 0; row < place.rows; ++row) {
    const std::uint64_t draw =
        U64(seed, place.stream, place.first() + static_cast<std::uint64_t>(row));
    const auto column =
        static_cast<std::int64_t>(Below(static_cast<std::uint64_t>(place.columns), draw));
    matrix.At(row, column) = isa::FloatToBf16(with_sign && (draw & 1) != 0 ? -1.0f : 1.0f);
  }
  return matrix;
}

float InverseRoot(std::int64_t contraction) {
  return 1.0f / std::sqrt(static_cast<float>(contraction));
}

Bf16Matrix GateMatrix(const Layer& layer, const Place& place, std::uint64_t seed, Values values) {
  if (values == Values::kRandom) return Normal(seed, place, InverseRoot(place.columns));
  if (layer.activation == Activation::kGptOss) return Choice(seed, place, {0.0f, 8.0f});
  return Choice(seed, place, {0.0f, 24.0f, 32.0f});
}

Bf16Matrix UpMatrix(const Layer& layer, const Place& place, std::uint64_t seed, Values values) {
  if (values == Values::kRandom) return Normal(seed, place, InverseRoot(place.columns));
  if (layer.activation == Activation::kGptOss) return Choice(seed, place, {0.0f, 1.0f});
  return Choice(seed, place, {-1.0f, 0.0f, 1.0f});
}

Bf16Matrix DownMatrix(const Place& place, std::uint64_t seed, Values values) {
  if (values == Values::kRandom) return Normal(seed, place, InverseRoot(place.columns));
  return OneHot(seed, place, true);
}

std::vector<float> NormalVector(std::uint64_t seed, Stream stream, std::int64_t length,
                                float sigma) {
  std::vector<float> vector;
  for (const std::uint16_t bits : NormalMatrix(seed, stream, 0, 1, length, sigma).values) {
    vector.push_back(isa::Bf16ToFloat(bits));
  }
  return vector;
}

void SetBiases(const Layer& layer, std::uint64_t seed, Values values, LayerTensors& tensors) {
  const std::int64_t e = layer.shape.experts;
  const std::int64_t h = layer.shape.hidden;
  const std::int64_t i = layer.shape.intermediate;
  if (values == Values::kSaturated) {
    tensors.gate_bias = Bf16Matrix(e, i);
    tensors.up_bias = Bf16Matrix(e, i);
    tensors.down_bias = Choice(seed, {Stream::kDownBias, e, h}, {-1.0f, 0.0f, 1.0f});
    return;
  }
  tensors.gate_bias = Normal(seed, {Stream::kGateBias, e, i}, 0.125f);
  tensors.up_bias = Normal(seed, {Stream::kUpBias, e, i}, 0.125f);
  tensors.down_bias = Normal(seed, {Stream::kDownBias, e, h}, 0.125f);
}

void SetShared(const Layer& layer, std::uint64_t seed, Values values, LayerTensors& tensors) {
  const std::int64_t h = layer.shape.hidden;
  const std::int64_t width = layer.shared->intermediate;
  tensors.shared_gate = GateMatrix(layer, {Stream::kSharedGate, width, h}, seed, values);
  tensors.shared_up = UpMatrix(layer, {Stream::kSharedUp, width, h}, seed, values);
  tensors.shared_down = DownMatrix({Stream::kSharedDown, h, width}, seed, values);
  if (layer.shared->gate) {
    tensors.shared_gate_vector =
        NormalMatrix(seed, Stream::kSharedGateVector, 0, 1, h, InverseRoot(h)).values;
  }
}

}  // namespace

Bf16Matrix NormalMatrix(std::uint64_t seed, Stream stream, std::uint64_t first, std::int64_t rows,
                        std::int64_t columns, float sigma) {
  Bf16Matrix matrix(rows, columns);
  std::uint64_t index = first;
  for (std::uint16_t& value : matrix.values) {
    value = isa::FloatToBf16(sigma * moe::Normal(seed, stream, index++));
  }
  return matrix;
}

Bf16Matrix SeededHidden(const Layer& layer, std::int64_t tokens, std::uint64_t seed,
                        Values values) {
  const Place place{Stream::kHidden, tokens, layer.shape.hidden};
  return values == Values::kRandom ? Normal(seed, place, 1.0f) : OneHot(seed, place, false);
}

LayerTensors SeededTensors(const Layer& layer, std::uint64_t seed, Values values) {
  LayerTensors tensors;
  const std::int64_t e = layer.shape.experts;
  const std::int64_t h = layer.shape.hidden;
  if (layer.router.mode != RouterMode::kGiven) {
    tensors.router = F32Matrix(e, h);
    tensors.router.values = NormalVector(seed, Stream::kRouterWeight, e * h, InverseRoot(h));
  }
  if (layer.router.logit_bias) {
    tensors.router_bias = NormalVector(seed, Stream::kRouterBias, e, 0.125f);
  }
  if (layer.router.correction_bias) {
    tensors.correction_bias = NormalVector(seed, Stream::kCorrectionBias, e, 0.125f);
  }
  if (layer.expert_bias) SetBiases(layer, seed, values, tensors);
  if (layer.shared.has_value()) SetShared(layer, seed, values, tensors);
  return tensors;
}

Bf16Matrix SeededMatrix(const Layer& layer, int expert, ExpertSource::Member member,
                        std::uint64_t seed, Values values) {
  const std::int64_t h = layer.shape.hidden;
  const std::int64_t i = layer.shape.intermediate;
  if (member == &ExpertMatrices::gate) {
    return GateMatrix(layer, {Stream::kGate, i, h, expert}, seed, values);
  }
  if (member == &ExpertMatrices::up) {
    return UpMatrix(layer, {Stream::kUp, i, h, expert}, seed, values);
  }
  return DownMatrix({Stream::kDown, h, i, expert}, seed, values);
}

ExpertMatrices SeededExpert(const Layer& layer, int expert, std::uint64_t seed, Values values) {
  const auto make = [&](ExpertSource::Member member) {
    return SeededMatrix(layer, expert, member, seed, values);
  };
  return {.gate = make(&ExpertMatrices::gate),
          .up = make(&ExpertMatrices::up),
          .down = make(&ExpertMatrices::down)};
}

SideLora SeededLora(const Layer& layer, int rank, float scale, std::uint64_t seed) {
  const std::int64_t h = layer.shape.hidden;
  const std::int64_t i = layer.shape.intermediate;
  const float narrow = InverseRoot(rank);
  SideLora lora{.rank = rank, .scale = scale};
  lora.a1 = Normal(seed, {Stream::kLoraA1, rank, h}, InverseRoot(h));
  lora.a3 = Normal(seed, {Stream::kLoraA3, rank, h}, InverseRoot(h));
  lora.b2 = Normal(seed, {Stream::kLoraB2, h, rank}, narrow);
  for (int e = 0; e < layer.shape.experts; ++e) {
    lora.b1.push_back(Normal(seed, {Stream::kLoraB1, i, rank, e}, narrow));
    lora.b3.push_back(Normal(seed, {Stream::kLoraB3, i, rank, e}, narrow));
    lora.a2.push_back(Normal(seed, {Stream::kLoraA2, rank, i, e}, InverseRoot(i)));
  }
  return lora;
}

Bf16Matrix SeededOutputGradient(const Layer& layer, std::int64_t tokens, std::uint64_t seed) {
  return Normal(seed, {Stream::kOutputGradient, tokens, layer.shape.hidden}, 1.0f);
}

absl::StatusOr<Bf16Matrix> SeededExperts::LoadOne(int expert, Member member) const {
  Bf16Matrix matrix = SeededMatrix(layer_, expert, member, seed_, values_);
  if (layer_.weights == WeightFormat::kBf16) return matrix;
  return Decode(Encode(matrix, layer_.weights, orientation_, rules_), rules_);
}

std::optional<EncodedMatrix> SeededExperts::LoadEncoded(int expert, Member member,
                                                        WeightFormat format,
                                                        Orientation orientation,
                                                        NumberRules rules) const {
  if (format != layer_.weights || orientation != orientation_ || rules != rules_) {
    return std::nullopt;
  }
  return Encode(SeededMatrix(layer_, expert, member, seed_, values_), format, orientation, rules);
}

absl::StatusOr<ExpertMatrices> SeededExperts::Load(int expert) const {
  ExpertMatrices matrices;
  for (const Member member : {&ExpertMatrices::gate, &ExpertMatrices::up, &ExpertMatrices::down}) {
    ASSIGN_OR_RETURN(matrices.*member, LoadOne(expert, member));
  }
  return matrices;
}

Weights SeededWeights(const Layer& layer, std::uint64_t seed, GateUpLayout layout,
                      Orientation orientation, NumberRules rules) {
  Weights weights{SeededTensors(layer, seed), {layout, {}, {}}};
  for (int e = 0; e < layer.shape.experts; ++e) {
    const ExpertMatrices matrices = SeededExpert(layer, e, seed);
    weights.experts.gate_up.push_back(
        Encode(JoinGateUp(matrices.gate, matrices.up, layout), layer.weights, orientation, rules));
    weights.experts.down.push_back(Encode(matrices.down, layer.weights, orientation, rules));
  }
  return weights;
}

}  // namespace moescope::moe
