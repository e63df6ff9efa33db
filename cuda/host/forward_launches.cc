#include "cuda/forward.h"
#include "cuda/host/layer_matrices.h"

namespace moescope::cuda {

int ForwardLaunches(const Plan& plan) {
  if (plan.tokens == 0) return 0;
  constexpr int kPairsOfOneCluster = 8 * 1024;
  const int dispatch = plan.pairs() <= kPairsOfOneCluster ? 1 : 4;
  const int scale = plan.options.weighting == moe::Weighting::kInput ? 1 : 0;
  const int experts = NeedsSeparateActivation(plan.options) ? 3 : 2;
  int shared = 0;
  if (plan.options.shared.has_value()) {
    shared = 1 + experts + (plan.options.shared->gate ? 1 : 0);  // 1: its single group
  }
  return dispatch + scale + experts + shared + 1;  // 1: combine
}

}  // namespace moescope::cuda
