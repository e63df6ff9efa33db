// The HTML report read by an independent parser: well formed, readable without script and network,
// every drawing labelled, and of a bounded size however large the program is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "profiler/profile_json.h"
#include "profiler/report/html/plots.h"
#include "profiler/report/report.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/child_process.h"
#include "tests/support/project_folders.h"
#include "tests/support/scratch_folder.h"

namespace moescope::profiler {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Page(const Profile& profile, std::optional<std::string> source = std::nullopt,
                 const Profile* compare = nullptr) {
  const absl::StatusOr<std::string> page =
      Report(profile, {.format = "html", .source = std::move(source), .compare = compare});
  EXPECT_TRUE(page.ok()) << page.status();
  return page.value_or("");
}

Profile RandomProfile(std::uint32_t seed, bool rich) {
  test::RandomRun run(seed, rich);
  Recorder recorder;
  run.Play(seed, std::nullopt, recorder);
  return MakeProfile(recorder.recording(), test::FixedOptions());
}

std::size_t CountOf(std::string_view text, std::string_view piece) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string_view::npos;
       at = text.find(piece, at + piece.size())) {
    ++count;
  }
  return count;
}

// tests/profiler/check_html.py on pages that the test names; its findings.
std::string Findings(const std::vector<std::string>& pages) {
  const moescope::test::ScratchFolder folder;
  std::vector<std::string> words = {
      "/usr/bin/env", "python3", moescope::test::SourceFolder() + "/tests/profiler/check_html.py"};
  for (std::size_t i = 0; i < pages.size(); ++i) {
    words.push_back(folder.Write(absl::StrCat(i, ".html"), pages[i]));
  }
  const moescope::test::ProcessResult result = moescope::test::RunProcess(words);
  return absl::StrCat(result.out, result.err, result.code == 0 ? "" : "failed");
}

bool HasPython() { return std::system("python3 -c 'import html.parser' >/dev/null 2>&1") == 0; }

TEST(HtmlStructureTest, AnIndependentParserFindsNothingWrong) {
  if (!HasPython()) GTEST_SKIP() << "python3 is not installed";
  const Profile rich = test::RichProfile();
  const Profile serial = test::SerialProfile();
  std::vector<std::string> pages = {Page(rich), Page(serial), Page(rich, "a < b\n\"c\" & d"),
                                    Page(rich, std::nullopt, &serial),
                                    Page(serial, std::nullopt, &rich)};
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    pages.push_back(Page(RandomProfile(seed, seed % 2 == 0)));
  }
  EXPECT_EQ(Findings(pages), "");
}

TEST(HtmlStructureTest, TheCheckFindsWhatIsWrong) {
  if (!HasPython()) GTEST_SKIP() << "python3 is not installed";
  const struct {
    const char* from;
    const char* to;
    const char* finding;
  } rows[] = {
      {"</table>", "", "not well formed"},
      {"<h1>", "<script>1</script><h1>", "an element script"},
      {"<h1>", "<h1 onclick=\"x()\">", "a handler onclick of h1"},
      {"<h1>", "<img src=\"http://x/y.png\"/><h1>", "img refers to http://x/y.png"},
      {"<h1>", "<a href=\"#nowhere\">x</a><h1>", "a refers to #nowhere, which does not exist"},
      {"<h1>", "<h3>early</h3><h1>", "a heading h3 below one of level 0"},
      {" role=\"img\"", "", "a drawing without a role or label"},
      {"width=\"", "width=\"-", "with a negative width"},
      {"<td class=\"l\">router_topk</td>", "", "a table whose rows have [7, 8] cells"},
      {"</style>", "@import 'x.css';</style>", "a style sheet that loads something"},
      {"<!DOCTYPE html>\n", "", "no document type"},
      {"<title>", "<title></title><title>", "no title"},
      {"<h2>", "<p id=\"a\"></p><p id=\"a\"></p><h2>", "an id that stands there twice"},
  };
  const std::string good = Page(test::RichProfile());
  std::vector<std::string> pages = {good};
  for (const auto& row : rows) {
    std::string page = good;
    const std::string_view from = row.from;
    page.replace(page.find(from), from.size(), row.to);
    pages.push_back(page);
  }
  const std::string findings = Findings(pages);
  EXPECT_THAT(findings, Not(HasSubstr("/0.html: ")));
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const std::string name = absl::StrCat("/", i + 1, ".html: ");
    const std::size_t at = findings.find(name);
    ASSERT_NE(at, std::string::npos) << rows[i].finding;
    const std::string line = findings.substr(at, findings.find('\n', at) - at);
    EXPECT_THAT(line, HasSubstr(rows[i].finding));
  }
}

// ---- Bounds -------------------------------------------------------------------------------------

// A program that marks `stages` extension stages and `pairs` pairs with `experts` experts, one word
// each; each word is executed once and costs (place mod 7) + 1 cycles.
Profile LargeProfile(std::uint32_t stages, std::uint32_t pairs, std::uint32_t experts) {
  test::ProgramBuilder builder;
  for (std::uint32_t i = 0; i < stages; ++i) {
    builder.Extension(absl::StrCat("stage", i), isa::StageScope::kLayer);
  }
  for (std::uint32_t i = 0; i < stages; ++i) builder.Stage(absl::StrCat("stage", i)).Emit("M_MM");
  for (std::uint32_t i = 0; i < pairs; ++i) {
    builder.Stage("gather", i, i % experts).Emit("H_PREFETCH_V");
  }
  const isa::Program program = builder.Build();
  Recorder recorder;
  recorder.OnBegin(test::DescribeRich(program));
  emulator::Cycle now = 0;
  for (std::uint32_t pc = 0; pc < program.words.size(); ++pc) {
    recorder.OnAccepted({pc, pc, now});
    recorder.OnAttributed({pc, emulator::Reason::kIssue, now, now + 1 + pc % 7});
    now += 1 + pc % 7;
    recorder.OnTraffic({pc, false, now, 64, 1, 64, 0, 0});
    recorder.OnCompleted({pc, now});
  }
  recorder.OnEnd({.cycles = now, .instructions = program.words.size()});
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  return profile;
}

TEST(HtmlBoundTest, StagesOfPlotsAtTheEdge) {
  for (const std::uint32_t stages : {62u, 63u, 64u, 65u}) {
    // The bucket has no word here, so that the extension stages and `gather` are all.
    const Profile profile = LargeProfile(stages, 1, 1);
    const std::string plot = ReasonsPlot(profile);
    const std::size_t bars = CountOf(plot, "text-anchor=\"end\"");
    EXPECT_EQ(bars, std::min<std::size_t>(stages + 1, 65));
    const bool has_rest = stages + 1 > kMaximumDrawnStages;
    EXPECT_EQ(plot.find(" other stage") != std::string::npos, has_rest) << stages;
    EXPECT_EQ(CountOf(TimelinePlot(profile), "<path "), std::min<std::size_t>(stages + 1, 65));
  }
  EXPECT_THAT(ReasonsPlot(LargeProfile(64, 1, 1)), HasSubstr(">1 other stage<"));
  EXPECT_THAT(TimelinePlot(LargeProfile(65, 1, 1)), HasSubstr("2 other stages"));
}

TEST(HtmlBoundTest, TheStagesWithTheMostCyclesAreDrawn) {
  const Profile profile = LargeProfile(300, 1, 1);
  const std::set<std::string> drawn = DrawnStages(profile);
  EXPECT_EQ(drawn.size(), kMaximumDrawnStages);
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most_of_others = 0;
  std::uint64_t cycles = 0;
  for (const StageEntry& stage : profile.stages) {
    if (drawn.contains(stage.name)) {
      least = std::min(least, stage.counters.cycles);
    } else {
      most_of_others = std::max(most_of_others, stage.counters.cycles);
      cycles += stage.counters.cycles;
    }
  }
  EXPECT_GE(least, most_of_others);
  EXPECT_THAT(TimelinePlot(profile), HasSubstr(absl::StrCat("other stages: ", cycles, " cycles")));
}

TEST(HtmlBoundTest, CellsOfHeatMapsAtTheEdge) {
  for (const auto& [pairs, boxes, per_box] :
       {std::tuple(1199u, 1199u, 1u), std::tuple(1200u, 1200u, 1u), std::tuple(1201u, 601u, 2u),
        std::tuple(2400u, 1200u, 2u), std::tuple(2401u, 801u, 3u)}) {
    const std::string maps = HeatMaps(LargeProfile(1, pairs, 1));
    // Three maps of pairs and three of the one expert.
    EXPECT_EQ(CountOf(maps, "<rect "), 3 * boxes + 3) << pairs;
    EXPECT_EQ(CountOf(maps, absl::StrCat("; a cell is the sum of ", per_box, " neighbours")),
              per_box == 1 ? 0u : 3u);
  }
}

TEST(HtmlBoundTest, FoldedCellsSumUp) {
  const Profile profile = LargeProfile(1, 1201, 1);
  const std::string maps = HeatMaps(profile);
  EXPECT_THAT(maps, HasSubstr("<title>pair 0, expert 0 to pair 1, expert 0: " +
                              std::to_string(profile.pairs->rows[0].counters.cycles +
                                             profile.pairs->rows[1].counters.cycles) +
                              " cycles</title>"));
  EXPECT_THAT(maps, HasSubstr("<title>pair 1200, expert 0 to pair 1200, expert 0: "));
}

TEST(HtmlBoundTest, PlotsDoNotGrowWithTheProgram) {
  const auto size_of = [](const Profile& profile) {
    return ReasonsPlot(profile).size() + UnitsPlot(profile).size() + TimelinePlot(profile).size() +
           BandwidthPlot(profile).size() + RooflinePlot(profile).size() + HeatMaps(profile).size();
  };
  EXPECT_LT(size_of(LargeProfile(70, 1200, 1200)), 1'500'000u);
  EXPECT_LT(size_of(LargeProfile(1000, 5000, 5000)), 1'500'000u);
}

TEST(HtmlBoundTest, APageOfALargeProgramStaysBelowTwoMebibytes) {
  const std::string page = Page(LargeProfile(1000, 5000, 5000));
  EXPECT_LT(page.size(), 2u << 20);
  if (HasPython()) {
    EXPECT_EQ(Findings({page}), "");
  }
}

TEST(HtmlBoundTest, LongSourceLinesAreCut) {
  const Profile profile = test::RichProfile();
  const auto page_of = [&](const std::string& line) {
    return Page(profile, "\n\n\n\n" + line + "\n");
  };
  EXPECT_THAT(page_of(std::string(160, 'x')), HasSubstr(std::string(160, 'x') + "</td>"));
  EXPECT_THAT(page_of(std::string(161, 'x')), HasSubstr(std::string(160, 'x') + "…</td>"));
  EXPECT_THAT(page_of(std::string(161, 'x')), Not(HasSubstr(std::string(161, 'x'))));
  // Never inside a character: the 160th byte is the second of an accented one.
  std::string accents = "x";
  for (int i = 0; i < 100; ++i) accents += "é";
  EXPECT_THAT(page_of(accents), HasSubstr(accents.substr(0, 159) + "…</td>"));
  EXPECT_LT(page_of(std::string(1 << 20, 'x')).size(), 100'000u);
}

}  // namespace
}  // namespace moescope::profiler
