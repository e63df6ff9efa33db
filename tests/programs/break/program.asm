; C_BREAK ends the program inside an open loop; nothing behind it runs.
; @stage=router_topk
C_LOOP_START gp1, 5
S_ADDI_INT gp2, gp2, 1
S_ST_INT gp2, gp0, 0
C_BREAK
C_LOOP_END gp1
