; A row sum is a tree of neighbours: [1, 2^24, 1, -2^24] gives 1, left to right it would give 0.
; @stage=router_topk
S_MAP_V_FP gp0, gp0, 0
V_RED_SUM f1, gp0
S_ST_FP f1, gp0, 100
