; Pairs, experts, and a nested region whose work stays inside the stage that calls it.
; @stage=accumulator_init
S_ADDI_INT gp1, gp0, 64
C_LOOP_START gp2, 64
S_ST_FP f0, gp1, 0
S_ADDI_INT gp1, gp1, 1
C_LOOP_END gp2
; @stage=expert_projection pair=0 expert=5
S_ADDI_INT gp3, gp0, 64
; @stage_push=ksplit_add
V_ADD_VV gp3, gp3, gp3
; @stage_pop
V_ADD_VV gp3, gp3, gp3
; @stage_end
S_ADDI_INT gp4, gp0, 1
