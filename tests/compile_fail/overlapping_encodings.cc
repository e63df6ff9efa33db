// Two rows that share a word do not make a table.
// expect: two encodings share a word
#include "isa/table.h"

using moescope::isa::Group;
using moescope::isa::Instruction;

constexpr Instruction kRows[] = {
    {.mnemonic = "X_ONE",
     .encoding = "--------------------------001101",
     .operands = {},
     .group = Group::kVal,
     .timing = moescope::isa::TimingClass::kControl,
     .summary = "One."},
    {.mnemonic = "X_TWO",
#ifdef MUST_FAIL
     .encoding = "-------------------------1001101",
#else
     .encoding = "-------------------------1001100",
#endif
     .operands = {},
     .group = Group::kVal,
     .timing = moescope::isa::TimingClass::kControl,
     .summary = "Two."},
};
static_assert(moescope::isa::table_checks::AllEncodingsFit(kRows));
static_assert(moescope::isa::table_checks::NoTwoRowsOverlap(kRows), "two encodings share a word");
