#pragma once

#include <utility>

#include "gtest/gtest.h"
#include "moe/presets.h"
#include "moe/reference/reference.h"
#include "moe/seeded_layer.h"
#include "moe/workload.h"

namespace moescope::moe::reference {

// A layer of test size with all inputs generated from a seed.
struct SmallLayer {
  Layer layer;
  LayerTensors tensors;
  Bf16Matrix x;
  Routing routing;
  SeededExperts experts;

  SmallLayer(Layer description, std::int64_t tokens, std::uint64_t seed = 1,
             Values values = Values::kRandom, const char* workload = "uniform+masked(0.2)")
      : layer(std::move(description)),
        tensors(SeededTensors(layer, seed, values)),
        x(SeededHidden(layer, tokens, seed, values)),
        routing(*GenerateRouting(*ParseWorkload(workload),
                                 {tokens, layer.shape.top_k, layer.shape.experts}, seed)),
        experts(layer, seed, Orientation::kOutputMajor, {}, values) {}

  LayerInputs inputs(const SideLora* lora = nullptr) const {
    return {layer, tensors, experts, x, routing, lora};
  }
  ForwardOutputs Run(Accumulation accumulation, const SideLora* lora = nullptr) const {
    absl::StatusOr<ForwardOutputs> outputs = Forward(inputs(lora), accumulation);
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    return *std::move(outputs);
  }
};

inline Layer TinyLayer(Activation activation = Activation::kSwiglu,
                       Weighting weighting = Weighting::kPre) {
  Layer layer{.shape = {24, 16, 5, 2},
              .router = {.mode = RouterMode::kSoftmaxTopk},
              .activation = activation,
              .weighting = weighting,
              .weights = WeightFormat::kBf16};
  if (weighting == Weighting::kInput) {
    layer.router.mode = RouterMode::kSigmoidInput;
    layer.shape.top_k = 1;
  }
  return layer;
}

}  // namespace moescope::moe::reference
