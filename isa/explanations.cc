#include "isa/explanations.h"

namespace moescope::isa {

namespace {

constexpr Explanation kExplanations[] = {
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
