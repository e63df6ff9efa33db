#include "profiler/report/number_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>

#include "profiler/ratio.h"
#include "profiler/report/float_text.h"
#include "profiler/report/table.h"
#include "profiler/roofline.h"

namespace moescope::profiler {
namespace {

TEST(NumberTextTest, Thousands) {
  EXPECT_EQ(Thousands(0), "0");
  EXPECT_EQ(Thousands(999), "999");
  EXPECT_EQ(Thousands(1000), "1,000");
  EXPECT_EQ(Thousands(29845249), "29,845,249");
}

TEST(NumberTextTest, PercentRoundsDown) {
  EXPECT_EQ(Percent(0), "0.0 %");
  EXPECT_EQ(Percent(999), "0.0 %");
  EXPECT_EQ(Percent(989'795), "98.9 %");
  EXPECT_EQ(Percent(1'000'000), "100.0 %");
}

TEST(NumberTextTest, TimeTakesTheLargestUnit) {
  EXPECT_EQ(TimeText(0), "0 ps");
  EXPECT_EQ(TimeText(999), "999 ps");
  EXPECT_EQ(TimeText(196'000), "196 ns");
  EXPECT_EQ(TimeText(1'234'567), "1.234 us");
  EXPECT_EQ(TimeText(29'845'249'000), "29.845 ms");
  EXPECT_EQ(TimeText(5'000'000'000'000'000), "5,000 s");
}

TEST(NumberTextTest, Frequency) {
  EXPECT_EQ(FrequencyText(1000), "1.000 GHz");
  EXPECT_EQ(FrequencyText(667), "1.499 GHz");
  EXPECT_EQ(FrequencyText(0), "? GHz");
}

TEST(NumberTextTest, WrapKeepsTheWidth) {
  EXPECT_EQ(Wrap("one two three", 8), "one two\nthree\n");
  EXPECT_EQ(Wrap("one two three", 7), "one two\nthree\n");
  EXPECT_EQ(Wrap("one two three", 6), "one\ntwo\nthree\n");
  EXPECT_EQ(Wrap("a verylongword b", 6, "x: ", "   "), "x: a\n   verylongword\n   b\n");
  EXPECT_EQ(Wrap("", 10), "\n");
}

// Expected values as Rust's ryu prints them.
TEST(FloatTextTest, Examples) {
  EXPECT_EQ(ShortestFloat(0), "0.0");
  EXPECT_EQ(ShortestFloat(1), "1.0");
  EXPECT_EQ(ShortestFloat(0.1), "0.1");
  EXPECT_EQ(ShortestFloat(1.96e-7), "1.96e-7");
  EXPECT_EQ(ShortestFloat(1e-6), "1e-6");
  EXPECT_EQ(ShortestFloat(0.00001), "0.00001");
  EXPECT_EQ(ShortestFloat(0.029845249), "0.029845249");
  EXPECT_EQ(ShortestFloat(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(ShortestFloat(1234.5), "1234.5");
  EXPECT_EQ(ShortestFloat(1e15), "1000000000000000.0");
  EXPECT_EQ(ShortestFloat(1e16), "1e16");
  EXPECT_EQ(ShortestFloat(-2.5e20), "-2.5e20");
}

TEST(FloatTextTest, ReadsBack) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const double value = static_cast<double>(random() >> 11) / static_cast<double>(random() >> 20);
    EXPECT_EQ(std::strtod(ShortestFloat(value).c_str(), nullptr), value);
  }
}

TEST(RatioTest, RoundsDownWithoutOverflow) {
  EXPECT_EQ(Ppm(1, 3), 333'333u);
  EXPECT_EQ(Ppm(194, 196), 989'795u);
  EXPECT_EQ(Ppm(5, 0), 0u);
  EXPECT_EQ(Ppm(std::uint64_t{1} << 53, std::uint64_t{1} << 53), 1'000'000u);
  EXPECT_EQ(Milli(7, 2), 3'500u);
  EXPECT_FALSE(Milli(7, 0).has_value());
  EXPECT_EQ(Scaled(UINT64_MAX, 1'000'000, 1), UINT64_MAX);
}

// The example of profile.md 5.5.
TEST(RooflineTest, ExampleOfTheDocument) {
  emulator::RunDescription run;
  run.mlen = run.vlen = 64;
  run.blen = 4;
  run.hbm_peak_bytes_per_kcycle = 128'000;
  std::optional<Roofline> roofs = Roofs(run);
  ASSERT_TRUE(roofs.has_value());
  EXPECT_EQ(roofs->peak_matrix_flops_per_cycle, 512u);
  EXPECT_EQ(roofs->ridge_milli, 4'000u);

  CounterBlock tile;
  tile.cycles = 64;
  tile.flops.matrix = 32'768;
  tile.read.physical_bytes = 8'192;
  RooflinePoint point = PointOf(tile, *roofs);
  EXPECT_EQ(point.intensity_milli, 4'000u);
  EXPECT_EQ(point.achieved_milli, 512'000u);
  EXPECT_EQ(point.bound, "memory");  // both roofs at 100 %: the first of equals

  tile.read.physical_bytes = 4'608;
  EXPECT_EQ(PointOf(tile, *roofs).intensity_milli, 7'111u);
  EXPECT_EQ(PointOf(tile, *roofs).bound, "matrix");
  tile.cycles = 107;  // 59.8 % of the matrix peak
  EXPECT_EQ(PointOf(tile, *roofs).bound, "latency");
  tile.cycles = 106;  // 60.4 %
  EXPECT_EQ(PointOf(tile, *roofs).bound, "matrix");
  EXPECT_FALSE(PointOf({}, *roofs).bound.has_value());
}

TEST(RooflineTest, NoRoofsWithoutPeaks) { EXPECT_FALSE(Roofs({}).has_value()); }

TEST(TableTest, MarkdownEscapesBars) {
  Table table({{"name", Table::Align::kLeft}, {"n"}});
  table.AddRow({"a|b", "1"});
  EXPECT_EQ(table.Markdown(), "| name | n |\n|---|---:|\n| a\\|b | 1 |\n");
  EXPECT_EQ(table.Text(), "name  n\n-------\na|b   1\n");
}

TEST(TableTest, NamesThatDoNotFitStandAlone) {
  Table table({{"name", Table::Align::kLeft}, {"value"}});
  table.AddRow({"a_long_name_indeed", "12345"});
  table.AddLine();
  table.AddRow({"x", "1"});
  EXPECT_EQ(table.Text(20),
            "name           value\n"
            "--------------------\n"
            "a_long_name_indeed\n"
            "               12345\n"
            "--------------------\n"
            "x                  1\n");
}

}  // namespace
}  // namespace moescope::profiler
