// docs/timing-corpus.md: what the three timing models say about the compiled programs from outside,
// per stage, with the largest reasons of waiting and the provenance of the cycles. Every profile is
// made twice and must have the same bytes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "asm/assembler.h"
#include "base/file.h"
#include "base/string_view.h"
#include "emulator/run.h"
#include "isa/isa_hash.h"
#include "profiler/profile_builder.h"
#include "profiler/profile_json.h"
#include "profiler/recorder.h"
#include "stages/annotate.h"
#include "tests/emulator/corpus_case.h"
#include "tests/support/project_folders.h"
#include "tests/support/shared_folder.h"

namespace moescope::test {
namespace {

using emulator::TimingModelKind;
using profiler::Profile;

constexpr TimingModelKind kModels[] = {TimingModelKind::kSerial, TimingModelKind::kPipelined,
                                       TimingModelKind::kRtl};
constexpr const char* kModelNames[] = {"serial", "pipelined", "rtl"};

std::string Thousands(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

// "12.3 %", rounded half up, in integers.
std::string Share(std::uint64_t part, std::uint64_t whole) {
  const std::uint64_t tenths = whole == 0 ? 0 : (2000 * part + whole) / (2 * whole);
  return absl::StrFormat("%d.%d %%", tenths / 10, tenths % 10);
}

isa::Program Annotated(const std::string& folder) {
  const std::string text = *ReadPlainOrGzipped(folder + "/program.asm");
  const auto annotated = stages::Annotate(text, "program.asm", stages::AnnotateRules::Shipped());
  EXPECT_TRUE(annotated.ok()) << annotated.status();
  const auto assembly = assembler::Assemble(annotated->text, "program.asm");
  EXPECT_TRUE(assembly.ok()) << assembly.status();
  return assembly->program;
}

struct Made {
  Profile profile;
  std::string text;
};

// Runs a case under a model; the built-in latency profile `dse` and HBM model `dram`.
Made ProfileOf(const std::string& shared, const std::string& name, const isa::Program& program,
               TimingModelKind model) {
  CorpusCase test(shared, name);
  emulator::MachineDescription machine = test.machine();
  machine.timing = model;
  profiler::Recorder recorder;
  emulator::Listener* listeners[] = {&recorder};
  const emulator::RunEnd end = emulator::Run(program, machine, test.state(), listeners);
  EXPECT_EQ(end.reason, emulator::EndReason::kEnd);
  profiler::ProfileOptions options;
  options.tool = {"moescope", "test", ""};
  options.isa = {"moescope", "1.1", isa::IsaHash(isa::InstructionSet::Builtin())};
  const absl::StatusOr<std::string> text =
      profiler::WriteProfile(profiler::MakeProfile(recorder.recording(), options));
  EXPECT_TRUE(text.ok()) << text.status();
  absl::StatusOr<Profile> profile = profiler::ReadProfile(*text);
  EXPECT_TRUE(profile.ok()) << profile.status();
  return {*std::move(profile), *text};
}

std::string StageTable(const std::vector<Profile>& profiles) {
  std::string text =
      "| stage | instructions | serial | pipelined | rtl |\n|---|---:|---:|---:|---:|\n";
  for (const profiler::StageEntry& stage : profiles[0].stages) {
    if (stage.counters.instructions == 0) continue;
    absl::StrAppend(&text, "| `", stage.name, "` | ", Thousands(stage.counters.instructions));
    for (const Profile& profile : profiles) {
      const profiler::StageEntry* entry = profiler::FindStage(profile, stage.name);
      absl::StrAppend(&text, " | ", Thousands(entry->counters.cycles));
    }
    absl::StrAppend(&text, " |\n");
  }
  return text;
}

// The three largest reasons that are neither issue nor a cost of the instruction itself.
std::string TopReasons(const Profile& profile) {
  std::vector<std::pair<std::uint64_t, std::size_t>> sizes;
  const profiler::Split& reasons = profile.totals.counters.reasons;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const auto reason = static_cast<emulator::Reason>(i);
    if (reason == emulator::Reason::kIssue || reason == emulator::Reason::kExecute) continue;
    if (reasons[i] > 0) sizes.emplace_back(reasons[i], i);
  }
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (sizes.size() > 3) sizes.resize(3);
  std::string text;
  for (const auto& [cycles, index] : sizes) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", Absl(emulator::kReasonNames[index]), " ",
                    Share(cycles, profile.totals.counters.cycles));
  }
  return text.empty() ? "-" : text;
}

std::string CoverageText(const Profile& profile) {
  std::string text;
  for (std::size_t i = 0; i < emulator::kCostClassCount; ++i) {
    absl::StrAppend(
        &text, " | ",
        Share(profile.model.coverage->classes[i].cycles, profile.totals.counters.cycles));
  }
  return text;
}

std::string CaseSection(const std::string& name, const std::vector<Profile>& profiles) {
  std::string text = absl::StrCat("\n### `", name, "`\n\n", StageTable(profiles),
                                  "\n| model | largest reasons | measured | derived | "
                                  "extrapolated | assumed | unsupported |\n"
                                  "|---|---|---:|---:|---:|---:|---:|\n");
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    absl::StrAppend(&text, "| ", kModelNames[i], " | ", TopReasons(profiles[i]),
                    CoverageText(profiles[i]), " |\n");
  }
  return text;
}

constexpr char kHead[] =
    "<!-- Generated by MOESCOPE_REGENERATE=1 ctest -R emulator/timing_corpus. Do not edit. -->\n"
    "# Cycles of the compiled programs\n"
    "\n"
    "Thirteen compiled programs under the three timing models, each on its own machine file\n"
    "(M = V = 64, B = 4) with latency profile `dse` (`rtl` always has `released`) and HBM model\n"
    "`dram`. No figure has been compared with silicon; the shares on the right of each table say\n"
    "how much of a total rests on measurements. Stages are those that `moescope annotate` finds.\n"
    "\n"
    "| program | instructions | serial | pipelined | rtl | serial / pipelined |\n"
    "|---|---:|---:|---:|---:|---:|\n";

TEST(TimingCorpus, TheDocumentIsCurrent) {
  const std::optional<std::string> shared = SharedFolder();
  if (!shared) GTEST_SKIP() << kNoSharedFolder;
  std::string table = kHead;
  std::string sections;
  for (const char* name : kCorpusCases) {
    const isa::Program program = Annotated(*shared + "/corpus/" + name);
    std::vector<Profile> profiles;
    for (const TimingModelKind model : kModels) {
      Made made = ProfileOf(*shared, name, program, model);
      // The large program is long enough once.
      if (made.profile.totals.counters.instructions < 1'000'000) {
        EXPECT_EQ(made.text, ProfileOf(*shared, name, program, model).text) << name;
      }
      EXPECT_TRUE(made.profile.complete);
      profiles.push_back(std::move(made.profile));
    }
    const auto cycles = [&](std::size_t i) { return profiles[i].totals.counters.cycles; };
    const std::uint64_t hundredths = (200 * cycles(0) + cycles(1)) / (2 * cycles(1));
    absl::StrAppend(&table, "| `", name, "` | ",
                    Thousands(profiles[0].totals.counters.instructions), " | ",
                    Thousands(cycles(0)), " | ", Thousands(cycles(1)), " | ", Thousands(cycles(2)),
                    absl::StrFormat(" | %d.%02d |\n", hundredths / 100, hundredths % 100));
    sections += CaseSection(name, profiles);
  }
  const std::string text = table + "\n## Stages, reasons and provenance\n" + sections;
  const std::string path = SourceFolder() + "/docs/timing-corpus.md";
  const char* regenerate = std::getenv("MOESCOPE_REGENERATE");
  if (regenerate != nullptr && std::string_view(regenerate) == "1") {
    ASSERT_TRUE(WriteFile(path, text).ok());
    FAIL() << "regenerated " << path;
  }
  const absl::StatusOr<std::string> page = ReadFile(path);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(*page, text) << "run MOESCOPE_REGENERATE=1 ctest -R emulator/timing_corpus";
}

}  // namespace
}  // namespace moescope::test
