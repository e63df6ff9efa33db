#pragma once

#include <string>

#include "absl/strings/str_replace.h"

// A small MoE layer (one token, two pairs, a gated shared expert) with markers in order: lint has
// nothing to say about it. Tests damage it.

namespace moescope::test {

// The parts of one pair; %P is its number.
inline constexpr char kPairPart[] = R"(; @stage=gather pair=%P
S_LD_INT gp1, gp0, %P
H_PREFETCH_V gp2, gp1, a0, 1, 0
; @stage=expert_weight_address pair=%P
S_LD_INT gp2, gp1, 8
S_ADDI_INT gp3, gp0, 4608
S_MUL_INT gp4, gp2, gp3
S_ADD_INT gp5, gp5, gp4
C_SET_ADDR_REG a1, gp0, gp5
; @stage=expert_weight_prefetch pair=%P
H_PREFETCH_M gp8, gp6, a1, 1, 0
; @stage=expert_projection pair=%P
C_LOOP_START gp4, 4
C_LOOP_START gp5, 2
M_MM 0, gp6, gp7
C_LOOP_END gp5
M_MM_WO gp8, gp0, 0
C_LOOP_END gp4
; @stage=expert_bias pair=%P
V_ADD_VV gp7, gp7, gp6
; @stage=expert_activation pair=%P
V_EXP_V gp1, gp1
V_MUL_VV gp1, gp1, gp2
; @stage=expert_route_weight pair=%P
S_LD_FP f1, gp0, %P
V_MUL_VF gp1, gp1, f1
; @stage=scatter_combine pair=%P
V_ADD_VV gp3, gp3, gp1
)";

inline std::string MarkedProgram() {
  std::string text = R"(; @stage=residual_setup
V_ADD_VV gp1, gp1, gp2
; @stage=router_topk
C_LOOP_START gp4, 4
M_MM 0, gp6, gp7
M_MM_WO gp8, gp0, 0
C_LOOP_END gp4
V_TOPK gp1, gp2, gp3, 0
; @stage=accumulator_init
C_LOOP_START gp4, 64
S_ST_FP f0, gp1, 0
C_LOOP_END gp4
S_MAP_V_FP gp2, gp1, 0
)";
  for (const char* pair : {"0", "1"}) {
    text += absl::StrReplaceAll(kPairPart, {{"%P", pair}});
  }
  text += R"(; @stage=shared_expert
S_LD_INT gp2, gp1, 0
S_MUL_INT gp4, gp2, gp3
C_SET_ADDR_REG a1, gp0, gp4
H_PREFETCH_M gp8, gp6, a1, 1, 0
M_MM 0, gp6, gp7
M_MM_WO gp8, gp0, 0
V_EXP_V gp1, gp1
; @stage=shared_gate
V_RED_SUM f1, gp1
S_EXP_FP f1, f1
V_MUL_VF gp1, gp1, f1
; @stage=shared_combine
V_ADD_VV gp3, gp3, gp1
)";
  return text;
}

}  // namespace moescope::test
