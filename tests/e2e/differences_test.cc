// docs/differences.md against the built command: every setting, option and file that its last
// column names exists, and each setting really reproduces what its row says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/option.h"
#include "tests/support/child_process.h"
#include "tests/support/project_folders.h"
#include "tests/support/scratch_folder.h"

namespace moescope {
namespace {

using test::Moescope;
using test::ProcessResult;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

std::string Page() { return *ReadFile(test::SourceFolder() + "/docs/differences.md"); }

struct Row {
  std::string topic;
  std::string answer;              // the last column
  std::vector<std::string> codes;  // what stands between back quotes there
};

std::vector<Row> Rows() {
  std::vector<Row> rows;
  std::istringstream in(Page());
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| ")) continue;
    std::vector<std::string> cells = absl::StrSplit(line.substr(2, line.size() - 4), " | ");
    if (cells[0] == "topic") continue;
    Row& row = rows.emplace_back(Row{cells[0], cells.back(), {}});
    const std::vector<std::string> pieces = absl::StrSplit(cells.back(), '`');
    for (std::size_t i = 1; i < pieces.size(); i += 2) row.codes.push_back(pieces[i]);
  }
  return rows;
}

bool IsOptionOf(std::string_view command, std::string_view option) {
  for (const cli::Command* c : cli::Commands()) {
    if (c->name != command) continue;
    for (const cli::Option& o : c->options) {
      if (o.name == option) return true;
    }
  }
  return false;
}

bool IsOption(std::string_view option) {
  for (const cli::Command* command : cli::Commands()) {
    if (IsOptionOf(command->name, option)) return true;
  }
  return false;
}

TEST(DifferencesTest, EveryRowHasAnAnswerOfOneOfThreeKinds) {
  const std::vector<Row> rows = Rows();
  EXPECT_EQ(rows.size(), 28u);
  for (const Row& row : rows) {
    const bool is_same = row.answer.starts_with("same as ");
    const bool is_not = row.answer.find("not reproduced") != std::string::npos;
    EXPECT_TRUE(is_same || is_not || !row.codes.empty()) << row.topic;
  }
}

// `key = value` is a setting of machines, `COMMAND --option FILE` and `--option` are of the command
// line; a file is one of this tree.
TEST(DifferencesTest, WhatIsNamedExists) {
  int settings = 0;
  int options = 0;
  for (const Row& row : Rows()) {
    for (const std::string& code : row.codes) {
      const std::vector<std::string> words = absl::StrSplit(code, ' ');
      if (words.size() == 3 && words[1] == "=") {
        const std::string value = absl::StrReplaceAll(words[2], {{"\"", ""}});
        const ProcessResult shown =
            Moescope({"machine", "show", "plena-64", absl::StrCat("--set=", words[0], "=", value)});
        EXPECT_EQ(shown.code, 0) << row.topic << ": " << shown.err;
        EXPECT_THAT(shown.out, HasSubstr(absl::StrCat("MOESCOPE.", words[0]))) << row.topic;
        ++settings;
        continue;
      }
      for (const std::string& word : words) {
        if (word.starts_with("--")) {
          EXPECT_TRUE(words[0] == word ? IsOption(word.substr(2))
                                       : IsOptionOf(words[0], word.substr(2)))
              << row.topic << ": " << code;
          ++options;
        }
        if (word.find('/') != std::string::npos) {
          EXPECT_TRUE(ReadFile(absl::StrCat(test::SourceFolder(), "/", word)).ok()) << word;
        }
      }
    }
  }
  EXPECT_GE(settings, 4);
  EXPECT_GE(options, 2);
}

// The text above the table names these too.
TEST(DifferencesTest, TheIntroductionIsRight) {
  EXPECT_TRUE(IsOptionOf("run", "dialect"));
  const ProcessResult known = Moescope({"machine", "show", "plena-64", "--dialect", "reference"});
  EXPECT_EQ(known.code, 0) << known.err;
  for (const char* setting :
       {"MOESCOPE.convention +reference ", "MOESCOPE.masked_reduction +reference ",
        "MOESCOPE.scale_read +single_block "}) {
    EXPECT_THAT(known.out, ContainsRegex(setting));
  }
  // An unknown setting is an error, so that the checks above can fail.
  EXPECT_EQ(Moescope({"machine", "show", "plena-64", "--set=masked_reductions=reference"}).code, 3);
  EXPECT_EQ(Moescope({"machine", "show", "plena-64", "--set=masked_reduction=public"}).code, 3);
}

// ---- What the settings do -----------------------------------------------------------------------

class ReproductionTest : public ::testing::Test {
 protected:
  // The registers after a program, on a machine with more words of the command line.
  std::string Registers(const std::string& program, const Words& more) {
    const ProcessResult result = Run(program, more);
    EXPECT_EQ(result.code, 0) << result.err;
    return folder_.Read("registers.json");
  }
  ProcessResult Run(const std::string& program, const Words& more) {
    folder_.Write("p.asm", program);
    Words words = {"run", "--opcode=p.asm", "--dump=registers,intsram,fpsram", "-q",
                   "--set=VECTOR_SRAM_SIZE=64"};
    words.insert(words.end(), more.begin(), more.end());
    test::ProcessOptions options;
    options.folder = folder_.path();
    return Moescope(words, options);
  }
  // FP_MEM word 0 after a run.
  int FpWord(const std::string& program, const Words& more) {
    EXPECT_EQ(Run(program, more).code, 0);
    const std::string dump = folder_.Read("fpsram_dump.bin");
    return static_cast<unsigned char>(dump[0]) | static_cast<unsigned char>(dump[1]) << 8;
  }

  test::ScratchFolder folder_;
};

// Heads 0 and 2 of four are enabled; every lane of row 0 holds 1. The public emulator sums enabled
// lanes HLEN times and disabled ones once: 16 x 32 + 32 = 544 instead of 32.
TEST_F(ReproductionTest, MaskedReduction) {
  std::string ones;
  for (int lane = 0; lane < 64; ++lane) ones += std::string("\x80\x3F", 2);
  folder_.Write("ones.bin", ones);
  const std::string program =
      "S_ADDI_INT gp1, gp0, 5\nC_SET_V_MASK_REG gp1\nV_RED_SUM f1, gp0, 1\nS_ST_FP f1, gp0, 0\n";
  const int ours = FpWord(program, {"--vram=ones.bin"});
  const int theirs = FpWord(program, {"--vram=ones.bin", "--dialect=masked_reduction=reference"});
  EXPECT_EQ(ours, 0x4200);    // 32
  EXPECT_EQ(theirs, 0x4408);  // 544
}

TEST_F(ReproductionTest, LoopDepth) {
  std::string program;
  for (int depth = 1; depth <= 5; ++depth)
    absl::StrAppend(&program, "C_LOOP_START gp", depth, ", 1\n");
  for (int depth = 5; depth >= 1; --depth) absl::StrAppend(&program, "C_LOOP_END gp", depth, "\n");
  EXPECT_EQ(Run(program, {}).code, 0);
  EXPECT_EQ(Run(program, {"--set=max_loop_depth=5"}).code, 0);
  const ProcessResult four = Run(program, {"--set=max_loop_depth=4"});
  EXPECT_EQ(four.code, 4);
  EXPECT_EQ(Run(program, {"--set=max_loop_depth=0"}).code, 0);
}

// Our scale is 1/sqrt(HLEN): 0.25 for the public HLEN of 16, and another one elsewhere.
TEST_F(ReproductionTest, BroadcastScale) {
  const Words narrow = {"machine", "show", "plena-64", "--set=HLEN=4", "--set=BROADCAST_AMOUNT=16"};
  Words fixed = narrow;
  fixed.push_back("--set=bmm_scale=0.25");
  EXPECT_THAT(Moescope(narrow).out, ContainsRegex("MOESCOPE.bmm_scale +0.5 "));
  EXPECT_THAT(Moescope(fixed).out, ContainsRegex("MOESCOPE.bmm_scale +0.25 "));
  EXPECT_THAT(Moescope({"machine", "show", "plena-64"}).out,
              ContainsRegex("MOESCOPE.bmm_scale +0.25 "));
}

TEST_F(ReproductionTest, TheTwoShapesOfTopK) {
  folder_.Write("topk.asm", "V_TOPK gp1, gp2, gp3, 15\n");
  test::ProcessOptions options;
  options.folder = folder_.path();
  const std::string old = test::SourceFolder() + "/examples/02_isa_changes/isa-1.0.json";
  EXPECT_EQ(Moescope({"asm", "--check", "topk.asm"}, options).code, 0);
  const ProcessResult refused = Moescope({"asm", "--check", "topk.asm", "--isa", old}, options);
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("[AS010]"));
  for (const char* policy : {"0", "1"}) {
    folder_.Write("topk.asm", absl::StrCat("V_TOPK gp1, gp2, gp3, ", policy, "\n"));
    EXPECT_EQ(Moescope({"asm", "--check", "topk.asm", "--isa", old}, options).code, 0) << policy;
  }
  folder_.Write("topk.asm", "C_SET_TOPK_REG gp1\n");
  EXPECT_EQ(Moescope({"asm", "--check", "topk.asm"}, options).code, 0);
  EXPECT_EQ(Moescope({"asm", "--check", "topk.asm", "--isa", old}, options).code, 3);
}

}  // namespace
}  // namespace moescope
