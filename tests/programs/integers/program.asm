; 32-bit constants, wrap-around, gp0, and memory with an offset.
; @stage=expert_weight_address pair=0
S_LUI_INT gp1, hi(0xDEADBEEF)
S_ADDI_INT gp1, gp1, lo(0xDEADBEEF)
S_ST_INT gp1, gp0, 0
S_ADDI_INT gp2, gp0, 1
S_SUB_INT gp3, gp0, gp2         ; 0 - 1
S_ST_INT gp3, gp0, 1
S_ADD_INT gp4, gp3, gp2         ; wraps to 0
S_ST_INT gp4, gp0, 2
S_MUL_INT gp5, gp3, gp3         ; low 32 bits of (2^32 - 1)^2
S_ST_INT gp5, gp0, 3
S_ADDI_INT gp0, gp0, 0          ; the no-op
S_LD_INT gp6, gp2, 2            ; INT_MEM[3]
S_ADDI_INT gp6, gp6, 262143
S_ST_INT gp6, gp2, 3
