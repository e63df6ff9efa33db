; 60 experts, 4 of them chosen, through the shape register; ties go to the lower id, NaN loses.
; @stage=router_topk
S_ADDI_INT gp1, gp0, 60 << 8 | 4
C_SET_TOPK_REG gp1
S_MAP_V_FP gp0, gp0, 0
S_ADDI_INT gp2, gp0, 200
S_ADDI_INT gp3, gp0, 10
V_TOPK gp2, gp0, gp3, 15
