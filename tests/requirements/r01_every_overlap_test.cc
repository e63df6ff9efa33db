// R01: `isa check` finds every overlapping pair whatever the order of definitions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "isa/document_check.h"
#include "tests/isa/document_fixture.h"

namespace moescope::isa {
namespace {

using ::testing::ElementsAre;

TEST(R01_EveryOverlap, InAll24Orders) {
  Document document;
  document.version = {1, 0};
  document.instructions = {test::Bare("A", "--------------------------000001"),
                           test::Bare("B", "-----------------------1--000001"),
                           test::Bare("C", "--------------------------000010"),
                           test::Bare("D", "1-------------------------00001-")};
  std::vector<std::size_t> order = {0, 1, 2, 3};
  int orders = 0;
  do {
    Document permuted = document;
    for (std::size_t i = 0; i < 4; ++i) {
      permuted.instructions[i] = document.instructions[order[i]];
    }
    std::vector<std::string> found;
    for (const Diagnostic& finding : CheckDocument(permuted, "isa.json").diagnostics) {
      found.push_back(finding.message);
    }
    EXPECT_THAT(found, ElementsAre("B and A share the word 0x00000101",
                                   "C and D share the word 0x80000002"));
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(orders, 24);
}

}  // namespace
}  // namespace moescope::isa
