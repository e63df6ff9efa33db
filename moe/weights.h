#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "moe/encoded_matrix.h"
#include "moe/gate_up_layout.h"
#include "moe/layer.h"
#include "moe/matrix.h"

namespace moescope::moe {

// One routed expert as every implementation computes with it: decoded to BF16.
struct ExpertMatrices {
  Bf16Matrix gate;  // W1 [I, H]
  Bf16Matrix up;    // W3 [I, H]
  Bf16Matrix down;  // W2 [H, I]

  friend bool operator==(const ExpertMatrices&, const ExpertMatrices&) = default;
};

// Where routed expert matrices come from. A full-width layer does not fit in memory decoded, so
// they are asked for one expert at a time.
class ExpertSource {
 public:
  virtual ~ExpertSource() = default;
  // 0 <= expert < E.
  virtual absl::StatusOr<ExpertMatrices> Load(int expert) const = 0;
  // One of the three; a source that can make it alone does less work.
  using Member = Bf16Matrix ExpertMatrices::*;
  virtual absl::StatusOr<Bf16Matrix> LoadOne(int expert, Member member) const;
  // The stored form of one of them, when the source makes its values by decoding just that form.
  virtual std::optional<EncodedMatrix> LoadEncoded(int, Member, WeightFormat, Orientation,
                                                   NumberRules) const {
    return std::nullopt;
  }
};

// Everything of a layer besides the routed expert matrices. Absent tensors are empty.
struct LayerTensors {
  F32Matrix router;                               // Wr [E, H]
  std::vector<float> router_bias;                 // br [E]
  std::vector<float> correction_bias;             // bias_corr [E]
  Bf16Matrix gate_bias, up_bias;                  // halves of b13, [E, I] each
  Bf16Matrix down_bias;                           // b2 [E, H]
  Bf16Matrix shared_gate, shared_up;              // halves of W13s, [Is, H] each
  Bf16Matrix shared_down;                         // W2s [H, Is]
  std::vector<std::uint16_t> shared_gate_vector;  // wg [H], BF16

  friend bool operator==(const LayerTensors&, const LayerTensors&) = default;
};

// Every tensor has the shape that the layer asks for: InvalidArgument with name, expected and
// actual shape otherwise.
absl::Status Check(const LayerTensors& tensors, const Layer& layer);

// The routed experts as stored: W13 [2I, H] in `layout`, W2 [H, I].
struct EncodedExperts {
  GateUpLayout layout = GateUpLayout::kHalves;
  std::vector<EncodedMatrix> gate_up;  // [E]
  std::vector<EncodedMatrix> down;     // [E]
};

absl::Status Check(const EncodedExperts& experts, const Layer& layer);

// All weights of a layer in memory: what the CUDA backend packs.
struct Weights {
  LayerTensors tensors;
  EncodedExperts experts;
};

// Expert matrices that are held encoded in memory. `experts` must be valid and outlive it.
class StoredExperts : public ExpertSource {
 public:
  StoredExperts(const EncodedExperts& experts, NumberRules rules)
      : experts_(experts), rules_(rules) {}
  absl::StatusOr<ExpertMatrices> Load(int expert) const override;

 private:
  const EncodedExperts& experts_;
  NumberRules rules_;
};

}  // namespace moescope::moe
