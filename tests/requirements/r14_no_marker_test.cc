#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "asm/assembler.h"
#include "stages/annotate.h"
#include "stages/strip.h"
#include "tests/stages/linted.h"

// R14: a program without any marker: nothing is dropped, everything is in `unattributed`, and a
// note says how to add markers.

namespace moescope {
namespace {

std::string UnmarkedProgram(int words) {
  std::string text = "; what this does is written in prose\n";
  for (int i = 0; i < words; ++i) text += "S_ADDI_INT gp1, gp1, 1\n";
  return text;
}

TEST(R14_NoMarker, EverythingIsUnattributed) {
  const auto assembly = assembler::Assemble(UnmarkedProgram(200'000), "plain.asm");
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  const isa::Program& program = assembly->program;
  ASSERT_EQ(program.ranges.size(), 1u);
  EXPECT_EQ(program.names[program.ranges[0].name].name, "unattributed");
  EXPECT_EQ(program.ranges[0].end_pc, 200'000u);
  EXPECT_EQ(program.attribution, isa::AttributionSource::kNone);
}

TEST(R14_NoMarker, LintSaysHowToAddMarkers) {
  const test::Linted linted = test::LintText(UnmarkedProgram(3));
  ASSERT_EQ(linted.findings.size(), 1u);
  EXPECT_EQ(linted.findings[0].diagnostic.message,
            "the program has no stage marker, so its 3 instructions belong to no stage; write '; "
            "@stage=<name>' in front of each part");
}

TEST(R14_NoMarker, AnnotateKeepsWhatItDoesNotKnow) {
  const std::string text = UnmarkedProgram(3);
  const auto annotated = stages::Annotate(text, "plain.asm", stages::AnnotateRules::Shipped());
  ASSERT_TRUE(annotated.ok());
  EXPECT_EQ(annotated->report.CoveragePpm(), 0u);
  EXPECT_EQ(annotated->report.stages.at(0).stage, "unattributed");
  EXPECT_EQ(annotated->report.stages.at(0).words, 3u);
  EXPECT_EQ(annotated->report.unmatched.at(0).shape, "what this does is written in prose");
  EXPECT_EQ(stages::StripMarkers(annotated->text).text, text);
}

}  // namespace
}  // namespace moescope
