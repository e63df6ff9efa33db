; Head masks (HLEN 16): a disabled lane keeps the bits of the first source, and does not enter a sum.
; @stage=expert_activation pair=0
S_MAP_V_FP gp0, gp0, 0          ; ones
S_ADDI_INT gp1, gp0, 0b0101     ; heads 0 and 2
C_SET_V_MASK_REG gp1
S_ADDI_INT gp2, gp0, 64
V_ADD_VV gp2, gp0, gp0, 1
; @stage=router_topk
V_RED_SUM f1, gp0, 1
S_ST_FP f1, gp0, 100
V_RED_SUM f2, gp0
S_ST_FP f2, gp0, 101
V_RED_MAX f3, gp2, 1
S_ST_FP f3, gp0, 102
