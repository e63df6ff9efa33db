#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "moe/generator.h"
#include "moe/side_lora.h"
#include "moe/weights.h"

namespace moescope::moe {

// What the elements of a generated tensor look like.
enum class Values : std::uint8_t {
  kRandom,     // bf(sigma * normal); sigma = 1 / sqrt(contraction) for matrices, 1 for activations
  kSaturated,  // the saturated fixtures of moe.md, 5.3: `fused` and `stepwise` agree bit for bit
};

// bf(sigma * normal) of every element; element (r, c) is index first + r * columns + c.
Bf16Matrix NormalMatrix(std::uint64_t seed, Stream stream, std::uint64_t first, std::int64_t rows,
                        std::int64_t columns, float sigma);

// x [T, H].
Bf16Matrix SeededHidden(const Layer& layer, std::int64_t tokens, std::uint64_t seed,
                        Values values = Values::kRandom);

// Everything besides the routed experts. Router tensors are BF16-exact.
LayerTensors SeededTensors(const Layer& layer, std::uint64_t seed, Values values = Values::kRandom);

// The matrices of one expert before they are encoded, and one of them.
ExpertMatrices SeededExpert(const Layer& layer, int expert, std::uint64_t seed,
                            Values values = Values::kRandom);
Bf16Matrix SeededMatrix(const Layer& layer, int expert, ExpertSource::Member member,
                        std::uint64_t seed, Values values = Values::kRandom);

SideLora SeededLora(const Layer& layer, int rank, float scale, std::uint64_t seed);

// dy [T, H].
Bf16Matrix SeededOutputGradient(const Layer& layer, std::int64_t tokens, std::uint64_t seed);

// Generates, encodes and decodes one expert at a time: nothing is kept.
class SeededExperts : public ExpertSource {
 public:
  SeededExperts(const Layer& layer, std::uint64_t seed, Orientation orientation, NumberRules rules,
                Values values = Values::kRandom)
      : layer_(layer), seed_(seed), orientation_(orientation), rules_(rules), values_(values) {}
  absl::StatusOr<ExpertMatrices> Load(int expert) const override;
  absl::StatusOr<Bf16Matrix> LoadOne(int expert, Member member) const override;
  std::optional<EncodedMatrix> LoadEncoded(int expert, Member member, WeightFormat format,
                                           Orientation orientation,
                                           NumberRules rules) const override;

 private:
  Layer layer_;
  std::uint64_t seed_;
  Orientation orientation_;
  NumberRules rules_;
  Values values_;
};

// All weights of a layer, encoded. Needs memory for the whole layer.
Weights SeededWeights(const Layer& layer, std::uint64_t seed, GateUpLayout layout,
                      Orientation orientation, NumberRules rules);

}  // namespace moescope::moe
