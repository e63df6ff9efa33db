; A row address off its granule: the run stops with a fault, and what was measured is kept.
; @stage=gather pair=3
S_ADDI_INT gp1, gp0, 7
S_ST_INT gp1, gp0, 0
V_ADD_VV gp1, gp0, gp0
S_ST_INT gp0, gp0, 0
