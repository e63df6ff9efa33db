#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profiler/profile.h"
#include "profiler/report/table.h"

// What the text, Markdown and HTML reports say in the same words.

namespace moescope::profiler {

// Tool, program, machine, timing model, end of the run, labels: name and text.
std::vector<std::pair<std::string, std::string>> Facts(const Profile& profile);
// "complete (end)", "cut at cycle 245 (max_cycles, limit 100)", "cut at cycle 7 (fault FT301:
// ...)".
std::string EndText(const Profile& profile);
// "10 instructions, 245 cycles (245 ns at 1.000 GHz), 24.500 cycles per instruction".
std::string TotalsText(const Profile& profile);
// "42.0 % of cycles measured, 8.0 % derived, 50.0 % assumed".
std::string CoverageText(const Profile& profile);
// What the reader should know: no markers, unresolved names, annotation on the fly.
std::vector<std::string> Notes(const Profile& profile);
// "overlap: the timing model ...".
std::vector<std::string> NotMeasuredTexts(const Profile& profile);

// The reason with the most cycles of a block, the first of equals; "-" when not measured.
std::string TopReason(const CounterBlock& counters);
// Physical bytes of both directions.
std::uint64_t PhysicalBytes(const CounterBlock& counters);

// Stages in display order and a total: cycles, share, instructions, bytes, bound, top reason, and
// the cycles with regions when the program has any.
Table StageTable(const Profile& profile);

}  // namespace moescope::profiler
