// The whole sweeps of numerics.md, 6 and 10; bfloat16_test and functions_test take a stride of
// them.

#include <gtest/gtest.h>

#include "tests/isa/bf16_sweep.h"
#include "tests/isa/exp_sweep.h"

namespace moescope::isa {
namespace {

TEST(Sweep, Bf16OfEveryF32) { EXPECT_EQ(SweepBf16(1), std::uint64_t{1} << 32); }

TEST(Sweep, ExpOfEveryF32InRange) { EXPECT_EQ(SweepExp(1), 562'200'578U); }

}  // namespace
}  // namespace moescope::isa
