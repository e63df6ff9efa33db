; Per-head products of isa.md, 5.4: interleaved heads (M_BMV) and contiguous heads (M_BTMV), scale 0.5.
; @stage=expert_weight_prefetch pair=0
H_PREFETCH_M gp0, gp0, a0
; @stage=expert_projection pair=0
S_ADDI_INT gp1, gp0, 2          ; head slice 2
S_ADDI_INT gp2, gp0, 16
M_BMV 0, gp1, gp0
M_BMV_WO gp2, 0
S_ADDI_INT gp2, gp0, 24
M_BTMV gp1, gp0, gp0            ; the offset may come from rd
M_BMV_WO gp2, 0
