// Profiles of compiled programs from outside: instructions, words and cycles of every stage are
// those that were counted by hand for them, and every invariant holds.

#include <gtest/gtest.h>

#include "asm/assembler.h"
#include "base/json.h"
#include "emulator/run.h"
#include "profiler/profile_json.h"
#include "stages/annotate.h"
#include "tests/emulator/corpus_case.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/shared_folder.h"

namespace moescope::profiler {
namespace {

using moescope::test::CorpusCase;
using moescope::test::kCorpusCases;

// The program with the markers that annotate writes.
isa::Program Annotated(const std::string& folder) {
  const std::string text = *moescope::test::ReadPlainOrGzipped(folder + "/program.asm");
  const auto annotated = stages::Annotate(text, "program.asm", stages::AnnotateRules::Shipped());
  EXPECT_TRUE(annotated.ok()) << annotated.status();
  const auto assembly = assembler::Assemble(annotated->text, "program.asm");
  EXPECT_TRUE(assembly.ok()) << assembly.status();
  return assembly->program;
}

std::uint64_t CyclesWithoutDma(const StageEntry& stage) {
  std::uint64_t cycles = 0;
  for (const OpcodeCount& opcode : stage.opcodes) {
    if (!opcode.mnemonic.starts_with("H_")) cycles += opcode.cycles;
  }
  return cycles;
}

void ExpectStages(const Profile& profile, const Json& expected) {
  const auto value = [&](const char* table, const std::string& stage) -> std::uint64_t {
    const Json& values = expected[table];
    return values.contains(stage) ? values[stage].get<std::uint64_t>() : 0;
  };
  for (const StageEntry& stage : profile.stages) {
    EXPECT_EQ(stage.static_instructions, value("static", stage.name)) << stage.name;
    EXPECT_EQ(stage.counters.instructions, value("dynamic", stage.name)) << stage.name;
    EXPECT_EQ(CyclesWithoutDma(stage), value("serial_cycles_excluding_dma", stage.name))
        << stage.name;
  }
  for (const char* table : {"static", "dynamic"}) {
    for (const auto& [name, count] : expected[table].items()) {
      EXPECT_NE(FindStage(profile, name), nullptr) << name;
    }
  }
}

class CorpusProfileTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CorpusProfileTest, StagesAreThoseOfTheCase) {
  const std::optional<std::string> shared = moescope::test::SharedFolder();
  if (!shared) GTEST_SKIP() << moescope::test::kNoSharedFolder;
  CorpusCase test(*shared, GetParam());
  const isa::Program program = Annotated(*shared + "/corpus/" + GetParam());
  ASSERT_EQ(program.words, test.program().words);
  Recorder recorder;
  emulator::Listener* listeners[] = {&recorder};
  emulator::Run(program, test.machine(), test.state(), listeners);
  const absl::StatusOr<std::string> text =
      WriteProfile(MakeProfile(recorder.recording(), test::FixedOptions()));
  ASSERT_TRUE(text.ok()) << text.status().message();
  const absl::StatusOr<Profile> profile = ReadProfile(*text);
  ASSERT_TRUE(profile.ok());
  EXPECT_TRUE(profile->complete);
  ExpectStages(*profile, test.expected()["stages_annotate"]);
}

INSTANTIATE_TEST_SUITE_P(All, CorpusProfileTest, ::testing::ValuesIn(kCorpusCases),
                         [](const auto& case_info) { return std::string(case_info.param); });

}  // namespace
}  // namespace moescope::profiler
