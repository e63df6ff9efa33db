#include "asm/listing.h"

#include <gtest/gtest.h>

#include "asm/emit.h"
#include "isa/container.h"
#include "isa/isa_hash.h"

namespace moescope::assembler {
namespace {

constexpr char kSource[] =
    ".equ ROWS, 4\n"
    ".macro LOAD dst, value\n"
    "  S_LUI_INT \\dst, hi(\\value)\n"
    "  S_ADDI_INT \\dst, \\dst, lo(\\value)\n"
    ".endm\n"
    "S_ADDI_INT gp1, gp0, ROWS\n"
    "; @stage=expert_weight_prefetch pair=3\n"
    "\tLOAD gp2, 262152  ; experts\r\n"
    "H_PREFETCH_M gp8, gp6, a0, 1, 0\n"
    "; @stage=gather\n"
    ".rept 2\n"
    "V_EXP_V gp1, gp2, 2\n"
    ".endr\n"
    ".word 0\n";

Assembly Assembled(std::string_view text) {
  AssembleOptions options;
  options.definitions = {{"NEGATIVE", "-5"}};
  absl::StatusOr<Assembly> assembly = Assemble(text, "moe.asm", options);
  EXPECT_TRUE(assembly.ok()) << assembly.status();
  return *std::move(assembly);
}

TEST(ListingTest, TheRowOfTheManual) {
  const Assembly assembly =
      Assembled(".rept 42\nC_BREAK\n.endr\n; @stage=expert_weight_prefetch pair=3\n" +
                std::string(83, '\n') + "H_PREFETCH_M gp8, gp6, a0, 1, 0\n");
  const std::string listing = WriteListing(assembly);
  EXPECT_TRUE(
      listing.starts_with("pc     word        stage                   pair  expert  line  text\n"))
      << listing;
  EXPECT_NE(listing.find("\n00042  0x00041A28  expert_weight_prefetch     3       -    88  "
                         "H_PREFETCH_M gp8, gp6, a0, 1, 0\n"),
            std::string::npos)
      << listing;
}

TEST(ListingTest, WordsFollowTheLineThatProducedThem) {
  EXPECT_EQ(
      WriteListing(Assembled(kSource)),
      "pc     word        stage                   pair  expert  line  text\n"
      "00000  0x00010062  unattributed               -       -     6  S_ADDI_INT gp1, gp0, 4\n"
      "                                                            8  LOAD gp2, 262152  ; "
      "experts\n"
      "00001  0x000100A5  expert_weight_prefetch     3       -     3  S_LUI_INT gp2, 64\n"
      "00002  0x000208A2  expert_weight_prefetch     3       -     4  S_ADDI_INT gp2, gp2, 8\n"
      "00003  0x00041A28  expert_weight_prefetch     3       -     9  "
      "H_PREFETCH_M gp8, gp6, a0, 1, 0\n"
      "                                                           11  .rept 2\n"
      "00004  0x00080853  gather                     -       -    12  V_EXP_V gp1, gp2, 2\n"
      "00005  0x00080853  gather                     -       -    12  V_EXP_V gp1, gp2, 2\n"
      "00006  0x00000000  gather                     -       -    14  "
      ".word 0x00000000 ; undefined\n"
      "\n.equ values\n"
      "  NEGATIVE                                   -5  command line\n"
      "  ROWS                                        4  moe.asm:1\n"
      "\nfindings\n"
      "moe.asm:12:19: warning: mask 2 means the same as 1; write 1 [AS108]\n"
      "   12 | V_EXP_V gp1, gp2, 2\n"
      "      |                   ^\n"
      "moe.asm:11:1: note: in the body of this '.rept'\n"
      "\nwords per stage\n"
      "  unattributed                     1\n"
      "  gather                           3\n"
      "  expert_weight_prefetch           3\n"
      "  total                            7\n");
}

TEST(EmitTest, EveryFormat) {
  const Assembly assembly = Assembled("; @stage=gather pair=1 expert=2\nS_ADDI_INT gp1, gp0, 5\n");
  EXPECT_EQ(Emit(assembly, OutputFormat::kMem), "0x00014062\n");
  EXPECT_EQ(Emit(assembly, OutputFormat::kHex), "00014062\n");
  EXPECT_EQ(Emit(assembly, OutputFormat::kBin), std::string("\x62\x40\x01\x00", 4));
  EXPECT_EQ(Emit(assembly, OutputFormat::kReadmemh),
            "// 1 words of 32 bits\n@00000000\n00014062\n");
  EXPECT_EQ(Emit(assembly, OutputFormat::kListing), WriteListing(assembly));
  const auto read = isa::ReadContainer(Emit(assembly, OutputFormat::kContainer), "a.moe");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, assembly.program);
  EXPECT_EQ(Emit(assembly, OutputFormat::kJson),
            "{\n  \"schema\": \"moescope.program\",\n  \"schema_version\": 1,\n"
            "  \"isa_version\": \"1.1\",\n  \"isa_hash\": \"" +
                isa::IsaHash(isa::InstructionSet::Builtin()) + "\",\n  \"words_hash\": \"" +
                assembly.program.WordsHash() + "\",\n  \"stage_table_hash\": \"" +
                assembly.program.StageTableHash() +
                "\",\n  \"words\": [\n    {\n      \"pc\": 0,\n      \"word\": \"0x00014062\",\n"
                "      \"text\": \"S_ADDI_INT gp1, gp0, 5\",\n      \"stage\": \"gather\",\n"
                "      \"pair\": 1,\n      \"expert\": 2,\n      \"file\": \"moe.asm\",\n"
                "      \"line\": 2\n    }\n  ]\n}\n");
}

TEST(EmitTest, FormatNames) {
  for (const std::string_view name : OutputFormatNames()) {
    const auto format = ParseOutputFormat(name);
    ASSERT_TRUE(format.ok());
    EXPECT_EQ(OutputFormatNames()[static_cast<std::size_t>(*format)], name);
    EXPECT_EQ(FileSuffixOf(*format).front(), '.');
  }
  EXPECT_EQ(std::string(ParseOutputFormat("lsiting").status().message()),
            "unknown output format 'lsiting'; did you mean 'listing'? Known: container, mem, hex, "
            "bin, readmemh, json, listing");
  EXPECT_EQ(std::string(ParseOutputFormat("elf-object").status().message()),
            "unknown output format 'elf-object'; known: container, mem, hex, bin, readmemh, json, "
            "listing");
}

}  // namespace
}  // namespace moescope::assembler
