#include "isa/document_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/isa/document_fixture.h"

namespace moescope::isa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Messages(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> messages;
  for (const Diagnostic& d : diagnostics) messages.push_back(d.id + " " + d.message);
  return messages;
}

std::vector<std::string> FindingsOf(const Document& document) {
  return Messages(CheckDocument(document, "isa.json").diagnostics);
}

// The findings after a change to C_SET_SCALE_REG of the built-in set.
std::vector<std::string> After(auto change) {
  Document document = test::Builtin();
  change(test::Row(document, "C_SET_SCALE_REG"));
  return FindingsOf(document);
}

TEST(DocumentCheckTest, TheBuiltinSetIsClean) {
  EXPECT_THAT(FindingsOf(test::Builtin()), IsEmpty());
  EXPECT_THAT(FindingsOf(test::Version10()), IsEmpty());
}

TEST(DocumentCheckTest, EveryFinding) {
  EXPECT_THAT(After([](auto& row) { row.encoding = "----------------------dddd101101"; }),
              ElementsAre("IS010 C_SET_SCALE_REG and C_SET_STRIDE_REG share the word 0x0000002D"));
  EXPECT_THAT(After([](auto& row) { row.encoding = "dddd101100"; }),
              ElementsAre("IS011 C_SET_SCALE_REG: encoding 'dddd101100' has 10 characters, not "
                          "32"));
  EXPECT_THAT(After([](auto& row) { row.encoding[1] = 'x'; }),
              ElementsAre("IS011 C_SET_SCALE_REG: encoding '-x--------------------dddd101100' has "
                          "'x' at bit 30; allowed are 0 1 - d a b c f i"));
  EXPECT_THAT(After([](auto& row) { row.encoding = "d---------------------ddd-101100"; }),
              ElementsAre("IS012 C_SET_SCALE_REG: field rd ('d') is not contiguous",
                          "IS012 C_SET_SCALE_REG: field rd has 25 bits; a gp register needs 4"));
  EXPECT_THAT(After([](auto& row) { row.operands.clear(); }),
              ElementsAre("IS012 C_SET_SCALE_REG: field rd ('d') belongs to no operand"));
  EXPECT_THAT(After([](auto& row) { row.operands.push_back(row.operands[0]); }),
              ElementsAre("IS012 C_SET_SCALE_REG: field rd ('d') belongs to 2 operands"));
  EXPECT_THAT(After([](auto& row) { row.encoding = "-----------------------ddd101100"; }),
              ElementsAre("IS012 C_SET_SCALE_REG: field rd has 3 bits; a gp register needs 4"));
  EXPECT_THAT(After([](auto& row) { row.mnemonic = "c_break"; }),
              ElementsAre("IS013 C_BREAK is the name of 2 instructions"));
  EXPECT_THAT(After([](auto& row) { row.mnemonic = "C BREAK"; }),
              ElementsAre("IS013 'C BREAK' is no mnemonic: a letter, then letters, digits and _"));
  EXPECT_THAT(After([](auto& row) { row.semantics = "C_BREAK"; }),
              ElementsAre("IS014 semantics 'C_BREAK' is that of 2 instructions, among them "
                          "C_SET_SCALE_REG and C_BREAK"));
  EXPECT_THAT(After([](auto& row) { row.summary = ""; }),
              ElementsAre("IS015 C_SET_SCALE_REG: the summary is missing"));
  EXPECT_THAT(After([](auto& row) { row.summary = "SCALE"; }),
              ElementsAre("IS015 C_SET_SCALE_REG: the summary does not end with a full stop"));
  EXPECT_THAT(After([](auto& row) {
                row.overlaps = {{"C_BREAK", "Because."}};
              }),
              ElementsAre("IS016 C_SET_SCALE_REG declares an overlap with C_BREAK, but they share "
                          "no word"));
  EXPECT_THAT(After([](auto& row) {
                row.since = {1, 2};
              }),
              ElementsAre("IS017 C_SET_SCALE_REG: since 1.2, after the version of the document, "
                          "1.1"));
  EXPECT_THAT(After([](auto& row) {
                row.encoding = "------------------ccccdddd101100";
                row.operands.insert(row.operands.begin(), Mask('c'));
              }),
              ElementsAre("IS018 C_SET_SCALE_REG: operand 2 is required and stands behind an "
                          "optional one"));
}

// Ten thousand instructions of 16 fixed bits each; the last two collide.
TEST(DocumentCheckTest, TenThousandInstructionsTakeUnderASecond) {
  Document document;
  document.version = {1, 0};
  for (unsigned i = 0; i < 10'000; ++i) {
    std::string encoding(16, '-');
    for (int bit = 15; bit >= 0; --bit) encoding += (i >> bit & 1) != 0 ? '1' : '0';
    document.instructions.push_back(test::Bare(absl::StrCat("X", i), encoding));
  }
  document.instructions.back().encoding = document.instructions.front().encoding;
  const std::clock_t start = std::clock();  // of this process: other load does not count
  const DocumentFindings findings = CheckDocument(document, "isa.json");
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_THAT(Messages(findings.diagnostics),
              ElementsAre("IS010 X0 and X9999 share the word 0x00000000"));
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
  EXPECT_LT(seconds, 1.0);
}

TEST(DocumentCheckTest, ManyFindingsAreCountedAndNotKept) {
  Document document;
  document.version = {1, 0};
  for (int i = 0; i < 100; ++i) {
    document.instructions.push_back(test::Bare(absl::StrCat("X", i), std::string(32, '-')));
  }
  const DocumentFindings findings = CheckDocument(document, "isa.json");
  EXPECT_EQ(findings.errors, 4950u);
  EXPECT_EQ(findings.diagnostics.size(), kMaximumFindings + 1);
  EXPECT_EQ(findings.diagnostics.back().message, "3950 more like this");
}

// The witness is the smallest common word: found by trial over 12 bits.
TEST(DocumentCheckTest, TheWitnessIsTheSmallestCommonWord) {
  std::mt19937 random(5);
  const auto encoding = [&random] {
    std::string text(20, '0');
    for (int i = 0; i < 12; ++i) text += "01--"[random() % 4];
    return text;
  };
  const auto matches = [](std::uint32_t word, const std::string& text) {
    const FixedBits bits = FixedBitsOf(text);
    return ((word ^ bits.match) & bits.mask) == 0;
  };
  for (int trial = 0; trial < 2'000; ++trial) {
    const std::string a = encoding();
    const std::string b = encoding();
    std::optional<std::uint32_t> expected;
    for (std::uint32_t word = 0; word < 4096 && !expected; ++word) {
      if (matches(word, a) && matches(word, b)) expected = word;
    }
    ASSERT_EQ(CommonWord(a, b), expected) << a << " " << b;
  }
}

}  // namespace
}  // namespace moescope::isa
