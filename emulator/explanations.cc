#include "emulator/explanations.h"

namespace moescope::emulator {

namespace {

constexpr Explanation kExplanations[] = {
    {"CF001", "machine file cannot be read",
     "The file does not exist, is a folder, may not be read, or is larger than 1 MiB; and no "
     "built-in machine has that name.",
     "--machine=plena-46", "Give a file, or one of plena-64, rtl-8 and analytic."},
    {"CF002", "machine file is not TOML", "The text breaks the syntax of TOML at the place given.",
     "BLEN.value =", "Correct the line; a value must follow the equals sign, tables are [NAME]."},
    {"CF003", "missing key",
     "A key that every machine file must have is not there. Nothing is assumed for it.",
     "[TRANSACTIONAL.CONFIG]",
     "Add the key, or run with --settings-fallback=defaults to take the built-in machine's "
     "values."},
    {"CF004", "value of the wrong type",
     "A number, truth value, text or table was needed and something else stands there.",
     "BLEN.value = \"4\"", "Write the value as the message says."},
    {"CF005", "unknown key",
     "The machine file holds a key that no machine has; it would have no effect.",
     "[MOESCOPE.hbm]\nchanels = 8",
     "Use the suggested name, or allow such keys with --allow-unknown-keys."},
    {"CF006", "key given twice", "A key or table is defined a second time.",
     "BLEN.value = 4\nBLEN.value = 8", "Keep one of the two."},
    {"CF007", "unknown choice", "The value is not one of the words that the key takes.",
     "[MOESCOPE.timing]\nmodel = \"fast\"", "Use one of the words in the message."},
    {"CF008", "malformed override", "An override is a key, an equals sign and a value.",
     "--set BLEN", "Write --set BLEN=8."},
    {"CF009", "override of an unknown key", "No key of a machine has this name.", "--set BLENN=8",
     "Use the suggested name; machine show lists all of them."},
    {"CF010", "ambiguous override", "Several keys end in this name.", "--set model=serial",
     "Write more of the path, as in --set timing.model=serial."},
    {"CF012", "value too small", "The value lies below the least that makes sense.",
     "BLEN.value = 0", "Use at least the value in the message."},
    {"CF013", "value too large",
     "The value lies above what the machine or this program can represent.",
     "[MOESCOPE]\nint_sram_words = 99999999", "Use at most the value in the message."},
    {"CF014", "value of the wrong granule",
     "HBM_SIZE is a multiple of 64 bytes, the number of channels a power of two.",
     "[MOESCOPE.hbm]\nchannels = 6", "Use a value of that kind."},
    {"CF015", "values that contradict each other",
     "VLEN equals MLEN, BLEN divides MLEN, and HLEN divides VLEN.", "BLEN.value = 5",
     "Change one of the two values."},
    {"CF016", "number format that is not legal here",
     "Vector SRAM and scalars are bf16; Plain formats have 8 or 16 bits; Mx elements 4 to 8 bits "
     "with an E8M0 scale, in blocks that divide MLEN.",
     "[TRANSACTIONAL.PRECISION.HBM_M_KV_TYPE]\nblock = 7", "Use a format that the message allows."},
    {"CF017", "format and its tables disagree",
     "format = \"Plain\" goes with DATA_TYPE, format = \"Mx\" with block, ELEM and SCALE.",
     "format = \"Plain\"\nELEM = { type = \"Fp\", sign = true, exponent = 4, mantissa = 3 }",
     "Change format, or the table below it."},
    {"CF018", "scale rule under the reference convention",
     "The reference convention has its own rule for scales, so none can be chosen.",
     "[MOESCOPE]\nconvention = \"reference\"\nscale_rule = \"floor\"",
     "Remove scale_rule, or use convention = \"ocp\"."},
    {"CF020", "cost of an unknown instruction",
     "A [MOESCOPE.timing.cost] table names something that is not an instruction.",
     "[MOESCOPE.timing.cost.M_MMM]", "Use the suggested mnemonic."},
    {"CF021", "cost that is no number of cycles",
     "result and interval are integers or formulas of B, M, V, H (and N for V_TOPK) with + - * / "
     "clog2() max(); divisions must be exact, and the value at least 1. H_* are timed by the DMA "
     "engines and the HBM and have no cost of their own.",
     "[MOESCOPE.timing.cost.M_MM]\nresult = \"M/7\"", "Correct the formula."},

    {"FT101", "word that is not an instruction",
     "The program reached a word whose opcode no instruction has. Words that are never reached do "
     "no harm.",
     ".word 0x00000000", "Assemble the program again, or find out what jumped here."},
    {"FT102", "fixed field that is not zero", "M_BMM and M_BTMM have no destination: rd must be 0.",
     ".word 0x00000043", "Use M_BMV or M_BTMV for an address in rd."},
    {"FT103", "unused bits set",
     "The machine decodes strictly, and the word has a bit set that no field of the instruction "
     "uses.",
     ".word 0x80000034", "Assemble the program again, or run without strict_encoding."},
    {"FT201", "register that does not exist",
     "A word names an f or a register above 7. The assembler refuses such lines.",
     ".word 0x00000217", "Use f0..f7 and a0..a7."},
    {"FT202", "reserved value in a field",
     "rstride, precision and order are 0 or 1, a V_TOPK policy is 0, 1 or 15.", ".word 0x00800028",
     "Use one of the legal values."},
    {"FT203", "loop count 0", "C_LOOP_START with immediate 0; a loop body runs at least once.",
     ".word 0x0000006F", "Use a count of 1 or more, or leave the loop out."},
    {"FT204", "loop on gp0", "gp0 always reads 0, so it cannot count.", ".word 0x0000042F",
     "Count the loop with gp1..gp15."},
    {"FT205", "top-k shape that is impossible",
     "C_SET_TOPK_REG takes (experts << 8) | k with 1 <= k <= experts.",
     "S_ADDI_INT gp1, gp0, 4 << 8 | 5\nC_SET_TOPK_REG gp1",
     "Load a shape whose k does not exceed the number of experts."},
    {"FT206", "policy 15 before C_SET_TOPK_REG",
     "V_TOPK with policy 15 takes its shape from a register that nothing set.",
     "V_TOPK gp1, gp2, gp3, 15", "Execute C_SET_TOPK_REG first; its value stays."},
    {"FT207", "write-out stride 0",
     "M_MM_WO names a stride register that holds 0, so all rows would fall on one.",
     "M_MM_WO gp1, gp2, 0", "Load a stride of at least 1, or write gp0 for a stride of one row."},
    {"FT301", "VRAM address inside a row",
     "Vector instructions work on whole rows: an address is a multiple of VLEN.",
     "S_ADDI_INT gp1, gp0, 1\nV_ADD_VV gp1, gp0, gp0", "Use the address of a row."},
    {"FT302", "MRAM address inside a tile",
     "H_PREFETCH_M fills whole tiles: its destination is a multiple of MLEN * MLEN.",
     "S_ADDI_INT gp1, gp0, 64\nH_PREFETCH_M gp1, gp0, a0", "Use the address of a tile."},
    {"FT303", "matrix slice off its granule",
     "M_MM, M_TMM and M_TMV begin at every BLEN-th row of a tile, M_MV at every BLEN-th element of "
     "its first row.",
     "S_ADDI_INT gp1, gp0, 64\nM_MM 0, gp1, gp0",
     "Add a multiple of BLEN * MLEN (M_MV: BLEN) to the address of the tile."},
    {"FT304", "head off its granule",
     "Broadcast instructions begin at a multiple of HLEN within the first row of a tile.",
     "S_ADDI_INT gp1, gp0, 8\nM_BMM 0, gp1, gp0",
     "Add a multiple of HLEN below MLEN to the address of the tile."},
    {"FT305", "write-out off its granule",
     "M_MM_WO and M_MV_WO write BLEN lanes from a multiple of BLEN on.", "M_MM_WO gp0, gp0, 2",
     "Use a lane that is a multiple of BLEN."},
    {"FT306", "HBM offset inside a scaled block",
     "The offset of an Mx transfer is a multiple of the element bytes that share one scale, else "
     "the scale address would not be whole.",
     "S_ADDI_INT gp1, gp0, 4\nH_PREFETCH_V gp0, gp1, a0", "Move the offset to the next block."},
    {"FT307", "STRIDE inside a scaled block",
     "The stride of an Mx transfer is a multiple of the element bytes that share one scale.",
     "H_PREFETCH_V gp0, gp0, a0, 1", "Set STRIDE to the bytes of one tensor row first."},
    {"FT401", "VRAM row that does not exist",
     "An instruction touches a row at or above VECTOR_SRAM_SIZE.",
     "S_LUI_INT gp1, 65536\nV_ADD_VV gp1, gp0, gp0",
     "Check the address, or give the machine more rows."},
    {"FT402", "MRAM tile that does not exist",
     "An instruction touches a tile beyond floor(MATRIX_SRAM_SIZE / MLEN).",
     "S_LUI_INT gp1, 64\nM_MM 0, gp1, gp0", "Check the address, or give the machine more rows."},
    {"FT403", "INT_MEM word that does not exist", "A word index is at or above int_sram_words.",
     "S_LD_INT gp1, gp0, 1024", "Check the address, or raise int_sram_words."},
    {"FT404", "FP_MEM word that does not exist", "A word index is at or above fp_sram_words.",
     "S_ST_FP f1, gp0, 1024", "Check the address, or raise fp_sram_words."},
    {"FT501", "HBM byte that does not exist",
     "A transfer touches a byte at or above HBM_SIZE. Reads past a tensor are legal, reads past "
     "the memory are not.",
     "S_ADDI_INT gp1, gp0, 4\nC_SET_ADDR_REG a0, gp1, gp0\nH_PREFETCH_V gp0, gp0, a0",
     "Check base, offset, SCALE and STRIDE, or give the machine more HBM."},
    {"FT601", "loop end without a loop", "C_LOOP_END, but no loop is open.", "C_LOOP_END gp1",
     "Open the loop with C_LOOP_START on the same register."},
    {"FT602", "loop end of another loop",
     "C_LOOP_END names a register that does not count the innermost open loop.",
     "C_LOOP_START gp1, 2\nC_LOOP_START gp2, 2\nC_LOOP_END gp1\nC_LOOP_END gp2",
     "Close loops in the reverse order of opening them."},
    {"FT603", "loop register in use", "C_LOOP_START on a register that counts an open loop.",
     "C_LOOP_START gp1, 2\nC_LOOP_START gp1, 2\nC_LOOP_END gp1\nC_LOOP_END gp1",
     "Count the inner loop with another register."},
    {"FT604", "too many open loops", "The machine has a max_loop_depth, and it is reached.",
     "C_LOOP_START gp1, 2\nC_LOOP_START gp2, 2\nC_LOOP_END gp2\nC_LOOP_END gp1",
     "Unroll one of the loops, or raise max_loop_depth."},
    {"FT605", "program ends inside a loop", "The program ran past its last word with a loop open.",
     "C_LOOP_START gp1, 2", "Add the missing C_LOOP_END."},
    {"FT606", "too many instructions in a loop",
     "More than MAX_LOOP_INSTRUCTIONS instructions were executed since the last jump back of an "
     "open loop.",
     "C_LOOP_START gp1, 2\n.rept 8\nS_ADDI_INT gp2, gp2, 1\n.endr\nC_LOOP_END gp1",
     "Raise MAX_LOOP_INSTRUCTIONS, or set it to 0 to switch the guard off."},
    {"FT701", "machine without broadcast",
     "Broadcast instructions need BROADCAST_AMOUNT * HLEN == MLEN.", "M_BMM 0, gp0, gp0",
     "Run on a machine whose shape has that property."},
    {"FT702", "mask of more than 32 heads",
     "V_MASK has 32 bits, and the machine has more heads (VLEN / HLEN).",
     "V_ADD_VV gp0, gp0, gp0, 1", "Run on a machine with at most 32 heads, or without masks."},
    {"FT703", "instruction without semantics",
     "The instruction comes from an ISA document whose semantics id this build does not know.",
     "V_NEW gp1, gp2", "Run with a build that has it."},
    {"FT901", "deadlock",
     "No event is pending and the program has not ended. The report names who waits for what.",
     "H_PREFETCH_M gp0, gp0, a0",
     "Report it: a shipped timing model must not deadlock, whatever the program."},
    {"FT911", "VRAM lane that nothing wrote",
     "Under --sanitize, an instruction read a lane that no image and no instruction had written. "
     "Memories start as zeros, but a program that relies on it is fragile.",
     "V_ADD_VV gp0, gp0, gp0", "Write the row first, or load it from an image."},
    {"FT912", "MRAM tile that nothing wrote",
     "Under --sanitize, a matrix instruction read a tile that no prefetch had filled.",
     "M_MM 0, gp0, gp0", "Prefetch the tile first."},
    {"FT913", "INT_MEM word that nothing wrote",
     "Under --sanitize, S_LD_INT read a word that no image and no instruction had written.",
     "S_LD_INT gp1, gp0, 0", "Write the word first, or load it from an image."},
    {"FT914", "FP_MEM word that nothing wrote",
     "Under --sanitize, S_LD_FP or S_MAP_V_FP read a word that no image and no instruction had "
     "written.",
     "S_LD_FP f1, gp0, 0", "Write the word first, or load it from an image."},

    {"IM001", "image cannot be read", "The file does not exist, is a folder, or may not be read.",
     "--hbm=missing.bin", "Check the path."},
    {"IM002", "image larger than its memory",
     "An image holds more bytes than the memory it goes to.", "--intsram=5000-bytes.bin",
     "Cut the image, or give the machine a larger memory."},
    {"IM003", "image with a cut-off element",
     "The length of the image is not a whole number of elements: 2 bytes in vram and fpsram, 4 in "
     "intsram.",
     "--vram=3-bytes.bin", "Write the image again."},
    {"IM011", "dump range outside of the memory",
     "A dump range is MEMORY:FIRST..LAST, both inclusive and inside the memory.",
     "--dump-range=vram:0..99999999", "Use a range that exists."},
    {"IM012", "dump cannot be written", "The folder does not exist or may not be written.",
     "--dump-dir=missing", "Create the folder, or choose another."},

    {"LM001", "cycle limit reached",
     "The run ended before the first instruction at which --max-cycles cycles had passed. All "
     "outputs are written and marked incomplete.",
     "--max-cycles=1000", "Raise the limit."},
    {"LM002", "instruction limit reached",
     "The run executed --max-instructions instructions. All outputs are written and marked "
     "incomplete.",
     "--max-instructions=1000", "Raise the limit."},
    {"LM003", "time limit reached",
     "The run took longer than --timeout. All outputs are written and marked incomplete; where it "
     "was cut depends on the host.",
     "--timeout=1", "Raise the limit."},
    {"LM004", "run interrupted",
     "SIGINT or SIGTERM ended the run between two instructions. All outputs are written and marked "
     "incomplete.",
     "Ctrl-C", "Run again."},
};

}  // namespace

std::span<const Explanation> Explanations() { return kExplanations; }

std::string_view EndReasonId(EndReason reason) {
  switch (reason) {
    case EndReason::kMaxCycles:
      return "LM001";
    case EndReason::kMaxInstructions:
      return "LM002";
    case EndReason::kTimeout:
      return "LM003";
    case EndReason::kInterrupt:
      return "LM004";
    case EndReason::kDeadlock:
      return "FT901";
    case EndReason::kEnd:
    case EndReason::kBreak:
    case EndReason::kFault:
      return "";
  }
  return "";
}

}  // namespace moescope::emulator
