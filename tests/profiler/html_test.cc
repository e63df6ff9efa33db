// The HTML report: one file, without script or network, well formed, and with the figures of the
// profile.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "profiler/report/html/markup.h"
#include "profiler/report/html/plots.h"
#include "profiler/report/number_text.h"
#include "profiler/report/report.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/golden.h"

namespace moescope::profiler {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Page(const Profile& profile, std::optional<std::string> source = std::nullopt,
                 const Profile* compare = nullptr) {
  ReportOptions options;
  options.format = "html";
  options.source = std::move(source);
  options.compare = compare;
  const absl::StatusOr<std::string> page = Report(profile, options);
  EXPECT_TRUE(page.ok());
  return page.value_or("");
}

// Bars are split by reason: two of one colour could not be told apart.
TEST(HtmlReportTest, EveryReasonHasItsOwnColour) {
  std::set<std::string_view> colours;
  for (std::size_t i = 0; i < emulator::kReasonCount; ++i) {
    EXPECT_TRUE(colours.insert(Colour(i)).second) << emulator::kReasonNames[i];
  }
}

TEST(HtmlReportTest, Golden) {
  moescope::test::ExpectGolden("report_rich.html", Page(test::RichProfile()));
}

TEST(HtmlReportTest, NeedsNeitherScriptNorNetwork) {
  const Profile profile = test::RichProfile();
  const std::string page = Page(profile, "line", &profile);
  for (const char* forbidden :
       {"<script", "javascript:", "http:", "https:", "src=", "@import", "url(", "onload"}) {
    EXPECT_THAT(page, Not(HasSubstr(forbidden)));
  }
}

TEST(HtmlReportTest, ShowsTheFiguresOfTheProfile) {
  const Profile profile = test::RichProfile();
  const std::string page = Page(profile);
  for (const StageEntry& stage : profile.stages) {
    EXPECT_THAT(page, HasSubstr(absl::StrCat("<td class=\"l\">", stage.name, "</td><td>",
                                             Thousands(stage.counters.cycles), "</td>")));
  }
  for (const std::string& hash : {profile.program.sha256, profile.machine.sha256,
                                  profile.isa.sha256, profile.images[0].sha256}) {
    EXPECT_THAT(page, HasSubstr(hash));
  }
  EXPECT_THAT(page, HasSubstr(profile.caveat));
  EXPECT_THAT(page,
              HasSubstr("<title>expert_projection: hbm_bandwidth 180 cycles, 95.2 %</title>"));
  EXPECT_THAT(page, HasSubstr("<title>dma_m: busy 200 of 245 cycles</title>"));
  EXPECT_THAT(page, HasSubstr("<title>pair 0, expert 3: 197 cycles</title>"));
  EXPECT_THAT(page, HasSubstr("<title>expert 9, 1 pair: "));
  for (const char* heading :
       {"Stages", "Reasons per stage", "Busy units", "Stages over time", "HBM bandwidth over time",
        "Roofline", "Pairs and experts", "Hot instructions", "Instructions by mnemonic",
        "Coverage and assumptions", "Configuration"}) {
    EXPECT_THAT(page, HasSubstr(absl::StrCat("<h2>", heading, "</h2>")));
  }
}

TEST(HtmlReportTest, WhatIsNotMeasuredHasNoSection) {
  const std::string page = Page(test::SerialProfile());
  EXPECT_THAT(page, Not(HasSubstr("Busy units")));
  EXPECT_THAT(page, HasSubstr("Not measured: units: "));
  EXPECT_THAT(page, HasSubstr("Stages over time"));
}

TEST(HtmlReportTest, SourceLinesStandBesideHotInstructions) {
  const std::string source = "zero\none\ntwo\nthree\nM_MM 0, gp2, gp3 ; <the> slow & hot one\n";
  EXPECT_THAT(Page(test::RichProfile(), source),
              HasSubstr("layer.asm:5  M_MM 0, gp2, gp3 ; &lt;the&gt; slow &amp; hot one"));
}

TEST(HtmlReportTest, TwoRunsAreBothDrawn) {
  const Profile a = test::RichProfile();
  const Profile b = test::SerialProfile();
  const std::string page = Page(a, std::nullopt, &b);
  EXPECT_THAT(page, HasSubstr("<p>A: 10 instructions"));
  EXPECT_THAT(page, HasSubstr("<p>B: 196 instructions"));
  EXPECT_THAT(page, HasSubstr("<h3>B</h3>"));
}

TEST(HtmlReportTest, TextsFromFilesAreEscaped) {
  Profile profile = test::RichProfile();
  profile.labels = {{"title", "<script>alert(\"&\")</script>"}};
  profile.machine.name = "a<b>&c";
  const std::string page = Page(profile);
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;"));
}

// An independent XML parser reads the page, which is written so that it is XML as well.
TEST(HtmlReportTest, IsWellFormed) {
  if (std::system("python3 -c 'import xml.etree.ElementTree' >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "python3 is not installed";
  }
  const Profile rich = test::RichProfile();
  const Profile serial = test::SerialProfile();
  const std::string path = ::testing::TempDir() + "/moescope_report.html";
  for (const std::string& page : {Page(rich), Page(serial), Page(rich, "a & b\n<c>", &serial)}) {
    ASSERT_TRUE(WriteFile(path, page).ok());
    const std::string command =
        "python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' " + path;
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
  std::remove(path.c_str());
}

TEST(HtmlReportTest, AnyVerifiedProfileHasAPage) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    test::RandomRun run(seed, seed % 2 == 0);
    Recorder recorder;
    run.Play(seed, seed % 5 == 0 ? std::optional<std::uint64_t>(3) : std::nullopt, recorder);
    EXPECT_THAT(Page(MakeProfile(recorder.recording(), test::FixedOptions())),
                HasSubstr("</html>"));
  }
}

TEST(HtmlReportTest, DamagedProfilesDoNotCrash) {
  Profile profile = test::RichProfile();
  profile.timeline->hbm_write_bytes.clear();
  profile.timeline->stage_cycles[0].cycles.resize(1);
  profile.roofline->ridge_milli = 0;
  profile.model.coverage->classes.clear();
  profile.stages[0].utilisation_ppm.clear();
  profile.hot[0].line = 1'000'000;
  EXPECT_THAT(Page(profile, "one line"), HasSubstr("</html>"));
  profile = test::RichProfile();
  const std::uint64_t most = (std::uint64_t{1} << 53) - 1;
  profile.totals.counters.cycles = most;
  profile.timeline->bin_cycles = most;
  profile.roofline->peak_matrix_flops_per_cycle = most;
  profile.roofline->ridge_milli = 1;
  for (StageEntry& stage : profile.stages) {
    stage.counters.cycles = most;
    stage.counters.flops.matrix = most;
    stage.roofline = RooflinePoint{most, 1, "memory"};
  }
  EXPECT_THAT(Page(profile), HasSubstr("</html>"));
}

TEST(PlotTest, IntegerLogarithm) {
  EXPECT_EQ(Log2(1), 0);
  EXPECT_EQ(Log2(2), 1024);
  EXPECT_EQ(Log2(3), 1623);  // 1024 x 1.58496 = 1623.0 rounded down
  EXPECT_EQ(Log2(std::uint64_t{1} << 63), 63 * 1024);
  std::mt19937_64 random(11);
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t value = (random() >> (random() % 60)) | 1;
    const double exact = std::log2(static_cast<double>(value)) * 1024;
    EXPECT_NEAR(static_cast<double>(Log2(value)), exact, 1.01) << value;
  }
}

TEST(MarkupTest, PixelsAndPortions) {
  EXPECT_EQ(Pixels(0), "0");
  EXPECT_EQ(Pixels(125), "12.5");
  EXPECT_EQ(Pixels(-30), "-3");
  EXPECT_EQ(Pixels(-31), "-3.1");
  EXPECT_EQ(Portion(1000, 1, 3), 333);
  EXPECT_EQ(Portion(1000, 5, 0), 0);
  EXPECT_EQ(Portion(1000, (std::uint64_t{1} << 53) - 1, (std::uint64_t{1} << 53) - 1), 1000);
}

TEST(MarkupTest, ElementsEscapeAttributes) {
  EXPECT_EQ(Element("a", {{"b", "x\"<y>"}}, "c"), "<a b=\"x&quot;&lt;y&gt;\">c</a>");
  Svg svg(100, 50, "a & b");
  svg.Box(0, 0, 0, 10, "red", "nothing");
  svg.Box(5, 0, 10, 10, "red", "1 < 2");
  EXPECT_EQ(svg.Take(),
            "<svg viewBox=\"0 0 10 5\" role=\"img\" aria-label=\"a &amp; b\">\n"
            "<rect x=\"0.5\" y=\"0\" width=\"1\" height=\"1\" fill=\"red\"><title>1 &lt; 2</title>"
            "</rect>\n</svg>\n");
}

}  // namespace
}  // namespace moescope::profiler
