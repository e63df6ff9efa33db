#include "asm/disassembler.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "asm/assembler.h"
#include "asm/program_file.h"
#include "asm/word_files.h"
#include "isa/container.h"
#include "tests/support/gzip_file.h"
#include "tests/support/shared_folder.h"

namespace moescope::assembler {
namespace {

constexpr char kMarked[] =
    "C_LOOP_START gp1, 2\n"
    "; @stage=expert_projection pair=1 expert=5\n"
    "M_MM 0, gp2, gp3\n"
    "; @stage_push=expert_bias\n"
    "V_ADD_VV gp1, gp2, gp3, 0\n"
    "; @stage_push=expert_activation pair=2\n"
    "V_EXP_V gp1, gp2, 1\n"
    "; @stage_pop\n"
    "V_MUL_VV gp1, gp2, gp3, 0\n"
    "; @stage_pop\n"
    "M_MM_WO gp2, gp0, 0\n"
    "; @stage_end\n"
    "C_LOOP_END gp1\n"
    "; @stage=scatter_combine pair=2147483647\n"
    "V_ADD_VV gp4, gp4, gp5, 0\n";

isa::Program ProgramOf(std::string_view text) {
  const absl::StatusOr<Assembly> assembly = Assemble(text, "a.asm");
  EXPECT_TRUE(assembly.ok()) << assembly.status() << text;
  return assembly.ok() ? assembly->program : isa::Program();
}

// Words and stage table, without places.
void ExpectSameMeaning(isa::Program a, isa::Program b) {
  for (isa::Program* program : {&a, &b}) {
    for (isa::StageRange& range : program->ranges) range.line = range.file = 0;
  }
  EXPECT_EQ(a.words, b.words);
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(a.ranges, b.ranges);
}

TEST(DisassemblerTest, KeepsWordsAndStageTable) {
  const isa::Program program = ProgramOf(kMarked);
  const std::string text = Disassemble(program);
  ExpectSameMeaning(ProgramOf(text), program);
  EXPECT_EQ(Disassemble(ProgramOf(text)), text);
}

TEST(DisassemblerTest, Options) {
  const isa::Program program = ProgramOf(kMarked);
  EXPECT_EQ(Disassemble(program, {.markers = false, .end_pc = 2}),
            "C_LOOP_START gp1, 2\nM_MM 0, gp2, gp3\n");
  EXPECT_EQ(Disassemble(program, {.markers = false, .addresses = true, .begin_pc = 1, .end_pc = 3}),
            "M_MM 0, gp2, gp3  ; 00001: 0x0000C801\n"
            "V_ADD_VV gp1, gp2, gp3, 0  ; 00002: 0x0000C84D\n");
  ExpectSameMeaning(ProgramOf(Disassemble(program, {.addresses = true})), program);
}

TEST(DisassemblerTest, APartBeginsAndEndsWithItsRegions) {
  const isa::Program program = ProgramOf(kMarked);
  EXPECT_EQ(Disassemble(program, {.begin_pc = 3, .end_pc = 4}),
            "; @stage=expert_projection pair=1 expert=5\n"
            "; @stage_push=expert_bias pair=1 expert=5\n"
            "; @stage_push=expert_activation pair=2\n"
            "V_EXP_V gp1, gp2, 1\n"
            "; @stage_pop\n"
            "; @stage_pop\n");
  EXPECT_EQ(Disassemble(program, {.begin_pc = 4, .end_pc = 7}),
            "; @stage=expert_projection pair=1 expert=5\n"
            "; @stage_push=expert_bias pair=1 expert=5\n"
            "V_MUL_VV gp1, gp2, gp3, 0\n"
            "; @stage_pop\n"
            "M_MM_WO gp2, gp0, 0\n"
            "; @stage_end\n"
            "C_LOOP_END gp1\n");
  EXPECT_EQ(Disassemble(program, {.begin_pc = 0, .end_pc = 1}), "C_LOOP_START gp1, 2\n");
  EXPECT_EQ(Disassemble(program, {.begin_pc = 5, .end_pc = 5}), "");
  EXPECT_EQ(Disassemble(program, {.begin_pc = 100, .end_pc = 3}), "");
  EXPECT_EQ(Disassemble(program, {.begin_pc = 7}),
            "; @stage=scatter_combine pair=2147483647\nV_ADD_VV gp4, gp4, gp5, 0\n");
}

// Every part assembles by itself and gives its words with their stages, as long as it cuts no loop.
TEST(DisassemblerTest, EveryPartAssembles) {
  std::string text(kMarked);
  text.erase(0, text.find('\n') + 1);
  const std::size_t loop_end = text.find("C_LOOP_END gp1\n");
  text.replace(loop_end, 15, "C_SET_SCALE_REG gp1\n");
  const isa::Program program = ProgramOf(text);
  const auto size = static_cast<std::uint32_t>(program.words.size());
  const auto stage_of = [](const isa::Program& p, std::uint32_t pc) {
    for (const isa::StageRange& range : p.ranges) {
      if (pc >= range.begin_pc && pc < range.end_pc) {
        return std::tuple(p.names[range.name].name, range.pair, range.expert);
      }
    }
    using Number = std::optional<std::uint32_t>;
    return std::tuple(std::string("?"), Number(), Number());
  };
  for (std::uint32_t begin = 0; begin < size; ++begin) {
    for (std::uint32_t end = begin + 1; end <= size; ++end) {
      const isa::Program part = ProgramOf(Disassemble(program, {.begin_pc = begin, .end_pc = end}));
      ASSERT_EQ(part.words.size(), end - begin);
      for (std::uint32_t pc = begin; pc < end; ++pc) {
        EXPECT_EQ(part.words[pc - begin], program.words[pc]);
        EXPECT_EQ(stage_of(part, pc - begin), stage_of(program, pc)) << begin << ".." << end;
      }
    }
  }
}

TEST(DisassemblerTest, CorpusPrograms) {
  const auto shared = test::SharedFolder();
  if (!shared) GTEST_SKIP() << test::kNoSharedFolder;
  for (const auto& entry : std::filesystem::directory_iterator(*shared + "/corpus")) {
    if (!entry.is_directory()) continue;
    const auto text = test::ReadPlainOrGzipped(entry.path().string() + "/program.asm");
    ASSERT_TRUE(text.ok());
    const isa::Program program = ProgramOf(*text);
    ExpectSameMeaning(ProgramOf(Disassemble(program)), program);
  }
}

TEST(ProgramFileTest, FormatsAreRecognised) {
  const std::string container = isa::WriteContainer(isa::ProgramFromWords({1}));
  const auto detect = [](std::string_view bytes, const char* path) {
    return DetectProgramFormat(bytes, path);
  };
  EXPECT_EQ(detect(container, "x.asm"), ProgramFormat::kContainer);
  EXPECT_EQ(detect("0x1", "x.ASM"), ProgramFormat::kAssembly);
  EXPECT_EQ(detect("C_BREAK", "x.mem"), ProgramFormat::kMem);
  EXPECT_EQ(detect("0x1", "x.bin"), ProgramFormat::kBinary);
  EXPECT_EQ(detect("; words\n\n// more\n 0x00014062;x\n", "-"), ProgramFormat::kMem);
  EXPECT_EQ(detect("ABCD\n", "-"), ProgramFormat::kMem);
  EXPECT_EQ(detect("; text\nC_BREAK\n", "-"), ProgramFormat::kAssembly);
  EXPECT_EQ(detect("\xEF\xBB\xBF; \xE2\x86\x92\nC_BREAK\n", "-"), ProgramFormat::kAssembly);
  EXPECT_EQ(detect(std::string_view("\x62\x40\x01\x00", 4), "-"), ProgramFormat::kBinary);
  EXPECT_EQ(detect("", "-"), ProgramFormat::kAssembly);
}

TEST(ProgramFileTest, EveryFormatGivesTheProgram) {
  const isa::Program program = ProgramOf(kMarked);
  const AssembleOptions options;
  const auto load = [&](std::string bytes, ProgramFormat format) {
    return LoadProgram(std::move(bytes), "a.asm", format, options);
  };
  EXPECT_EQ(load(isa::WriteContainer(program), ProgramFormat::kContainer)->program, program);
  EXPECT_EQ(load(kMarked, ProgramFormat::kAssembly)->program, program);
  const isa::Program bare = isa::ProgramFromWords(program.words);
  EXPECT_EQ(load(WriteMem(program.words), ProgramFormat::kMem)->program, bare);
  EXPECT_EQ(load(WriteBinary(program.words), ProgramFormat::kBinary)->program, bare);
  EXPECT_EQ(load("V_EXP_V gp1, gp1, 2", ProgramFormat::kAssembly)->findings.size(), 1u);
  for (const ProgramFormat format : {ProgramFormat::kContainer, ProgramFormat::kMem,
                                     ProgramFormat::kBinary, ProgramFormat::kAssembly}) {
    EXPECT_FALSE(load("garbage", format).ok());
  }
}

}  // namespace
}  // namespace moescope::assembler
