#pragma once

#include <functional>

#include "emulator/event.h"
#include "emulator/machine.h"

// Every fault of the emulated program (isa.md, 6) on the machine of machine_fixture.h.

namespace moescope::test {

using emulator::FaultCategory;
using emulator::MachineDescription;

struct FaultCase {
  const char* program;  // its last executed line faults
  const char* id;
  FaultCategory category;
  const char* text;
  std::function<void(MachineDescription&)> change = [](MachineDescription&) {};
  bool sanitize = false;
};

inline void Strict(MachineDescription& m) { m.dialect.strict_encoding = true; }
inline void Depth(MachineDescription& m) { m.max_loop_depth = 1; }
inline void Guard(MachineDescription& m) { m.max_loop_instructions = 3; }
inline void NoBroadcast(MachineDescription& m) { m.shape.broadcast = 1; }
inline void ManyHeads(MachineDescription& m) {
  m.shape = {.mlen = 64, .blen = 2, .vlen = 64, .hlen = 1, .broadcast = 64};
  m.memory.matrix_rows = 64;
}

constexpr auto kInstruction = FaultCategory::kIllegalInstruction;
constexpr auto kOperand = FaultCategory::kIllegalOperand;
constexpr auto kAlignment = FaultCategory::kAlignment;
constexpr auto kRange = FaultCategory::kOutOfRange;
constexpr auto kControl = FaultCategory::kControl;
constexpr auto kUnsupported = FaultCategory::kUnsupported;
constexpr auto kUninitialised = FaultCategory::kUninitialised;

// The machine of machine_fixture.h: 64 VRAM rows of 4 lanes, 4 tiles, 64 words, 64 KiB of HBM.
inline const FaultCase kFaults[] = {
    {".word 0", "FT101", kInstruction, "word 0x00000000: opcode 0x00 is not an instruction"},
    {".word 0x12345631", "FT101", kInstruction,
     "word 0x12345631: opcode 0x31 is not an instruction"},
    {".word 0x43", "FT102", kInstruction,
     "word 0x00000043: M_BMM with bits 0x00000043, which must be 0x00000003"},
    {".word 0x3C4", "FT102", kInstruction,
     "word 0x000003C4: M_BTMM with bits 0x000003C4, which must be 0x00000004"},
    {".word 0x80000034", "FT103", kInstruction, "word 0x80000034: C_BREAK with unused bits set",
     Strict},
    {".word 0x217", "FT201", kOperand, "S_ADD_FP names f register 8; the largest is 7"},
    {".word 0x22B", "FT201", kOperand, "C_SET_ADDR_REG names a register 8; the largest is 7"},
    {".word 0x00800028", "FT202", kOperand, "H_PREFETCH_M with precision 2; the largest is 1"},
    {".word 0x00080028", "FT202", kOperand, "H_PREFETCH_M with rstride 2; the largest is 1"},
    {".word 0x00800010", "FT202", kOperand, "V_SUB_VF with order 2; the largest is 1"},
    {".word 0x00080037", "FT202", kOperand, "V_TOPK with policy 2; policies are 0, 1 and 15"},
    {".word 0x6F", "FT203", kOperand, "C_LOOP_START with count 0; a loop runs at least once"},
    {".word 0x42F", "FT204", kOperand, "C_LOOP_START on gp0, which always reads 0"},
    {".word 0x30", "FT204", kOperand, "C_LOOP_END on gp0, which always reads 0"},
    {"S_ADDI_INT gp1, gp0, 4 << 8 | 5\nC_SET_TOPK_REG gp1", "FT205", kOperand,
     "gp1 = 1029 means 4 experts, top-5; top-k must be 1..experts"},
    {"S_ADDI_INT gp1, gp0, 4 << 8\nC_SET_TOPK_REG gp1", "FT205", kOperand,
     "gp1 = 1024 means 4 experts, top-0; top-k must be 1..experts"},
    {"V_TOPK gp1, gp2, gp3, 15", "FT206", kOperand,
     "V_TOPK with policy 15, but no C_SET_TOPK_REG was executed before"},
    {"M_MM_WO gp1, gp2, 0", "FT207", kOperand, "gp2 = 0 as the row stride"},

    {"S_ADDI_INT gp1, gp0, 6\nV_ADD_VV gp1, gp0, gp0", "FT301", kAlignment,
     "VRAM address 6 (gp1) is not a multiple of VLEN 4"},
    {"S_ADDI_INT gp1, gp0, 7\nV_RED_SUM f1, gp1", "FT301", kAlignment,
     "VRAM address 7 (gp1) is not a multiple of VLEN 4"},
    {"S_ADDI_INT gp1, gp0, 4\nM_BMM_WO gp1, 3", "FT301", kAlignment,
     "VRAM address 7 (gp1 + 3) is not a multiple of VLEN 4"},
    {"S_ADDI_INT gp1, gp0, 4\nH_PREFETCH_M gp1, gp0, a0", "FT302", kAlignment,
     "MRAM address 4 (gp1) is not a multiple of MLEN * MLEN = 16"},
    {"S_ADDI_INT gp1, gp0, 20\nM_MM 0, gp1, gp0", "FT303", kAlignment,
     "matrix address 20 is at element 4 of its tile; a slice begins at a multiple of BLEN * MLEN "
     "= 8 below 16"},
    {"S_ADDI_INT gp1, gp0, 3\nM_MV 0, gp1, gp0", "FT303", kAlignment,
     "matrix address 3 is at element 3 of its tile; a slice begins at a multiple of BLEN 2 below "
     "4"},
    {"S_ADDI_INT gp1, gp0, 4\nM_MV 0, gp1, gp0", "FT303", kAlignment,
     "matrix address 4 is at element 4 of its tile; a slice begins at a multiple of BLEN 2 below "
     "4"},
    {"S_ADDI_INT gp1, gp0, 2\nM_TMV 0, gp0, gp1", "FT303", kAlignment,
     "matrix address 2 is at element 2 of its tile; a slice begins at a multiple of BLEN * MLEN = "
     "8 below 16"},
    {"S_ADDI_INT gp1, gp0, 1\nM_BMM 0, gp1, gp0", "FT304", kAlignment,
     "matrix address 1 is at element 1 of its tile; a head begins at a multiple of HLEN 2 below "
     "MLEN 4"},
    {"S_ADDI_INT gp1, gp0, 2\nM_BTMV gp1, gp1, gp0", "FT304", kAlignment,
     "matrix address 4 is at element 4 of its tile; a head begins at a multiple of HLEN 2 below "
     "MLEN 4"},
    {"M_MM_WO gp0, gp0, 5", "FT305", kAlignment,
     "VRAM address 5 (gp0 + 5) is lane 1, not a multiple of BLEN 2"},
    {"S_ADDI_INT gp1, gp0, 3\nM_MV_WO gp1, 0", "FT305", kAlignment,
     "VRAM address 3 (gp1) is lane 3, not a multiple of BLEN 2"},
    {"S_ADDI_INT gp1, gp0, 6\nH_PREFETCH_V gp0, gp1, a0", "FT306", kAlignment,
     "HBM offset 6 (gp1) is not a multiple of the 4 element bytes that share a scale"},
    {"H_STORE_V gp0, gp0, a0, 1", "FT307", kAlignment,
     "STRIDE 1 is not a multiple of the 4 element bytes that share a scale"},

    {"S_ADDI_INT gp1, gp0, 256\nV_MUL_VV gp0, gp0, gp1", "FT401", kRange,
     "VRAM row 64 does not exist: there are 64, 1 too few (gp1 = 256)"},
    {"S_ADDI_INT gp1, gp0, 252\nM_MM 0, gp0, gp1", "FT401", kRange,
     "VRAM rows 63..64 do not exist: there are 64, 1 too few (gp1 = 252)"},
    {"S_ADDI_INT gp1, gp0, 252\nH_PREFETCH_V gp1, gp0, a0", "FT401", kRange,
     "VRAM rows 63..64 do not exist: there are 64, 1 too few (gp1 = 252)"},
    {"S_ADDI_INT gp1, gp0, 64\nM_MM_WO gp0, gp1, 0", "FT401", kRange,
     "VRAM rows 0..64 do not exist: there are 64, 1 too few (gp0 = 0)"},
    {"S_LUI_INT gp1, 0xFFFFF\nM_MM_WO gp0, gp1, 0", "FT401", kRange,
     "VRAM rows 0..4294963200 do not exist: there are 64, 4294963137 too few (gp0 = 0)"},
    {"S_ADDI_INT gp1, gp0, 252\nM_BMV_WO gp1, 0", "FT401", kRange,
     "VRAM rows 63..64 do not exist: there are 64, 1 too few (gp1 = 252)"},
    {"S_ADDI_INT gp1, gp0, 244\nM_BMM_WO gp1, 0", "FT401", kRange,
     "VRAM rows 61..68 do not exist: there are 64, 5 too few (gp1 = 244)"},
    {"S_ADDI_INT gp1, gp0, 256\nS_MAP_V_FP gp1, gp0, 0", "FT401", kRange,
     "VRAM row 64 does not exist: there are 64, 1 too few (gp1 = 256)"},
    {"S_ADDI_INT gp1, gp0, 64\nM_MM 0, gp1, gp0", "FT402", kRange,
     "MRAM tile 4 does not exist: there are 4, 1 too few (element address 64)"},
    {"S_ADDI_INT gp1, gp0, 64\nH_PREFETCH_M gp1, gp0, a0", "FT402", kRange,
     "MRAM tile 4 does not exist: there are 4, 1 too few (element address 64)"},
    {"S_LD_INT gp1, gp0, 64", "FT403", kRange,
     "INT_MEM word 64 does not exist: there are 64, 1 too few"},
    {"S_ST_INT gp1, gp0, 262143", "FT403", kRange,
     "INT_MEM word 262143 does not exist: there are 64, 262080 too few"},
    {"S_ADDI_INT gp3, gp0, 61\nV_TOPK gp0, gp0, gp3, 0", "FT403", kRange,
     "INT_MEM words 61..64 do not exist: there are 64, 1 too few"},
    {"S_LD_FP f1, gp0, 64", "FT404", kRange,
     "FP_MEM word 64 does not exist: there are 64, 1 too few"},
    {"S_ST_FP f1, gp0, 64", "FT404", kRange,
     "FP_MEM word 64 does not exist: there are 64, 1 too few"},
    {"S_MAP_V_FP gp0, gp0, 61", "FT404", kRange,
     "FP_MEM words 61..64 do not exist: there are 64, 1 too few"},
    {"S_ADDI_INT gp1, gp0, 62\nV_TOPK gp1, gp0, gp0, 0", "FT404", kRange,
     "FP_MEM words 62..65 do not exist: there are 64, 2 too few"},
    {"S_ADDI_INT gp1, gp0, 228\nV_TOPK gp0, gp1, gp0, 0", "FT401", kRange,
     "VRAM rows 57..64 do not exist: there are 64, 1 too few (gp1 = 228)"},
    {"S_ADDI_INT gp1, gp0, 65532\nH_PREFETCH_V gp0, gp1, a0", "FT501", kRange,
     "HBM bytes from 65536 on (4 bytes): byte 65536 is 1 beyond the last, the memory has 65536 "
     "bytes"},
    {"S_ADDI_INT gp1, gp0, 65536\nC_SET_SCALE_REG gp1\nH_STORE_V gp0, gp0, a0", "FT501", kRange,
     "HBM bytes from 65536 on (1 bytes): byte 65536 is 1 beyond the last, the memory has 65536 "
     "bytes"},
    {"S_ADDI_INT gp1, gp0, 1\nC_SET_ADDR_REG a1, gp1, gp0\nH_PREFETCH_M gp0, gp0, a1, 0, 1",
     "FT501", kRange,
     "HBM bytes from 4294967296 on (8 bytes): byte 4294967296 is 4294901761 beyond the last, the "
     "memory has 65536 bytes"},

    {"C_LOOP_END gp1", "FT601", kControl, "no loop is open that gp1 counts"},
    {"C_LOOP_START gp1, 2\nC_LOOP_START gp2, 2\nC_LOOP_END gp1\nC_LOOP_END gp2", "FT602", kControl,
     "the innermost open loop is counted by gp2 (opened at pc 1), not by gp1"},
    {"C_LOOP_START gp1, 2\nC_LOOP_START gp1, 3\nC_LOOP_END gp1\nC_LOOP_END gp1", "FT603", kControl,
     "gp1 already counts the loop opened at pc 0"},
    {"C_LOOP_START gp1, 2\nC_LOOP_START gp2, 3\nC_LOOP_END gp2\nC_LOOP_END gp1", "FT604", kControl,
     "1 loops are open; max_loop_depth is 1", Depth},
    {"C_LOOP_START gp1, 2\nS_ADDI_INT gp2, gp0, 1", "FT605", kControl,
     "the program ended while this loop, counted by gp1, was open"},
    {"C_LOOP_START gp1, 2\n.rept 3\nS_ADDI_INT gp2, gp2, 1\n.endr\nC_LOOP_END gp1", "FT606",
     kControl,
     "4 instructions since the last jump back of an open loop; MAX_LOOP_INSTRUCTIONS is 3", Guard},

    {"M_BMM 0, gp0, gp0", "FT701", kUnsupported,
     "a broadcast instruction needs BROADCAST_AMOUNT * HLEN == MLEN; this machine has 1 * 2 = 2 "
     "and MLEN 4",
     NoBroadcast},
    {"V_ADD_VV gp0, gp0, gp0, 1", "FT702", kUnsupported,
     "a masked instruction needs at most 32 heads; VLEN 64 / HLEN 1 gives 64", ManyHeads},

    {"V_ADD_VV gp0, gp0, gp0",
     "FT911",
     kUninitialised,
     "VRAM element 0 is read, but nothing wrote it (row 0, lane 0)",
     {},
     true},
    {"M_MM_WO gp0, gp0, 0\nV_RED_SUM f1, gp0",
     "FT911",
     kUninitialised,
     "VRAM element 2 is read, but nothing wrote it (row 0, lane 2)",
     {},
     true},
    {"V_TOPK gp0, gp0, gp0, 0",
     "FT911",
     kUninitialised,
     "VRAM element 0 is read, but nothing wrote it (row 0, lane 0)",
     {},
     true},
    {"H_STORE_V gp0, gp0, a0",
     "FT911",
     kUninitialised,
     "VRAM element 0 is read, but nothing wrote it (row 0, lane 0)",
     {},
     true},
    {"M_MM 0, gp0, gp0",
     "FT912",
     kUninitialised,
     "MRAM tile 0 is read, but nothing wrote it",
     {},
     true},
    {"H_PREFETCH_M gp0, gp0, a0\nM_MM 0, gp0, gp0",
     "FT911",
     kUninitialised,
     "VRAM element 0 is read, but nothing wrote it (row 0, lane 0)",
     {},
     true},
    {"S_ST_INT gp0, gp0, 3\nS_LD_INT gp1, gp0, 3\nS_LD_INT gp1, gp0, 4",
     "FT913",
     kUninitialised,
     "INT_MEM word 4 is read, but nothing wrote it",
     {},
     true},
    {"S_LD_FP f1, gp0, 5",
     "FT914",
     kUninitialised,
     "FP_MEM word 5 is read, but nothing wrote it",
     {},
     true},
    {"S_ST_FP f1, gp0, 0\nS_ST_FP f1, gp0, 1\nS_ST_FP f1, gp0, 3\nS_MAP_V_FP gp0, gp0, 0",
     "FT914",
     kUninitialised,
     "FP_MEM word 2 is read, but nothing wrote it",
     {},
     true},
};

}  // namespace moescope::test
