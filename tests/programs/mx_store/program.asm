; A row is stored as MXFP8 (E4M3, blocks of 8, rule floor) and read back: the worked block of numerics.md, 4.5.
; @stage=scatter_combine
S_ADDI_INT gp1, gp0, 256
C_SET_SCALE_REG gp1
H_STORE_V gp0, gp0, a0
; @stage=gather pair=0
S_ADDI_INT gp2, gp0, 256
H_PREFETCH_V gp2, gp0, a0
