#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "asm/assembler.h"
#include "stages/marker.h"
#include "stages/vocabulary.h"
#include "tests/stages/linted.h"

// R13: 400 and 10,000 distinct stage names in one program: none merged, none refused.

namespace moescope {
namespace {

class R13_StageNames : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    std::string toml = "schema = \"moescope.stages\"\nversion = 1\n";
    for (int i = 0; i < GetParam(); ++i) {
      absl::StrAppend(&toml, "[[stage]]\nname = \"stage_", i,
                      "\"\nsummary = \"S.\"\nscope = \"layer\"\n");
      absl::StrAppend(&text_, "; @stage=stage_", i, "\nS_ADDI_INT gp1, gp1, 1\n");
    }
    ASSERT_TRUE(vocabulary_.Extend(toml, "many.toml").ok());
  }

  stages::Vocabulary vocabulary_;
  std::string text_;
};

TEST_P(R13_StageNames, EachKeepsItsOwnRange) {
  const auto assembly = assembler::Assemble(text_, "many.asm", {.vocabulary = &vocabulary_});
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  const isa::Program& program = assembly->program;
  EXPECT_TRUE(isa::Validate(program).ok());
  EXPECT_EQ(program.names.size(), 15u + static_cast<std::size_t>(GetParam()));
  ASSERT_EQ(program.ranges.size(), static_cast<std::size_t>(GetParam()));
  std::set<std::string> names;
  for (std::size_t i = 0; i < program.ranges.size(); ++i) {
    const isa::StageRange& range = program.ranges[i];
    EXPECT_EQ(program.names[range.name].name, absl::StrCat("stage_", i));
    EXPECT_EQ(range.end_pc - range.begin_pc, 1u);
    names.insert(program.names[range.name].name);
  }
  EXPECT_EQ(names.size(), program.ranges.size());
  EXPECT_TRUE(program.unresolved_markers.empty());
}

TEST_P(R13_StageNames, MarkersComeBackAndLintIsQuiet) {
  const auto assembly = assembler::Assemble(text_, "many.asm", {.vocabulary = &vocabulary_});
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  std::string again;
  for (const std::string& line : stages::MarkerLines(assembly->program)) {
    absl::StrAppend(&again, line, "\nS_ADDI_INT gp1, gp1, 1\n");
  }
  EXPECT_EQ(again, text_);
  EXPECT_TRUE(test::LintAssembly(*assembly, vocabulary_).empty());
}

INSTANTIATE_TEST_SUITE_P(Names, R13_StageNames, ::testing::Values(400, 10'000));

TEST(R13_StageNamesUnknown, AsManyUnknownNamesAreAllListed) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) {
    absl::StrAppend(&text, "; @stage=stage_", i, "\nS_ADDI_INT gp1, gp1, 1\n");
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto assembly = assembler::Assemble(
      text, "many.asm", {.unknown_stage = stages::UnknownStage::kWarning, .max_errors = 0});
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  EXPECT_EQ(assembly->program.unresolved_markers.size(), 10'000u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  for (const isa::StageRange& range : assembly->program.ranges) EXPECT_EQ(range.name, 0u);
}

}  // namespace
}  // namespace moescope
