; Scalar floating point: one rounding to bf16 per instruction; a NaN wins a maximum.
; @stage=router_topk
S_LD_FP f1, gp0, 0              ; 3
S_LD_FP f2, gp0, 1              ; -2
S_LD_FP f3, gp0, 2              ; 0.5
S_ADD_FP f4, f1, f2
S_ST_FP f4, gp0, 16
S_SUB_FP f4, f1, f2
S_ST_FP f4, gp0, 17
S_MUL_FP f4, f2, f3
S_ST_FP f4, gp0, 18
S_MAX_FP f4, f2, f3
S_ST_FP f4, gp0, 19
S_RECI_FP f4, f1
S_ST_FP f4, gp0, 20             ; 1/3 in bf16
S_EXP_FP f4, f0
S_ST_FP f4, gp0, 21
S_LD_FP f5, gp0, 4
S_SQRT_FP f4, f5
S_ST_FP f4, gp0, 22             ; sqrt 2 in bf16
S_ADD_FP f0, f1, f1             ; dropped
S_ST_FP f0, gp0, 23
