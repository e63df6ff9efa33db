; The four products of isa.md, 5.4 on a machine with MLEN 4 and BLEN 2: tile 1..16 row-major.
; @stage=expert_weight_prefetch pair=0
H_PREFETCH_M gp0, gp0, a0
; @stage=expert_projection pair=0
S_ADDI_INT gp1, gp0, 8          ; row-granular address: c = 2
M_MM 0, gp1, gp0
S_ADDI_INT gp2, gp0, 16
M_MM_WO gp2, gp0, 0
M_TMM 0, gp0, gp1
M_MM_WO gp2, gp0, 2             ; lanes 2 and 3
S_ADDI_INT gp3, gp0, 2          ; element-granular address: c = 2
M_MV 0, gp3, gp0
S_ADDI_INT gp2, gp0, 24
M_MV_WO gp2, 0
M_TMV 0, gp0, gp1
M_MV_WO gp2, 2
