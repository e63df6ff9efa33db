#include "cli/session/isa_usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "cli/session/exit_code.h"
#include "tests/isa/document_fixture.h"
#include "tests/isa/manual_table.h"
#include "tests/support/scratch_folder.h"

namespace moescope::session {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const InstructionUse& UseNamed(const CorpusUse& use, const std::string& mnemonic) {
  for (const InstructionUse& instruction : use.instructions) {
    if (instruction.mnemonic == mnemonic) return instruction;
  }
  ADD_FAILURE() << mnemonic;
  return use.instructions.front();
}

class IsaUsageTest : public ::testing::Test {
 protected:
  CorpusUse Use(const isa::InstructionSet& set = isa::InstructionSet::Builtin()) {
    const absl::StatusOr<CorpusUse> use = UseOfCorpus({folder_.path()}, set);
    EXPECT_TRUE(use.ok()) << use.status();
    return use.ok() ? *use : CorpusUse{};
  }
  test::ScratchFolder folder_;
};

TEST_F(IsaUsageTest, CountsWordsAndListsValues) {
  folder_.Write("a.asm",
                "S_ADDI_INT gp3, gp1, 17\nS_ADDI_INT gp2, gp1, 5\nS_ADDI_INT gp3, gp0, 99\n"
                "V_TOPK gp1, gp2, gp3, 15\n");
  folder_.Write("b.mem", "0x00000034 0x00000000\n");
  const CorpusUse use = Use();
  EXPECT_EQ(use.programs, 2u);
  EXPECT_EQ(use.words, 6u);
  EXPECT_EQ(use.undefined, 1u);
  EXPECT_EQ(use.instructions.size(), 54u);
  const InstructionUse& add = UseNamed(use, "S_ADDI_INT");
  EXPECT_EQ(add.words, 3u);
  ASSERT_EQ(add.fields.size(), 3u);
  EXPECT_THAT(add.fields[0].values, ElementsAre(2, 3));
  EXPECT_THAT(add.fields[1].values, ElementsAre(0, 1));
  EXPECT_THAT(add.fields[2].values, ElementsAre(5, 99));
  EXPECT_TRUE(add.fields[2].is_range);
  EXPECT_FALSE(add.fields[0].is_range);
  EXPECT_THAT(UseNamed(use, "V_TOPK").fields[3].values, ElementsAre(15));
  EXPECT_EQ(UseNamed(use, "C_BREAK").words, 1u);
  EXPECT_THAT(UseNamed(use, "M_MM").fields, IsEmpty());
}

// Random words against a count with the table of the manual.
TEST_F(IsaUsageTest, AgreesWithTheManual) {
  std::mt19937 random(6);
  std::string words;
  std::map<std::string, std::uint64_t> counts;
  std::map<std::string, std::set<std::uint32_t>> destinations;
  std::uint64_t undefined = 0;
  for (int i = 0; i < 5'000; ++i) {
    const auto word = static_cast<std::uint32_t>(random());
    absl::StrAppend(&words, absl::Hex(word), "\n");
    const isa::test::ManualReading reading = isa::test::ReadByManual(word);
    if (reading.row == nullptr || reading.is_reserved) {
      ++undefined;
      continue;
    }
    ++counts[reading.row->mnemonic];
    const auto rd = reading.fields.find('d');
    if (rd != reading.fields.end()) destinations[reading.row->mnemonic].insert(rd->second);
  }
  folder_.Write("random.mem", words);
  const CorpusUse use = Use();
  EXPECT_EQ(use.words, 5'000u);
  EXPECT_EQ(use.undefined, undefined);
  for (const InstructionUse& instruction : use.instructions) {
    EXPECT_EQ(instruction.words, counts[instruction.mnemonic]) << instruction.mnemonic;
    for (const InstructionUse::Field& field : instruction.fields) {
      if (field.letter != 'd') continue;
      EXPECT_EQ(std::set<std::uint32_t>(field.values.begin(), field.values.end()),
                destinations[instruction.mnemonic]);
    }
  }
}

TEST_F(IsaUsageTest, Reports) {
  folder_.Write("a.asm", "S_LUI_INT gp3, 17\nS_LUI_INT gp3, 9\nC_BREAK\n");
  const isa::DocumentCoverage coverage = isa::CoverDocument(isa::test::Builtin());
  const CorpusUse use = Use();
  const std::string text = CoverageReport(coverage, use);
  EXPECT_THAT(text, HasSubstr("corpus: 1 program, 3 words, 0 undefined\n"
                              "  S_LUI_INT                 2  rd 3  imm 9..17\n"
                              "  C_BREAK                   1\n"
                              "not used: M_MM, M_TMM, "));
  EXPECT_THAT(text, EndsWith(", V_TOPK, C_SET_TOPK_REG\n"));
  EXPECT_EQ(CoverageReport(coverage, std::nullopt), isa::CoverageText(coverage));
  const Json json = *ParseJson(CoverageJson(coverage, use), "c.json", "MF001");
  EXPECT_EQ(json["schema"], "moescope.isa_coverage");
  EXPECT_EQ(json["total"]["defined"], 545'732'353u);
  EXPECT_EQ(json["opcodes"].size(), 64u);
  EXPECT_EQ(json["free_opcodes"].size(), 10u);
  EXPECT_EQ(json["corpus"]["words"], 3);
  for (const Json& instruction : json["corpus"]["instructions"]) {
    if (instruction["mnemonic"] != "S_LUI_INT") continue;
    EXPECT_EQ(instruction["fields"]["rd"]["values"], Json({3}));
    EXPECT_EQ(instruction["fields"]["imm"], (Json{{"smallest", 9}, {"largest", 17}}));
  }
  EXPECT_FALSE(
      ParseJson(CoverageJson(coverage, std::nullopt), "c.json", "MF001")->contains("corpus"));
}

TEST_F(IsaUsageTest, ProgramsThatTheSetCannotSayAreErrors) {
  folder_.Write("a.asm", "C_SET_TOPK_REG gp1\n");
  const auto set = *isa::MakeInstructionSet(isa::test::Version10(), "old.json");
  const absl::StatusOr<CorpusUse> use = UseOfCorpus({folder_.path()}, *set);
  EXPECT_EQ(ExitCodeOf(use.status()), ExitCode::kInput);
  EXPECT_THAT(std::string(use.status().message()), HasSubstr("exists since 1.1"));
  EXPECT_EQ(UseNamed(Use(), "C_SET_TOPK_REG").words, 1u);
}

}  // namespace
}  // namespace moescope::session
