// R05: assembling a disassembly and disassembling an assembly are identities; mutated bytes never
// abort the disassembler. The built command is used as a user would use it; tests/asm proves the
// same over the whole encoding space inside the library.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "isa/instruction_set.h"
#include "tests/support/child_process.h"
#include "tests/support/scratch_folder.h"

namespace moescope {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class R05_Identities : public ::testing::Test {
 protected:
  // What the command prints; a failure of the test unless it exits 0.
  std::string Call(const std::vector<std::string>& words) const {
    const test::ProcessResult result = test::Moescope(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }

  test::ScratchFolder folder_;
};

// Random words: of every instruction with random operand fields, then of any bits at all.
std::vector<std::uint32_t> RandomWords(std::uint32_t seed, std::size_t count) {
  std::mt19937 random(seed);
  const std::vector<isa::Instruction>& rows = isa::InstructionSet::Builtin().instructions();
  std::vector<std::uint32_t> words;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    if (i % 2 == 1) {
      words.push_back(bits);
      continue;
    }
    const isa::Instruction& row = rows[i / 2 % rows.size()];
    std::uint32_t word = 0;
    for (std::size_t bit = 0; bit < 32; ++bit) {
      const char c = row.encoding[31 - bit];
      const std::uint32_t value = c == '1' ? 1 : c == '-' || c == '0' ? 0 : bits >> bit & 1;
      word |= value << bit;
    }
    words.push_back(word);
  }
  return words;
}

TEST_F(R05_Identities, AssemblingADisassemblyGivesTheWords) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    std::string mem;
    for (const std::uint32_t word : RandomWords(seed, 2000))
      mem += absl::StrFormat("0x%08X\n", word);
    const std::string text = Call({"dis", folder_.Write("w.mem", mem)});
    EXPECT_EQ(Call({"asm", folder_.Write("w.asm", text), "--emit=mem", "-o", "-", "-q"}), mem);
  }
}

TEST_F(R05_Identities, DisassemblingAnAssemblyGivesWordsAndMarkers) {
  constexpr char kText[] =
      "S_ADDI_INT gp1, gp0, 5\n"
      "; @stage=expert_projection pair=3 expert=7\n"
      "V_ADD_VV gp1, gp1, gp1, 0\n"
      "; @stage_push=expert_bias pair=3 expert=7\n"
      "V_ADD_VV gp1, gp1, gp1, 0\n"
      "; @stage_pop\n"
      "V_ADD_VV gp1, gp1, gp1, 0\n"
      "; @stage_end\n"
      "C_BREAK\n";
  const std::string container = folder_.Path("a.moe");
  Call({"asm", folder_.Write("a.asm", kText), "-o", container});
  EXPECT_EQ(Call({"dis", container}), kText);
  // And once more around.
  const std::string again = folder_.Path("b.moe");
  Call({"asm", folder_.Write("b.asm", Call({"dis", container})), "-o", again});
  EXPECT_EQ(Call({"dis", again}), kText);
}

TEST_F(R05_Identities, MutatedBytesNeverAbortTheDisassembler) {
  const std::string container = folder_.Path("a.moe");
  Call({"asm",
        folder_.Write("a.asm", "; @stage=gather pair=1\nV_ADD_VV gp1, gp1, gp1, 0\nC_BREAK\n"),
        "-o", container});
  const std::string bytes = folder_.Read("a.moe");
  std::mt19937 random(5);
  int refused = 0;
  constexpr int kRounds = 150;
  for (int round = 0; round < kRounds; ++round) {
    std::string mutated = bytes;
    switch (round % 3) {
      case 0:
        mutated[random() % mutated.size()] = static_cast<char>(random());
        break;
      case 1:
        mutated.resize(random() % mutated.size());
        break;
      default:
        mutated.insert(random() % mutated.size(), 1 + random() % 9, static_cast<char>(random()));
    }
    const test::ProcessResult result = test::Moescope({"dis", folder_.Write("m.moe", mutated)});
    // Printed, or refused with a finding; never a signal (128 and above) or a defect of ours (70).
    EXPECT_THAT(result.code, AnyOf(0, 3)) << "round " << round << "\n" << result.err;
    if (result.code == 3) {
      ++refused;
      // What lost its magic is no container any more and is read as assembly.
      EXPECT_THAT(result.err, AnyOf(HasSubstr("[PC"), HasSubstr("[IS"), HasSubstr("[AS")))
          << result.err;
    }
  }
  // Every section has a checksum: hardly a change goes unnoticed.
  EXPECT_GT(refused, kRounds * 9 / 10);
}

}  // namespace
}  // namespace moescope
