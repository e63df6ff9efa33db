// R04: "Does my new instruction collide with something?" is answered with the colliding name and a
// witness word in under a second.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "isa/document_check.h"
#include "tests/isa/document_fixture.h"

namespace moescope::isa {
namespace {

TEST(R04_Candidate, NameAndWitness) {
  const std::clock_t start = std::clock();
  const std::vector<Diagnostic> findings =
      CheckCandidate(test::Builtin(), "----------1111------------110111", "builtin");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(RenderText(findings[0]),
            "builtin: error: the candidate and V_TOPK share the word 0x003C0037 [IS010]\n");
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC);
}

TEST(R04_Candidate, FreeAndMalformedEncodings) {
  EXPECT_TRUE(
      CheckCandidate(test::Builtin(), "----------------------dddd111001", "builtin").empty());
  // M_BMM fixes rd to 0, so the same opcode with rd = 1 is free.
  EXPECT_TRUE(
      CheckCandidate(test::Builtin(), "----------------------0001000011", "builtin").empty());
  const std::vector<Diagnostic> findings = CheckCandidate(test::Builtin(), "0101", "builtin");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message, "the candidate encoding '0101' has 4 characters, not 32");
}

}  // namespace
}  // namespace moescope::isa
