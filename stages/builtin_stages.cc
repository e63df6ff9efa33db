#include "stages/builtin_stages.h"

#include <algorithm>
#include <cstddef>

namespace moescope::stages {

namespace {

using enum isa::Group;

constexpr std::array<BuiltinRules, kBuiltinStages.size()> kRules = {{
    {"Residual zero, the hidden-state copy into it, the RMSNorm of the MoE input and its weight.",
     "The zeroing of the accumulator: accumulator_init.",
     {kInt, kSet, kMask, kPfv, kSto, kVal, kVrd, kSfp, kSls, kMap},
     {}},
    {"From the input to (expert id, weight): router weights, logits, bias, packing, V_TOPK, "
     "C_SET_TOPK_REG, any softmax or renormalisation of the selected weights.",
     "The broadcast of a weight: expert_route_weight.",
     {kInt, kSet, kMask, kPfm, kPfv, kMat, kVal, kVex, kVrd, kVmm, kTop, kSfp, kSls, kMap},
     {{{kTop}, {kVrd, kSfp}}}},
    {"Zeroing the accumulator that expert outputs are added into.",
     "Any other zeroing: residual_setup, gather, expert_activation or expert_route_weight.",
     {kInt, kVal, kSls, kMap},
     {{{kMap}, {kVal}}}},
    {"Token rows into pair slots from HBM or VRAM, zeroing of slot padding rows.",
     "Expert weights: expert_weight_address and expert_weight_prefetch.",
     {kInt, kSet, kPfv, kVal, kSls, kMap},
     {{{kPfv}, {kVal}}}},
    {"Load of the expert id, id x stride + base, address, scale and stride registers.",
     "The prefetch itself: expert_weight_prefetch.",
     {kInt, kSet},
     {{{kSet}, {}}}},
    {"H_PREFETCH_M of expert weights and its operands.",
     "Router weights: router_topk. Shared weights: shared_expert.",
     {kInt, kSet, kPfm},
     {{{kPfm}, {}}}},
    {"Gate, up and down GEMMs, write-out, the adds that join K chunks.",
     "Bias: expert_bias. Activation: expert_activation.",
     {kInt, kMat, kVal},
     {{{kMat}, {}}}},
    {"Clamp, SwiGLU or another activation, scratch zeroing, gate x up.",
     "The multiply by the route weight: expert_route_weight.",
     {kInt, kMask, kVal, kVex, kVmm, kSfp, kSls, kMap},
     {{{kVal}, {}}}},
    {"Loading and adding gate, up and down biases.",
     "Router bias: router_topk.",
     {kInt, kSet, kPfv, kVal, kSls, kMap},
     {{{kVal}, {}}}},
    {"Broadcast of the weight, route tile zero or load, multiply of the expert output.",
     "Computing the weight: router_topk.",
     {kInt, kSet, kPfv, kVal, kSfp, kSls, kMap},
     {{{kVal}, {}}}},
    {"Adding weighted outputs into the accumulator, residual add-back.",
     "The store of the layer's output: no stage.",
     {kInt, kSet, kPfv, kSto, kVal},
     {{{kVal}, {}}}},
    {"Dense FFN of every token: addresses, prefetches, GEMMs, activation, bias.",
     "Its gate: shared_gate. Its add: shared_combine.",
     {kInt, kSet, kMask, kPfm, kPfv, kMat, kVal, kVex, kVmm, kSfp, kSls, kMap},
     {{{kMat}, {}}}},
    {"sigmoid(x . w_gate) of each token, its broadcast, multiply of the shared output.",
     "Routed weights: expert_route_weight.",
     {kInt, kSet, kPfm, kPfv, kMat, kVal, kVex, kVrd, kSfp, kSls, kMap},
     {{{kSfp}, {kVex}}}},
    {"Unweighted add of shared and routed outputs.",
     "The scatter of routed outputs: scatter_combine.",
     {kInt, kSet, kPfv, kSto, kVal},
     {{{kVal}, {}}}},
}};

constexpr std::array<std::string_view, 6> kReserved = {
    isa::kUnattributed, "other", "total", "all", "none", "self"};

}  // namespace

std::span<const BuiltinRules, kBuiltinStages.size()> AllBuiltinRules() { return kRules; }

bool IsReservedStageName(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

}  // namespace moescope::stages
