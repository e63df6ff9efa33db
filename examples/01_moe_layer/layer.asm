; One fused MoE layer: 4 tokens, hidden 64, 8 experts of width 64, 2 experts per token, and a shared
; expert that every token passes. The experts are chosen at run time.
;
; VRAM rows (64 elements each), 4 rows per block, one row per token or slot:
.equ ROW,         64
.equ X,           0*ROW         ; token rows
.equ LOGITS,      4*ROW
.equ ACC,         8*ROW         ; sum of the weighted expert outputs
.equ SLOT,       12*ROW         ; row 0: the token of the pair at hand; rows 1 to 3: zero
.equ GATE,       16*ROW
.equ UP,         20*ROW
.equ SIG,        24*ROW         ; scratch of the activation
.equ OUT,        28*ROW
; MRAM: one 64 x 64 tile per weight matrix.
.equ TILE,       4096
.equ TILE_GATE,  0*TILE         ; also the router
.equ TILE_UP,    1*TILE
.equ TILE_DOWN,  2*TILE
; HBM bytes. A matrix is 4,096 bytes of E4M3 elements, then 512 scale bytes.
.equ X_SCALES,   256
.equ ROUTER,     320            ; bf16
.equ MATRIX,     4608
.equ EXPERTS,    8
.equ GATE_TABLE, ROUTER + 64*64*2
.equ UP_TABLE,   GATE_TABLE + EXPERTS*MATRIX
.equ DOWN_TABLE, UP_TABLE + EXPERTS*MATRIX
.equ SHARED,     DOWN_TABLE + EXPERTS*MATRIX    ; gate, up, down
; FP_MEM and INT_MEM words.
.equ ONE,        0              ; 1.0
.equ MINUS_ONE,  1              ; -1.0
.equ WEIGHTS,    16             ; route weights, two per token
.equ ZEROS,      64             ; 64 zeros
.equ IDS,        0              ; chosen experts, two per token
.equ TOP_K,      2

; out (4 rows) = x (4 rows) times the tile: 16 groups of 4 columns.
.macro PROJECT x, tile, out
S_ADDI_INT gp1, gp0, \tile
S_ADDI_INT gp2, gp0, \x
S_ADDI_INT gp3, gp0, \out
C_LOOP_START gp4, 16
M_MM 0, gp1, gp2
M_MM_WO gp3, gp0, 0
S_ADDI_INT gp1, gp1, 4*ROW
S_ADDI_INT gp3, gp3, 4
C_LOOP_END gp4
.endm

; GATE = silu(GATE) * UP, 4 rows: x / (1 + exp(-x)), every step rounded to bf16.
.macro SWIGLU
S_LD_FP f1, gp0, ONE
S_LD_FP f2, gp0, MINUS_ONE
S_ADDI_INT gp1, gp0, GATE
S_ADDI_INT gp2, gp0, SIG
S_ADDI_INT gp3, gp0, UP
C_LOOP_START gp4, 4
V_MUL_VF gp2, gp1, f2
V_EXP_V gp2, gp2
V_ADD_VF gp2, gp2, f1
V_RECI_V gp2, gp2
V_MUL_VV gp1, gp1, gp2
V_MUL_VV gp1, gp3, gp1
S_ADDI_INT gp1, gp1, ROW
S_ADDI_INT gp2, gp2, ROW
S_ADDI_INT gp3, gp3, ROW
C_LOOP_END gp4
.endm

; One (token, expert) pair. The expert id is read from INT_MEM, so the weight addresses are dynamic.
.macro PAIR pair, token
; @stage=gather pair=\pair
S_ADDI_INT gp1, gp0, SLOT
C_LOOP_START gp4, 4
S_MAP_V_FP gp1, gp0, ZEROS
S_ADDI_INT gp1, gp1, ROW
C_LOOP_END gp4
S_ADDI_INT gp1, gp0, SLOT
S_ADDI_INT gp2, gp0, X + \token*ROW
V_ADD_VV gp1, gp1, gp2
; @stage=expert_weight_address pair=\pair
S_LD_INT gp5, gp0, IDS + \pair
S_ADDI_INT gp6, gp0, MATRIX
S_MUL_INT gp5, gp5, gp6
S_ADDI_INT gp6, gp5, GATE_TABLE
C_SET_ADDR_REG a1, gp0, gp6
S_ADDI_INT gp6, gp5, UP_TABLE
C_SET_ADDR_REG a2, gp0, gp6
S_ADDI_INT gp6, gp5, DOWN_TABLE
C_SET_ADDR_REG a3, gp0, gp6
S_ADDI_INT gp6, gp0, 4096
C_SET_SCALE_REG gp6
; @stage=expert_weight_prefetch pair=\pair
S_ADDI_INT gp1, gp0, TILE_GATE
H_PREFETCH_M gp1, gp0, a1
S_ADDI_INT gp1, gp0, TILE_UP
H_PREFETCH_M gp1, gp0, a2
S_ADDI_INT gp1, gp0, TILE_DOWN
H_PREFETCH_M gp1, gp0, a3
; @stage=expert_projection pair=\pair
PROJECT SLOT, TILE_GATE, GATE
PROJECT SLOT, TILE_UP, UP
; @lint allow=MS106 reason="SWIGLU works for the stage that asks for it"
; @stage=expert_activation pair=\pair
SWIGLU
; @stage=expert_projection pair=\pair
PROJECT GATE, TILE_DOWN, OUT
; @stage=expert_route_weight pair=\pair
S_LD_FP f3, gp0, WEIGHTS + \pair
S_ADDI_INT gp1, gp0, OUT
V_MUL_VF gp1, gp1, f3
; @stage=scatter_combine pair=\pair
S_ADDI_INT gp2, gp0, ACC + \token*ROW
V_ADD_VV gp2, gp2, gp1
; @stage_end
.endm

; @stage_end
; The token rows: MXFP8 activations, all four in one transfer.
S_ADDI_INT gp6, gp0, X_SCALES
C_SET_SCALE_REG gp6
S_ADDI_INT gp1, gp0, X
H_PREFETCH_V gp1, gp0, a0

; @lint allow=MS106 reason="PROJECT works for the stage that asks for it"
; @stage=router_topk
S_ADDI_INT gp6, gp0, ROUTER
C_SET_ADDR_REG a0, gp0, gp6
S_ADDI_INT gp1, gp0, TILE_GATE
H_PREFETCH_M gp1, gp0, a0, 0, 1
PROJECT X, TILE_GATE, LOGITS
S_ADDI_INT gp6, gp0, EXPERTS << 8 | TOP_K
C_SET_TOPK_REG gp6
S_ADDI_INT gp1, gp0, WEIGHTS
S_ADDI_INT gp2, gp0, LOGITS
S_ADDI_INT gp3, gp0, IDS
C_LOOP_START gp4, 4
V_TOPK gp1, gp2, gp3, 15
S_ADDI_INT gp1, gp1, TOP_K
S_ADDI_INT gp2, gp2, ROW
S_ADDI_INT gp3, gp3, TOP_K
C_LOOP_END gp4

; @stage=accumulator_init
S_ADDI_INT gp1, gp0, ZEROS
C_LOOP_START gp4, ROW
S_ST_FP f0, gp1, 0
S_ADDI_INT gp1, gp1, 1
C_LOOP_END gp4
S_ADDI_INT gp1, gp0, ACC
C_LOOP_START gp4, 4
S_MAP_V_FP gp1, gp0, ZEROS
S_ADDI_INT gp1, gp1, ROW
C_LOOP_END gp4

; @stage_end
PAIR 0, 0
PAIR 1, 0
PAIR 2, 1
PAIR 3, 1
PAIR 4, 2
PAIR 5, 2
PAIR 6, 3
PAIR 7, 3

; @stage=shared_expert
S_ADDI_INT gp6, gp0, SHARED
C_SET_ADDR_REG a1, gp0, gp6
S_ADDI_INT gp6, gp6, MATRIX
C_SET_ADDR_REG a2, gp0, gp6
S_ADDI_INT gp6, gp6, MATRIX
C_SET_ADDR_REG a3, gp0, gp6
S_ADDI_INT gp1, gp0, TILE_GATE
H_PREFETCH_M gp1, gp0, a1
S_ADDI_INT gp1, gp0, TILE_UP
H_PREFETCH_M gp1, gp0, a2
S_ADDI_INT gp1, gp0, TILE_DOWN
H_PREFETCH_M gp1, gp0, a3
PROJECT X, TILE_GATE, GATE
PROJECT X, TILE_UP, UP
SWIGLU
PROJECT GATE, TILE_DOWN, OUT

; @stage=shared_combine
S_ADDI_INT gp1, gp0, ACC
S_ADDI_INT gp2, gp0, OUT
C_LOOP_START gp4, 4
V_ADD_VV gp1, gp1, gp2
S_ADDI_INT gp1, gp1, ROW
S_ADDI_INT gp2, gp2, ROW
C_LOOP_END gp4
