#include <gtest/gtest.h>

#include "tests/moe/emit/sweep.h"

// The whole covering set of sweep.h. Labelled slow.

namespace moescope::moe {
namespace {

TEST(FullSweepTest, EveryPresetWithEveryOptionValue) { RunSweep("options", OptionSweep()); }

TEST(FullSweepTest, EveryPresetAtEveryWidthAndTokenCount) { RunSweep("widths", WidthSweep()); }

TEST(FullSweepTest, EveryWorkload) { RunSweep("workloads", WorkloadSweep()); }

TEST(FullSweepTest, EveryFormatSharedExpertAndOrientation) { RunSweep("formats", FormatSweep()); }

TEST(FullSweepTest, RandomPointsOfTheProduct) { RunSweep("random", RandomSweep(300, 1)); }

}  // namespace
}  // namespace moescope::moe
