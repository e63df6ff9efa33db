#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "moe/reference/reference.h"
#include "moe/reference/router.h"
#include "moe/side_lora.h"

// The multi-adapter wave (moe.md, 10). Its definition is its implementation: every root runs alone
// with the policy of the wave, so a backend that shares work between roots has something to equal.

namespace moescope::moe::reference {

// Tokens [first_token, first_token + tokens) of one root.
Routing RootRouting(const Routing& routing, const WaveRoot& root);
Bf16Matrix RootRows(const Bf16Matrix& rows, const WaveRoot& root);
RouterResult RootRoute(const RouterResult& result, const WaveRoot& root);

// One element per root; `inputs.lora` must be null.
absl::StatusOr<std::vector<ForwardOutputs>> ForwardWave(const LayerInputs& inputs, const Wave& wave,
                                                        Accumulation accumulation);
absl::StatusOr<std::vector<BackwardOutputs>> BackwardWave(const LayerInputs& inputs,
                                                          const Wave& wave, const Bf16Matrix& dy,
                                                          Accumulation accumulation);

// N losses, never one of the concatenation.
std::vector<Losses> WaveLosses(const Layer& layer, const RouterResult& result, const Wave& wave,
                               const LossOptions& options);

}  // namespace moescope::moe::reference
