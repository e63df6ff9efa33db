#include <gtest/gtest.h>

#include <random>
#include <string>

#include "asm/assembler.h"
#include "asm/disassembler.h"
#include "asm/listing.h"

// Damaged assembly text: always a program or diagnostics, never a crash; and the program's listing
// and disassembly work.

namespace moescope::assembler {
namespace {

constexpr char kSource[] =
    ".equ ROWS, 4\n"
    ".macro LOAD dst, value\n"
    "  S_LUI_INT \\dst, hi(\\value) ; \\value\n"
    "; @stage=expert_weight_prefetch pair=\\value\n"
    "  S_ADDI_INT \\dst, \\dst, lo(\\value)\n"
    ".endm\n"
    "S_ADDI_INT gp1, gp0, (ROWS + 1) * 2 << 3 ; comment \xE2\x86\x92\n"
    "; @stage=expert_projection pair=3 expert=1\n"
    "LOAD gp2, 262152\r\n"
    "; @stage_push=expert_bias\n"
    "C_LOOP_START gp4, 3\n"
    ".rept 2\n"
    "V_SUB_VF gp1, gp2, f3, 1, 1\n"
    ".rept ROWS\nM_MM 0, gp2, gp3\n.endr\n"
    ".endr\n"
    "C_LOOP_END gp4\n"
    "; @stage_pop\n"
    ".include \"a.inc\"\n"
    ".word 0xFFFFFFFF // raw\n"
    "C_BREAK\n";

constexpr char kIncluded[] = "LOAD gp3, 7\n.include \"b.inc\"\n; @stage_end\nM_MM_WO gp1, 0, 4\n";

std::string Damaged(std::mt19937& random, std::string text) {
  constexpr std::string_view kInteresting = ".\\;@(),\n\"gpfa0x- \xFF\x00/";
  for (std::size_t changes = random() % 4; changes > 0 && !text.empty(); --changes) {
    const std::size_t at = random() % text.size();
    switch (random() % 5) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text[at] = kInteresting[random() % kInteresting.size()];
        break;
      case 2:
        text.erase(at, random() % 12);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), random() % 60));
        break;
      default:
        text.insert(at, 1, kInteresting[random() % kInteresting.size()]);
        break;
    }
  }
  return text;
}

TEST(MutationTest, DamagedTextsNeverCrash) {
  std::mt19937 random(11);
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string included = Damaged(random, kIncluded);
    AssembleOptions options;
    options.max_errors = round % 3 == 0 ? 0 : 20;
    options.limits.lines = 5'000;
    options.read_file = [&included](const std::string& path) -> absl::StatusOr<std::string> {
      if (path == "a.inc") return included;
      if (path == "b.inc") return std::string("S_EXP_FP f1, f2\n");
      return absl::NotFoundError("no such file");
    };
    const absl::StatusOr<Assembly> assembly = Assemble(Damaged(random, kSource), "a.asm", options);
    if (!assembly.ok()) {
      ASSERT_FALSE(DiagnosticsOf(assembly.status()).empty());
      ++refused;
      continue;
    }
    ++accepted;
    ASSERT_TRUE(isa::Validate(assembly->program).ok());
    ASSERT_FALSE(WriteListing(*assembly).empty());
    const absl::StatusOr<Assembly> again =
        Assemble(Disassemble(assembly->program), "dis.asm", options);
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(again->program.words, assembly->program.words);
  }
  EXPECT_GT(accepted, 1'000);
  EXPECT_GT(refused, 1'000);
}

TEST(MutationTest, RandomBytes) {
  std::mt19937 random(12);
  for (int round = 0; round < 5'000; ++round) {
    std::string text(random() % 200, '\0');
    for (char& c : text) c = static_cast<char>(random() % (round % 2 == 0 ? 256 : 96) + 10);
    const absl::StatusOr<Assembly> assembly = Assemble(text, "a.asm");
    ASSERT_TRUE(assembly.ok() || !DiagnosticsOf(assembly.status()).empty());
  }
}

}  // namespace
}  // namespace moescope::assembler
