#pragma once

#include <cstdint>
#include <optional>

// The description of a fused MoE layer: plain data shared by the CPU reference, the emitters and
// the CUDA backend. moe.md is the definition of every field; Check in layer_check.h tells whether a
// description is consistent.

namespace moescope::moe {

// How experts are selected and weighted (moe.md, 3.3).
enum class RouterMode : std::uint8_t {
  kGiven,  // the caller's ids and weights
  kSoftmaxTopk,
  kSoftmaxAll,
  kSigmoidGroup,
  kSqrtSoftplus,
  kSigmoidInput,
};

enum class Activation : std::uint8_t { kSwiglu, kGptOss, kGegluTanh, kGegluErf };

// Order of gate and up rows in a [2I, H] tensor (moe.md, 5.4). The tag travels with its tensor.
enum class GateUpLayout : std::uint8_t { kHalves, kInterleaved, kGranule8 };

// Where the route weight is applied (moe.md, 5.1). No default: whoever describes a layer says it.
class Weighting {
 public:
  enum Kind : std::uint8_t { kPre, kPost, kInput };
  constexpr Weighting(Kind kind) : kind_(kind) {}  // NOLINT: stands for its Kind
  constexpr operator Kind() const { return kind_; }

 private:
  Kind kind_;
};

// Storage of the routed expert matrices (moe.md, 6). No default, for the same reason.
class WeightFormat {
 public:
  enum Kind : std::uint8_t { kBf16, kMxfp8B8, kMxfp8B32, kMxfp4B32 };
  constexpr WeightFormat(Kind kind) : kind_(kind) {}  // NOLINT: stands for its Kind
  constexpr operator Kind() const { return kind_; }

 private:
  Kind kind_;
};

// H, I, E, K of moe.md, 1.
struct LayerShape {
  int hidden = 0;
  int intermediate = 0;
  int experts = 0;
  int top_k = 0;

  friend bool operator==(const LayerShape&, const LayerShape&) = default;
};

struct Router {
  RouterMode mode = RouterMode::kGiven;
  bool norm = false;             // divide by the sum of the selected scores
  float routed_scale = 1.0f;     // sigmoid_group and sqrtsoftplus only
  int groups = 1;                // sigmoid_group only: G
  int topk_group = 1;            // groups kept
  bool logit_bias = false;       // br
  bool correction_bias = false;  // bias_corr: takes part in selection only

  friend bool operator==(const Router&, const Router&) = default;
};

// A dense expert that every token visits (moe.md, 7); `intermediate` is n_shared * I.
struct SharedExpert {
  int intermediate = 0;
  bool gate = false;  // sigmoid(x . wg) scales the output

  friend bool operator==(const SharedExpert&, const SharedExpert&) = default;
};

struct Layer {
  LayerShape shape;
  Router router;
  Activation activation = Activation::kSwiglu;
  std::optional<float> clamp;  // L; absent = no clamp
  bool expert_bias = false;    // b13 and b2
  Weighting weighting;
  WeightFormat weights;
  std::optional<SharedExpert> shared;

  friend bool operator==(const Layer&, const Layer&) = default;
};

}  // namespace moescope::moe
