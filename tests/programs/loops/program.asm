; Nested hardware loops: the body of the inner one runs 2 * 3 times, and the live counters are visible.
; @stage=router_topk
C_LOOP_START gp1, 2
C_LOOP_START gp2, 3
S_ST_INT gp1, gp4, 0
S_ST_INT gp2, gp4, 1
S_ADDI_INT gp4, gp4, 2
C_LOOP_END gp2
C_LOOP_END gp1
; @stage=gather pair=0
S_ST_INT gp1, gp4, 0            ; a counter is 0 behind its loop
S_ST_INT gp4, gp4, 1
