// R02: two options may share encodings on purpose: only if declared, otherwise an error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "isa/document_check.h"
#include "tests/isa/document_fixture.h"

namespace moescope::isa {
namespace {

using ::testing::ElementsAre;

Document Pair(std::vector<DeclaredOverlap> of_a, std::vector<DeclaredOverlap> of_b) {
  Document document;
  document.version = {1, 0};
  document.instructions = {test::Bare("A", "--------------------------110111"),
                           test::Bare("B", "----------1111------------110111")};
  document.instructions[0].overlaps = std::move(of_a);
  document.instructions[1].overlaps = std::move(of_b);
  return document;
}

std::vector<std::string> Rendered(const Document& document) {
  std::vector<std::string> found;
  for (const Diagnostic& finding : CheckDocument(document, "isa.json").diagnostics) {
    found.push_back(std::string(SeverityName(finding.severity)) + ": " + finding.message);
  }
  return found;
}

TEST(R02_DeclaredOverlap, UndeclaredIsAnError) {
  EXPECT_THAT(Rendered(Pair({}, {})), ElementsAre("error: B and A share the word 0x003C0037"));
}

TEST(R02_DeclaredOverlap, DeclaredOnBothSidesIsListed) {
  const Document document = Pair({{"B", "Two build options."}}, {{"A", "Two build options."}});
  EXPECT_THAT(
      Rendered(document),
      ElementsAre("note: B and A share the word 0x003C0037, as declared: Two build options."));
  EXPECT_EQ(CheckDocument(document, "isa.json").errors, 0u);
  // The more special one decodes its words, whichever stands first.
  const auto set = MakeInstructionSet(document, "isa.json");
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ((*set)->Decode(0x003C0037).instruction->mnemonic, "B");
  EXPECT_EQ((*set)->Decode(0x00380037).instruction->mnemonic, "A");
}

TEST(R02_DeclaredOverlap, OneSideOrNoReasonIsAnError) {
  EXPECT_THAT(Rendered(Pair({{"B", "Two build options."}}, {})),
              ElementsAre("error: A declares an overlap with B, but B does not declare it"));
  EXPECT_THAT(Rendered(Pair({{"B", ""}}, {{"A", "Reason."}})),
              testing::Contains("error: A declares an overlap with B without a reason"));
}

}  // namespace
}  // namespace moescope::isa
