; Elementwise vector instructions on the row -32 .. 31.
; @stage=expert_activation pair=0
S_LD_FP f1, gp0, 64             ; 2
S_LD_FP f2, gp0, 65             ; -3
S_MAP_V_FP gp0, gp0, 0
S_ADDI_INT gp1, gp0, 64
V_ADD_VV gp1, gp0, gp0
S_ADDI_INT gp1, gp0, 128
V_SUB_VF gp1, gp0, f1, 0, 1     ; 2 - x
S_ADDI_INT gp1, gp0, 192
V_MUL_VF gp1, gp0, f2
S_ADDI_INT gp1, gp0, 256
V_MAX_VF gp1, gp0, f2
S_ADDI_INT gp2, gp0, 320
V_MIN_VF gp2, gp1, f1           ; clamp to -3 .. 2
S_ADDI_INT gp1, gp0, 384
S_ADDI_INT gp3, gp0, 62
V_SHFT_V gp1, gp0, gp3          ; two lanes are left
