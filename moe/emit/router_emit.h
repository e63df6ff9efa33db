#pragma once

#include <cstdint>

#include "moe/emit/emission.h"

// Emitters of the stage router_topk: from the token rows to ids in INT_MEM and weights in FP_MEM.

namespace moescope::moe {

// Logits of one token by vector dot products, into FP_MEM and from there into the token's VRAM
// rows.
void EmitRouterLogitsDot(Emission& emission, std::uint32_t token);

// Logits of all tokens by the matrix unit, then each token's column blocks copied to consecutive
// rows.
void EmitRouterLogitsMatrix(Emission& emission);

// logits += br, for one token.
void EmitRouterBias(Emission& emission, std::uint32_t token);

// V_TOPK of one token over its keys: the logits, or the biased scores of sigmoid_group.
void EmitRouterSelect(Emission& emission, std::uint32_t token);

// Weights of one token from the scores of its chosen experts; V_TOPK's own are overwritten.
void EmitRouterScores(Emission& emission, std::uint32_t token);

// All of the above in order, for all tokens.
void EmitRouter(Emission& emission);

}  // namespace moescope::moe
