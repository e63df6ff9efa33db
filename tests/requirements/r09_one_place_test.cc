// R09: changing one instruction's encoding or latency in one place changes assembler, disassembler,
// emulator, documentation and profile. Each test edits one row of a document and looks at all five.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "asm/assembler.h"
#include "asm/disassembler.h"
#include "cli/session/isa_side.h"
#include "isa/document.h"
#include "isa/isa_hash.h"
#include "isa/reference.h"
#include "tests/isa/document_fixture.h"
#include "tests/support/scratch_folder.h"

namespace moescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kProgram[] =
    "S_ADDI_INT gp1, gp0, 6\nS_MUL_INT gp2, gp1, gp1\nV_EXP_V gp0, gp0\nC_BREAK\n";

// The program and its run under one set.
struct Side {
  std::unique_ptr<const isa::InstructionSet> set;
  session::SideRun run;
  std::string text;  // of the disassembly

  const profiler::OpcodeEntry& Opcode(const std::string& mnemonic) const {
    for (const profiler::OpcodeEntry& opcode : run.profile.opcodes) {
      if (opcode.mnemonic == mnemonic) return opcode;
    }
    ADD_FAILURE() << "no " << mnemonic << " in the profile";
    return run.profile.opcodes.front();
  }
};

class R09_OnePlace : public ::testing::Test {
 protected:
  Side Under(const isa::Document& document) {
    Side side;
    side.set = *isa::MakeInstructionSet(document, "isa.json");
    session::CorpusEntry entry;
    entry.has_text = true;
    entry.request.program.file = folder_.Write("p.asm", kProgram);
    entry.request.machine.timing = "serial";
    absl::StatusOr<isa::Program> program = session::ProgramUnder(entry, *side.set);
    EXPECT_TRUE(program.ok()) << program.status();
    absl::StatusOr<session::SideRun> run = session::RunUnder(entry, *std::move(program), *side.set);
    EXPECT_TRUE(run.ok()) << run.status();
    side.run = *std::move(run);
    side.text = assembler::Disassemble(side.run.program, {.instruction_set = side.set.get()});
    return side;
  }

  test::ScratchFolder folder_;
};

TEST_F(R09_OnePlace, Encoding) {
  isa::Document changed = isa::test::Builtin();
  // rs1 and rs2 trade places and the opcode moves: one string.
  isa::test::Row(changed, "S_MUL_INT").encoding = "--------------aaaabbbbdddd111101";
  const Side before = Under(isa::test::Builtin());
  const Side after = Under(changed);
  // Assembler.
  EXPECT_EQ(before.run.program.words[1], 0x000044A4u);
  EXPECT_EQ(after.run.program.words[1], 0x000044BDu);
  // Disassembler.
  EXPECT_EQ(before.text, after.text);
  EXPECT_THAT(assembler::Disassemble(after.run.program), HasSubstr(".word 0x000044BD"));
  // Emulator.
  EXPECT_EQ(after.run.state->registers.gp[2], 36u);
  EXPECT_EQ(before.run.state->registers.gp[2], 36u);
  // Documentation.
  EXPECT_THAT(isa::ReferenceMarkdown(changed), HasSubstr("--------------aaaabbbbdddd111101"));
  EXPECT_THAT(isa::ReferenceMarkdown(isa::test::Builtin()),
              Not(HasSubstr("--------------aaaabbbbdddd111101")));
  // Profile.
  EXPECT_EQ(after.Opcode("S_MUL_INT").instructions, 1u);
  EXPECT_NE(isa::IsaHash(*after.set), isa::IsaHash(*before.set));
}

TEST_F(R09_OnePlace, Latency) {
  isa::Document changed = isa::test::Builtin();
  isa::test::Row(changed, "V_EXP_V").timing = isa::TimingClass::kVectorReciprocal;
  const Side before = Under(isa::test::Builtin());
  const Side after = Under(changed);
  EXPECT_EQ(before.run.program.words, after.run.program.words);
  EXPECT_EQ(before.text, after.text);
  EXPECT_NE(before.run.end.cycles, after.run.end.cycles);
  EXPECT_NE(isa::ReferenceMarkdown(changed), isa::ReferenceMarkdown(isa::test::Builtin()));
  EXPECT_NE(before.Opcode("V_EXP_V").cycles, after.Opcode("V_EXP_V").cycles);
  EXPECT_EQ(before.Opcode("S_MUL_INT").cycles, after.Opcode("S_MUL_INT").cycles);
}

TEST_F(R09_OnePlace, NameAndOperands) {
  isa::Document changed = isa::test::Builtin();
  isa::DocumentInstruction& row = isa::test::Row(changed, "C_BREAK");
  row.mnemonic = "C_HALT";
  row.operands.push_back(isa::Pad());
  const auto set = *isa::MakeInstructionSet(changed, "isa.json");
  assembler::AssembleOptions options;
  options.instruction_set = set.get();
  EXPECT_TRUE(assembler::Assemble("C_HALT 0, 0, 0, 0\n", "a.asm", options).ok());
  EXPECT_FALSE(assembler::Assemble("C_BREAK\n", "a.asm", options).ok());
  EXPECT_EQ(set->Text(0x34), "C_HALT");
  EXPECT_THAT(isa::ReferenceMarkdown(changed), HasSubstr("C_HALT"));
  session::CorpusEntry entry;
  entry.request.machine.timing = "rtl";
  const absl::StatusOr<session::SideRun> run =
      session::RunUnder(entry, isa::ProgramFromWords({0x34, 0x00004062}), *set);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->end.reason, emulator::EndReason::kBreak);
  EXPECT_EQ(run->profile.opcodes.front().mnemonic, "C_HALT");
}

}  // namespace
}  // namespace moescope
