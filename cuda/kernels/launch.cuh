#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/device/group_list.cuh"
#include "cuda/packed_layout.h"
#include "moe/layer.h"

// Every kernel as a host function: plain arguments, one launch (dispatch: up to four), the error of
// the launch as result.

namespace moescope::cuda {

using Bf16 = std::uint16_t;  // the bits

struct ActivationSettings {
  moe::Activation kind = moe::Activation::kSwiglu;
  bool has_clamp = false;
  float clamp = 0;
  bool fast_math = false;
};

// ---- router ----
struct LogitArguments {
  const Bf16* x;
  const float* weights;  // [E, H]
  const float* bias;     // [E] or null
  float* logits;         // [T, E]
  int tokens, hidden, experts;
  bool round;
};
cudaError_t LaunchLogits(const LogitArguments& arguments, cudaStream_t stream);

struct SelectArguments {
  const float* logits;
  const float* correction;  // [E] or null
  std::int32_t* idx;
  float* w;
  int tokens, experts, top_k;
  moe::Router router;
  bool round;
};
cudaError_t LaunchSelect(const SelectArguments& arguments, cudaStream_t stream);

// ---- dispatch ----
inline constexpr int kDispatchChunk = 1024;  // pairs per block
inline constexpr int kDispatchCluster = 8;   // blocks that share their counts in one launch

struct DispatchArguments {
  const std::int32_t* idx;
  const float* w;
  std::int64_t pairs;
  int experts, token_tile;
  std::int32_t* chunk_count;   // [chunks, E]
  std::int32_t *count, *base;  // [E]
  std::int32_t* group_size;    // [1]
  std::int32_t* group_expert;  // [E]
  std::int32_t* group_prefix;  // [E + 1]
  std::int32_t* group_odd;     // [E + 1]
  std::int32_t* row_src;       // [rows_max]
  float* row_w;                // [rows_max]
  std::int32_t* row_of;        // [T K]
  // {first pair with an id out of range, or INT_MAX; routed rows}
  std::int32_t* status;
};
cudaError_t LaunchDispatch(const DispatchArguments& arguments, cudaStream_t stream);

// One group of `tokens` rows: the shared expert.
struct SingleGroupArguments {
  int tokens, token_tile;
  std::int32_t *count, *base, *group_size, *group_expert, *group_prefix, *group_odd;
};
cudaError_t LaunchSingleGroup(const SingleGroupArguments& arguments, cudaStream_t stream);

// ---- expert MLP ----
// One projection of all rows; see ExpertKernel.
struct ExpertArguments {
  device::GroupList groups;
  const std::int32_t* row_src;  // pair of each row; null: row = token
  const float* row_w;           // null: 1
  int top_k;
  const Bf16* tokens;           // gate/up: x [T, H]
  const std::uint8_t* weights;  // all experts
  std::int64_t expert_bytes;
  MatrixShape matrix;        // gate/up: two halves of I x H; down: H x I
  int blocks;                // matrix.column_chunks()
  const Bf16* bias;          // [E, halves * rows] or null
  bool weight_bias;          // down, PRE: bias times the row's weight
  const float* token_scale;  // down of a gated shared expert: sigma [T]; else null
  ActivationSettings activation;
  Bf16* hidden;           // gate/up: h [rows, I] unless gate and up are wanted
  Bf16 *gate, *up;        // gate/up: g0 and u0 [rows, I], or null
  const Bf16* hidden_in;  // down: h
  Bf16* out;              // down: slot outputs [T K, H], or [T, H] when row = token
  std::int64_t rows_max;
};

struct ExpertTile {
  int tokens;      // 16, 32, 64, 128
  int warpgroups;  // 1 or 2
  int cluster;     // blocks that share weights: 1, or 2 with BF16 weights and 128 tokens
  int blocks;      // persistent blocks, a multiple of `cluster`
};
// Tensor maps: weights (BF16 only) and h (down only).
cudaError_t LaunchGateUp(moe::WeightFormat format, const ExpertArguments& arguments,
                         const CUtensorMap& weights, ExpertTile tile, cudaStream_t stream);
cudaError_t LaunchDown(moe::WeightFormat format, const ExpertArguments& arguments,
                       const CUtensorMap& weights, const CUtensorMap& hidden, ExpertTile tile,
                       cudaStream_t stream);

// One thread per output, FP32 FMA chain.
cudaError_t LaunchPlainGateUp(moe::WeightFormat format, const ExpertArguments& arguments,
                              cudaStream_t stream);
cudaError_t LaunchPlainDown(moe::WeightFormat format, const ExpertArguments& arguments,
                            cudaStream_t stream);

// h from g0 and u0.
cudaError_t LaunchActivation(const ExpertArguments& arguments, cudaStream_t stream);

struct StepwiseSettings {
  int tile;
  int tiles_per_chunk;
};
cudaError_t LaunchStepwiseGateUp(moe::WeightFormat format, const ExpertArguments& arguments,
                                 StepwiseSettings order, cudaStream_t stream);
cudaError_t LaunchStepwiseDown(moe::WeightFormat format, const ExpertArguments& arguments,
                               StepwiseSettings order, const float* weight_after,
                               cudaStream_t stream);

// ---- around the experts ----
struct CombineArguments {
  const std::int32_t* idx;
  const float* w;      // POST: weight of each slot; else null
  const Bf16* slots;   // [T K, H]
  const Bf16* shared;  // [T, H] or null
  Bf16* y;
  int tokens, top_k, experts, hidden;
  bool stepwise;  // BF16 after every addition
};
cudaError_t LaunchCombine(const CombineArguments& arguments, cudaStream_t stream);

// bf(x w) per token (weighting INPUT).
cudaError_t LaunchScaleTokens(const Bf16* x, const float* w, Bf16* scaled, int tokens, int hidden,
                              cudaStream_t stream);
// sigmoid(x . gate) per token.
cudaError_t LaunchSharedGate(const Bf16* x, const Bf16* gate, float* sigma, int tokens, int hidden,
                             cudaStream_t stream);

}  // namespace moescope::cuda
