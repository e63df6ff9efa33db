#include "profiler/explanations.h"

namespace moescope::profiler {

namespace {

constexpr Explanation kExplanations[] = {
    {"PV01", "the structure is not that of a profile",
     "The file breaks profile-v1.schema.json, holds a floating-point number or a key twice, has "
     "its keys in another order or other blanks, lists a stage that its vocabulary lacks, or "
     "neither has a field nor says in not_measured why not.",
     "p.json: PV01: /end: 'colour' is not a known member",
     "Take the file as 'moescope run' wrote it; tools that print JSON anew change its bytes."},
    {"PV02", "cycles of the stages are not those of the run",
     "Every cycle belongs to exactly one stage, so the cycles of all stages sum to totals.cycles, "
     "and those are the cycle in which the run ended.",
     "p.json: PV02: cycles: totals != end.cycle (245 != 246)",
     "Profile the program again; a sum that is wrong in a fresh file is a defect to report."},
    {"PV03", "instructions of the stages are not those of the run",
     "Executed instructions of all stages sum to totals.instructions, words of all stages to "
     "totals.static_instructions and program.words.",
     "p.json: PV03: static_instructions: stages sum != totals (11 != 10)",
     "Profile the program again."},
    {"PV04", "reasons do not split the cycles",
     "The cycles of every block are split by reason without a rest, the reasons of all stages sum "
     "to the totals, only reasons of model.reasons occur, 'other' is 0, and waits_on sums to the "
     "reasons of waiting of its stage.",
     "p.json: PV04: totals: reasons sum != cycles (246 != 245)", "Profile the program again."},
    {"PV05", "bytes of the stages are not those of the run",
     "Each of the ten byte and line counts of hbm.read and hbm.write sums over the stages to the "
     "totals.",
     "p.json: PV05: hbm.read.logical_bytes: stages sum != totals (5120 != 5121)",
     "Profile the program again."},
    {"PV06", "instructions by mnemonic are not those of the run",
     "The opcodes of a stage sum to the stage, those of all stages to the list of opcodes, that "
     "list to the totals, its waits to the reasons of waiting, and FLOPs of all stages to the "
     "totals.",
     "p.json: PV06: stage 'router_topk': cycles of its opcodes != stage (2 != 3)",
     "Profile the program again."},
    {"PV07", "pairs are not parts of the run",
     "The rows of pairs and what has no pair sum to the totals in every counter, the stages of a "
     "pair to the pair; rows ascend, and an observed expert is the one in routing.ids.",
     "p.json: PV07: pair 0: stages != pair in instructions (5 != 6)", "Profile the program again."},
    {"PV08", "experts are not parts of the run",
     "The rows of experts and what has no expert sum to the totals in every counter; each row says "
     "how many pairs name it; routing.counts counts what routing.ids lists.",
     "p.json: PV08: expert 3: pairs != rows of pairs (2 != 1)", "Profile the program again."},
    {"PV09", "a unit is busy longer than there is time",
     "The busy cycles of a unit sum over the stages to the totals, and no unit is busy for more "
     "than the cycles of the run times its instances.",
     "p.json: PV09: unit 'vx_red': stages sum != totals (40 != 41)", "Profile the program again."},
    {"PV10", "byte counts that no transfer can have",
     "HBM moves lines of 64 bytes in bursts of 16, so physical bytes are 64 times the lines and "
     "burst bytes a multiple of 16; bytes read again, or to complete a line, are some of the "
     "bytes read.",
     "p.json: PV10: stage 'gather': hbm.read.burst_bytes 641 is not a multiple of 16",
     "Profile the program again."},
    {"PV11", "nested regions do not sum up",
     "The paths sum to the totals, those that end in a stage to the stage, and the inclusive "
     "counts of a stage are its own and those nested in it.",
     "p.json: PV11: stage 'gather': inclusive != self + nested in cycles (2 != 1)",
     "Profile the program again."},
    {"PV12", "the timeline does not sum up",
     "The bins have one width, a power of two; the cycles of all stages fill each bin; the bins of "
     "a stage sum to its cycles, and bytes to the physical bytes of the run.",
     "p.json: PV12: timeline: bin_cycles 3 is not a power of two", "Profile the program again."},
    {"PV13", "calls or first and last cycle contradict the counts",
     "A stage has calls and a first cycle exactly when it executed an instruction, no more calls "
     "than instructions, and its last cycle lies between its first and the end of the run.",
     "p.json: PV13: stage 'router_topk': calls 0 with 1 instructions",
     "Profile the program again."},
    {"PV14", "a derived value is not what its sources give",
     "Shares, utilisations, rooflines, times and the routing tax are computed anew, rounded down, "
     "and must be equal to what the file says.",
     "p.json: PV14: stage 'router_topk': cycle_share_ppm (12245 != 12244)",
     "Do not edit derived values; profile the program again."},
    {"PV15", "a hash is not that of what it names",
     "The hashes of the machine's configuration, of the vocabulary and of the file are computed "
     "anew. A file that was changed after it was written fails here.",
     "p.json: PV15: profile_sha256 (sha256:0000...",
     "Take the file as it was written; nothing in it may be edited."},
    {"PV16", "the caveat is not the constant text",
     "Every profile carries the same warning about ratios between shared and routed stages, byte "
     "for byte.",
     "p.json: PV16: caveats.shared_vs_routed is not the constant text",
     "Take the file as it was written."},
    {"PV17", "complete contradicts the end of the run",
     "complete is true exactly when end.reason is 'end' or 'break'; a fault has its text, and a "
     "signal or limit stands only with the reasons that have one.",
     "p.json: PV17: complete is false although end.reason is 'end'", "Profile the program again."},
    {"PV18", "events were dropped, or a list is not what it should be",
     "events_dropped is always 0, the coverage classes sum to the totals, and the hot instructions "
     "are distinct words of the program in order of their cycles.",
     "p.json: PV18: events_dropped (1 != 0)", "Profile the program again."},
};

}  // namespace

std::span<const Explanation> Explanations() { return kExplanations; }

}  // namespace moescope::profiler
