#include "isa/explanations.h"

namespace moescope::isa {

namespace {

constexpr Explanation kExplanations[] = {
    {"IS001", "malformed ISA document",
     "The file is no JSON, or no TOML when its name ends in .toml.", "{\"schema\": ",
     "Correct the place that the message points at, or write it again with 'isa dump'."},
    {"IS002", "another ISA document schema",
     "The file is some other JSON document, or an ISA document of another version.",
     "{\"schema\": \"moescope.profile\", \"schema_version\": 1}",
     "Give a document that 'moescope isa dump' wrote."},
    {"IS003", "key of an ISA document",
     "A key is missing, unknown, or of the wrong type; the message names the instruction.",
     "an instruction without \"summary\"", "Compare with an entry of 'moescope isa dump'."},
    {"IS004", "value of an ISA document",
     "A value is none of those allowed: a kind, presence, group, timing class, version, field or "
     "listed value that does not exist.",
     "\"timing\": \"vector_adds\"", "Use a value of schema/isa-v1.schema.json."},
    {"IS010", "two encodings share a word",
     "No bit that both fix has different values, so a decoder could take the witness word for "
     "either.",
     "opcode 0x37 with any policy, and opcode 0x37 with bits 21:18 = 15: 0x003C0037",
     "Fix a bit that tells them apart, or declare the overlap with a reason on both sides."},
    {"IS011", "malformed encoding",
     "An encoding is bit 31 to bit 0: fixed 0 and 1, - for unused bits, d a b c f i for fields.",
     "\"encoding\": \"0011\"", "Write 32 characters."},
    {"IS012", "field and operand do not fit",
     "Each field letter must be one contiguous run of the width that its operand's kind demands, "
     "and belong to exactly one operand.",
     "a gp register in a field of 3 bits", "Correct the encoding or the operand."},
    {"IS013", "mnemonic",
     "A mnemonic is a letter, then letters, digits and _, and only one instruction has it, in "
     "whatever case.",
     "two instructions named V_ADD_VV", "Rename one of them."},
    {"IS014", "semantics id used twice",
     "Two instructions with one meaning cannot be told apart by tools that go by meaning.",
     "two instructions with \"semantics\": \"V_ADD_VV\"", "Give one of them an id of its own."},
    {"IS015", "summary", "Every instruction is explained by a sentence.", "\"summary\": \"\"",
     "Write a sentence that ends with a full stop."},
    {"IS016", "declared overlap",
     "An overlap that is meant must be declared by both instructions, with a reason, and exist.",
     "only V_A says that it overlaps with V_B", "Add or remove the declaration."},
    {"IS017", "since a later version",
     "An instruction cannot be younger than the document that holds it.",
     "\"since\": \"1.2\" in a document of version 1.1", "Raise the version of the document."},
    {"IS018", "required operand behind an optional one",
     "Operands are left out from the end of the line, so the required ones come first.",
     "a mask in front of a register", "Reorder the operands."},
    {"IS019", "timing class of an HBM transfer",
     "The classes prefetch_matrix, prefetch_vector and store_vector are timed by the DMA engines, "
     "which need the transfer that an HBM base and a row or tile address describe.",
     "\"timing\": \"prefetch_matrix\" on S_ADD_INT",
     "Give the class that belongs to the operands."},
    {"PC001", "no program container",
     "The file does not begin like a container, or it ends before its sections do.",
     "a container that was cut off while it was copied", "Copy or assemble it again."},
    {"PC002", "another container format",
     "The container was written by a version of moescope with another container format.",
     "a container of format 2 read by a build that knows format 1",
     "Assemble the source again with this version."},
    {"PC003", "checksum mismatch",
     "The bytes of the header or of a section are not those that were written.",
     "a container in which one byte was changed", "Copy or assemble it again."},
    {"PC004", "malformed section",
     "A section is missing, unknown, repeated, misplaced, or its content does not fit its size.",
     "a container without the section WORD", "Assemble the source again."},
    {"PC005", "another instruction set",
     "The container names the hash of the ISA it was assembled for, and it is not the ISA in use: "
     "its words may mean something else.",
     "a program assembled with --isa and disassembled without",
     "Give the same --isa, or accept the risk with --force-isa."},
    {"PC006", "inconsistent program",
     "The parts of the container do not fit each other, for example the stage table does not cover "
     "all words.",
     "a stage table for three words in a program of one", "Assemble the source again."},
    {"PC010", "malformed stage sidecar",
     "The file is no JSON, or a key is missing, unknown or of the wrong type.",
     "{\"schema\": \"moescope.stage_table\"}", "Write it again with asm --stages-out."},
    {"PC011", "another sidecar schema",
     "The file is some other JSON document, or a sidecar of another version.",
     "{\"schema\": \"moescope.profile\", \"schema_version\": 1}",
     "Give the NAME.stages.json that asm --stages-out wrote."},
    {"PC012", "sidecar for another number of words",
     "The stage table belongs to a program of another length.",
     "a sidecar of 77 words beside a program of 78", "Write both files again from one source."},
    {"PC013", "sidecar hash mismatch",
     "The sidecar names the hash of its words and of its own table; one of them differs.",
     "a sidecar that was edited by hand", "Write both files again from one source."},
    {"PC014", "inconsistent stage table",
     "The ranges of the sidecar overlap, leave a gap, or name a stage or file that it does not "
     "list.",
     "two ranges that both begin at pc 0", "Write it again with asm --stages-out."},
};

}  // namespace

std::span<const Explanation> Explanations() { return kExplanations; }

}  // namespace moescope::isa
