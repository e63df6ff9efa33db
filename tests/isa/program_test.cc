#include "isa/program.h"

#include <gtest/gtest.h>

namespace moescope::isa {
namespace {

Program Good() {
  Program program = ProgramFromWords({1, 2, 3});
  program.names.push_back({"gather", StageOrigin::kBuiltin, StageScope::kPair, ""});
  program.ranges = {{.begin_pc = 0, .end_pc = 1},
                    {.begin_pc = 1, .end_pc = 1, .name = 1},
                    {.begin_pc = 1, .end_pc = 3, .name = 1, .pair = 4, .parent = 1}};
  program.files = {"a.asm"};
  program.positions = {{0, 1, 1}, {0, 2, 1}, {0, 3, 5}};
  return program;
}

TEST(ProgramTest, BareWordsAreInTheBucket) {
  const Program program = ProgramFromWords({7, 8});
  EXPECT_TRUE(Validate(program).ok());
  ASSERT_EQ(program.ranges.size(), 1u);
  EXPECT_EQ(program.ranges[0].end_pc, 2u);
  EXPECT_EQ(program.names[program.ranges[0].name].name, kUnattributed);
  EXPECT_EQ(program.attribution, AttributionSource::kNone);
  EXPECT_EQ(program.PlaceOf(0), "");
}

TEST(ProgramTest, Places) {
  EXPECT_EQ(Good().PlaceOf(2), "a.asm:3:5");
  EXPECT_EQ(Good().PlaceOf(3), "");
}

TEST(ProgramTest, HashesDependOnWhatTheyName) {
  const Program good = Good();
  Program other = Good();
  other.words[0] = 9;
  EXPECT_NE(other.WordsHash(), good.WordsHash());
  EXPECT_EQ(other.StageTableHash(), good.StageTableHash());
  other = Good();
  other.ranges[2].pair.reset();
  EXPECT_EQ(other.WordsHash(), good.WordsHash());
  EXPECT_NE(other.StageTableHash(), good.StageTableHash());
  other = Good();
  other.ranges[2].pair = 0;
  EXPECT_NE(other.StageTableHash(), good.StageTableHash());
  other = Good();
  other.ranges[2].line = 12;  // places are not part of the table
  other.files[0] = "b.asm";
  EXPECT_EQ(other.StageTableHash(), good.StageTableHash());
}

TEST(ProgramTest, ValidateNamesEachInconsistency) {
  EXPECT_TRUE(Validate(Good()).ok());
  const auto error = [](auto change) {
    Program program = Good();
    change(program);
    return std::string(Validate(program).message());
  };
  EXPECT_EQ(error([](Program& p) { p.names.clear(); }), "name 0 is not 'unattributed'");
  EXPECT_EQ(error([](Program& p) { p.names[0].name = "none"; }), "name 0 is not 'unattributed'");
  const std::vector<std::string> bad_names = {"",    "Gather", "1st",
                                              "a b", "a\n",    std::string(65, 'a')};
  for (const std::string& name : bad_names) {
    EXPECT_EQ(error([&](Program& p) { p.names[1].name = name; }), "a stage has no legal name");
  }
  EXPECT_EQ(error([](Program& p) { p.names.push_back(p.names[1]); }),
            "stage 'gather' is named twice");
  EXPECT_EQ(error([](Program& p) { p.ranges[2].begin_pc = 2; }),
            "stage range 2 begins at pc 2 instead of 1");
  EXPECT_EQ(error([](Program& p) { p.ranges[0].begin_pc = 1; }),
            "stage range 0 begins at pc 1 instead of 0");
  EXPECT_EQ(error([](Program& p) { p.ranges[1].end_pc = 0; }),
            "stage range 1 ends before it begins");
  EXPECT_EQ(error([](Program& p) { p.ranges[1].name = 2; }), "stage range 1 has an unknown name");
  EXPECT_EQ(error([](Program& p) { p.ranges[2].parent = 2; }),
            "stage range 2 has a parent that does not precede it");
  EXPECT_EQ(error([](Program& p) { p.ranges[2].expert = 2147483648; }),
            "stage range 2 has a pair or expert above 2147483647");
  EXPECT_EQ(error([](Program& p) {
              p.ranges[2].line = 1;
              p.ranges[2].file = 1;
            }),
            "stage range 2 has an unknown file");
  EXPECT_EQ(error([](Program& p) { p.ranges.pop_back(); }), "the stage table covers 1 of 3 words");
  EXPECT_EQ(error([](Program& p) { p.positions.pop_back(); }),
            "source positions and words differ in number");
  EXPECT_EQ(error([](Program& p) { p.positions[1].file = 1; }),
            "a source position names an unknown file");
}

}  // namespace
}  // namespace moescope::isa
