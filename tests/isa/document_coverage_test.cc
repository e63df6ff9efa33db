#include "isa/document_coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/isa/document_fixture.h"

namespace moescope::isa {
namespace {

using ::testing::ElementsAre;

TEST(DocumentCoverageTest, TheBuiltinSet) {
  const DocumentCoverage coverage = CoverDocument(test::Builtin());
  EXPECT_EQ(coverage.total.defined, 545'732'353u);  // isa.md, section 2
  EXPECT_EQ(coverage.total.defined + coverage.total.reserved + coverage.total.unassigned,
            std::uint64_t{1} << 32);
  EXPECT_THAT(coverage.FreeOpcodes(),
              ElementsAre(0x00, 0x31, 0x33, 0x39, 0x3A, 0x3B, 0x3C, 0x3D, 0x3E, 0x3F));
  // M_BMM and M_BTMM fix rd: 15 of 16 words are free.
  EXPECT_THAT(coverage.PartlyFreeOpcodes(), ElementsAre(0x03, 0x04));
  EXPECT_EQ(coverage.by_opcode[3].unassigned, (std::uint64_t{1} << 26) / 16 * 15);
}

TEST(DocumentCoverageTest, Version10LacksTwoAdditions) {
  const WordCounts now = CoverDocument(test::Builtin()).total;
  const WordCounts then = CoverDocument(test::Version10()).total;
  // 16 words of C_SET_TOPK_REG and 4,096 of V_TOPK policy 15.
  EXPECT_EQ(now.defined - then.defined, 16u + 4096u);
  EXPECT_EQ(then.unassigned - now.unassigned, std::uint64_t{1} << 26);
}

// Small sets, overlapping ones among them, against a decoder that looks at every word: bits above
// 15 are fixed to 0 by every row, so 2^16 words say everything.
TEST(DocumentCoverageTest, AgreesWithCountingWords) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 40; ++trial) {
    Document document;
    document.version = {1, 0};
    for (int i = 0; i < 4; ++i) {
      std::string encoding(16, '0');
      for (int bit = 0; bit < 12; ++bit) encoding += "01-----"[random() % 7];
      DocumentInstruction row = test::Bare("X" + std::to_string(i), encoding + "dddd");
      row.operands = {random() % 2 == 0 ? FpSource('d') : LoopRegister('d')};
      for (int j = 0; j < 4; ++j) {
        if (j != i) row.overlaps.push_back({"X" + std::to_string(j), "Random."});
      }
      document.instructions.push_back(row);
    }
    // Overlaps that do not exist must not be declared.
    for (DocumentInstruction& row : document.instructions) {
      std::erase_if(row.overlaps, [&](const DeclaredOverlap& overlap) {
        const FixedBits a = FixedBitsOf(row.encoding);
        const FixedBits b = FixedBitsOf(test::Row(document, overlap.with).encoding);
        return (a.mask & b.mask & (a.match ^ b.match)) != 0;
      });
    }
    const auto set = MakeInstructionSet(document, "isa.json");
    ASSERT_TRUE(set.ok()) << set.status();
    WordCounts expected;
    for (std::uint32_t word = 0; word < 1u << 16; ++word) {
      const DecodeProblem problem = (*set)->Decode(word, /*strict=*/true).problem;
      if (problem == DecodeProblem::kNone) {
        ++expected.defined;
      } else if (problem != DecodeProblem::kUndefined) {
        ++expected.reserved;
      }
    }
    const WordCounts total = CoverDocument(document).total;
    ASSERT_EQ(total.defined, expected.defined) << trial;
    ASSERT_EQ(total.reserved, expected.reserved) << trial;
  }
}

}  // namespace
}  // namespace moescope::isa
