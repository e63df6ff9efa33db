#include "asm/explanations.h"

namespace moescope::assembler {

namespace {

constexpr Explanation kExplanations[] = {
    {"AS001", "unknown mnemonic",
     "The first word of a statement is neither an instruction of the ISA in use nor a macro. A "
     "name "
     "with a colon is no label: labels do not exist. An instruction of a newer ISA version is "
     "named "
     "with the version that brought it.",
     "S_ADDI gp1, gp0, 5",
     "Use the suggested name. Write loops with C_LOOP_START and C_LOOP_END. For a newer "
     "instruction "
     "assemble without --isa, or with a document of that version."},
    {"AS002", "known name without an instruction",
     "Public opcode headers name V_PS_V and C_HADAMARD_TRANSFORM, but no public source says what "
     "they do, so this ISA has no such instruction.",
     "V_PS_V gp1, gp2, 0", "Write the operation with the instructions of the ISA."},
    {"AS003", "unknown directive",
     "The directives are .equ, .include, .macro, .endm, .rept, .endr and .word.",
     ".eqv SIZE, 64\nC_BREAK", "Use the suggested name."},
    {"AS004", "wrong number of operands",
     "An instruction, directive or macro got fewer or more operands than it takes, or a comma or "
     "an "
     "operand is missing.",
     "S_ADDI_INT gp1, gp0",
     "Write the operands that the reference page of the instruction shows; immediates cannot be "
     "left out."},
    {"AS005", "wrong kind of operand",
     "An operand is a register of another file, a number where a register is needed, or a register "
     "where a number is needed.",
     "S_ADD_INT gp1, gp2, f3",
     "Use gp for integers and addresses, f for scalars, a for HBM bases."},
    {"AS006", "placeholder is not 0",
     "Some lines have an operand that is not encoded: the first of 'M_MM 0, gp, gp', or a trailing "
     "0 that older programs write. Its value would be lost.",
     "M_MM gp1, gp2, gp3", "Write 0."},
    {"AS007", "register out of range",
     "There are gp0..gp15, f0..f7 and a0..a7; a number beyond them never wraps into another field.",
     "S_ADD_FP f8, f1, f2", "Use a register that exists."},
    {"AS008", "value out of range",
     "An immediate has 18 or 22 bits, a mask 4 bits, a .word 32 bits, a .rept count is not "
     "negative.",
     "S_ADDI_INT gp1, gp0, 262144",
     "Build a larger constant of two instructions: S_LUI_INT gp1, hi(value) and S_ADDI_INT gp1, "
     "gp1, lo(value)."},
    {"AS009", "negative immediate",
     "Immediates are extended with zeros, so no instruction has a negative one.",
     "S_ADDI_INT gp1, gp0, -1",
     "Load the magnitude into a register and subtract it with S_SUB_INT."},
    {"AS010", "reserved value",
     "rstride, precision and order are 0 or 1; a V_TOPK policy is 0, 1 or 15; a loop count is at "
     "least 1; gp0 cannot count a loop. Other values fault when they are executed.",
     "V_TOPK gp1, gp2, gp3, 2", "Use one of the legal values."},
    {"AS011", "undefined symbol",
     "A name in an expression has no .equ before this line and no -D on the command line, or a "
     "macro uses a parameter that it does not have.",
     "S_ADDI_INT gp1, gp0, SIZE",
     "Define the name in front of its first use. Names are case-sensitive."},
    {"AS012", "defined twice",
     "A symbol, macro or macro parameter has this name already, or the name belongs to an "
     "instruction, a register or a function.",
     ".equ SIZE, 1\n.equ SIZE, 2\nC_BREAK", "Choose another name."},
    {"AS013", "malformed number or expression",
     "Numbers are decimal, 0x hex or 0b binary; expressions are computed in 64-bit signed "
     "arithmetic, where overflow, division by zero and shift counts outside 0..63 are errors.",
     "S_ADDI_INT gp1, gp0, 1/0", "Correct the marked part."},
    {"AS014", "include not found, cyclic, or nested too deeply",
     "An included file is searched in the folder of the file that includes it and then in each -I "
     "folder. Includes, macros and repetitions nest at most 64 deep; a file cannot include itself.",
     ".include \"missing.inc\"\nC_BREAK", "Add the folder with -I, or break the cycle."},
    {"AS015", "block without end, or end without block",
     "Each .macro needs its .endm and each .rept its .endr in the same file, and blocks may nest "
     "but not cross.",
     ".rept 2\nC_BREAK", "Close the block that the message names."},
    {"AS016", "character not allowed here",
     "Outside of comments only the characters of the grammar occur. Comments begin with ';' or "
     "'//', never with '#'; other languages and symbols belong into comments.",
     "S_ADDI_INT gp1, gp0, #5", "Remove the character or move it into a comment."},
    {"AS017", "no instruction in the input",
     "The input holds no instruction and no .word, so there is nothing to write.",
     "; only a comment", "Check that the right file was given."},
    {"AS018", "expansion too large",
     "Includes, macros and repetitions may give 2,097,152 lines and 64 MiB of text.",
     ".rept 3000000\nC_BREAK\n.endr",
     "Use a hardware loop, or generate the program with the Builder."},
    {"AS101", "result is dropped",
     "gp0 and f0 always read as zero and ignore writes. The idiom S_ADDI_INT gp0, gp0, 0 (no "
     "operation) is not reported.",
     "S_ADDI_INT gp0, gp0, 5", "Use another destination, or --rule AS101=off."},
    {"AS102", "stage marker without instructions",
     "No instruction stands between this marker and the next marker or the end, or only "
     "instructions after a C_BREAK. The stage would count nothing here.",
     "; @stage=gather\n; @stage=expert_bias\nC_BREAK", "Remove the marker."},
    {"AS103", "instructions after C_BREAK",
     "C_BREAK ends the program and there are no conditional jumps, so nothing after it runs.",
     "C_BREAK\nS_ADDI_INT gp1, gp0, 5", "Remove C_BREAK or what follows it."},
    {"AS104", "loops do not match",
     "C_LOOP_END must name the register of the innermost open loop, a register counts one open "
     "loop at a time, and every loop is closed. Otherwise the program faults at run time.",
     "C_LOOP_END gp1", "Pair each C_LOOP_START with a C_LOOP_END of the same register."},
    {"AS105", "loop register is written in its loop",
     "C_LOOP_END uses the live register: a write in the body changes the number of passes.",
     "C_LOOP_START gp1, 4\nS_ADDI_INT gp1, gp0, 1\nC_LOOP_END gp1",
     "Use another register in the body."},
    {"AS106", "loop register is read in its loop",
     "The register counts down from n to 1 in this ISA, but the released RTL keeps the count "
     "elsewhere, so a program that reads it behaves differently there.",
     "C_LOOP_START gp1, 4\nS_ADD_INT gp2, gp2, gp1\nC_LOOP_END gp1",
     "Count in a register of your own."},
    {"AS107", "upper immediate loses bits",
     "S_LUI_INT shifts its 22-bit immediate by 12 into a 32-bit register: bits 20 and 21 are lost.",
     "S_LUI_INT gp1, 0x100000", "Use hi(value) of a value below 2^32."},
    {"AS108", "mask above 1",
     "A mask of 0 means no mask; every other value means that V_MASK is used.",
     "V_EXP_V gp1, gp2, 2", "Write 1."},
    {"PC020", "malformed word",
     "A word file holds words of one to eight hex digits with or without 0x, separated by blanks, "
     "and comments that begin with ';' or '//'.",
     "0x00014062 0xZZ", "Correct the token, or name the file .asm if it is assembly."},
    {"PC021", "no word in the input", "The file holds no word.", "; only a comment",
     "Check that the right file was given."},
    {"PC022", "size is no multiple of four",
     "A binary program is a sequence of 32-bit little-endian words.", "a file of 7 bytes",
     "Check that the file is complete."},
};

}  // namespace

std::span<const Explanation> Explanations() { return kExplanations; }

}  // namespace moescope::assembler
