#include "cli/session/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/session/exit_code.h"
#include "tests/support/scratch_folder.h"

namespace moescope::session {
namespace {

using assembler::OutputFormat;
using ::testing::HasSubstr;

constexpr char kSource[] = "; @stage=gather pair=1\nS_ADDI_INT gp1, gp0, N\nC_BREAK\n";

class AssembleTest : public ::testing::Test {
 protected:
  AssembleTest() {
    request_.inputs = {folder_.Write("a.asm", kSource)};
    request_.definitions = {{"N", "5"}};
  }
  test::ScratchFolder folder_;
  AssembleRequest request_;
};

TEST_F(AssembleTest, WritesAContainerBesideTheInput) {
  ASSERT_TRUE(AssembleFiles(request_).ok());
  EXPECT_EQ(folder_.Read("a.moe").substr(0, 8), "MOESCOPE");
}

TEST_F(AssembleTest, WritesEveryFormatUnderItsSuffix) {
  request_.formats = {OutputFormat::kContainer, OutputFormat::kMem,      OutputFormat::kHex,
                      OutputFormat::kBin,       OutputFormat::kReadmemh, OutputFormat::kJson,
                      OutputFormat::kListing};
  request_.output = folder_.Path("out.x/prog.y");
  std::filesystem::create_directory(folder_.Path("out.x"));
  request_.listing = folder_.Path("extra.lst");
  request_.stages_out = true;
  const auto findings = AssembleFiles(request_);
  ASSERT_TRUE(findings.ok()) << findings.status();
  EXPECT_EQ(folder_.Read("out.x/prog.mem"), "0x00014062\n0x00000034\n");
  EXPECT_EQ(folder_.Read("out.x/prog.hex"), "00014062\n00000034\n");
  EXPECT_EQ(folder_.Read("out.x/prog.bin").size(), 8u);
  EXPECT_THAT(folder_.Read("out.x/prog.vmem"), HasSubstr("00014062"));
  EXPECT_THAT(folder_.Read("out.x/prog.json"), HasSubstr("moescope.program"));
  EXPECT_THAT(folder_.Read("out.x/prog.lst"), HasSubstr("gather"));
  EXPECT_EQ(folder_.Read("extra.lst"), folder_.Read("out.x/prog.lst"));
  EXPECT_THAT(folder_.Read("out.x/prog.stages.json"), HasSubstr("moescope.stage_table"));
}

TEST_F(AssembleTest, OneFormatGoesToTheNamedFile) {
  request_.formats = {OutputFormat::kMem};
  request_.output = folder_.Path("words");
  ASSERT_TRUE(AssembleFiles(request_).ok());
  EXPECT_EQ(folder_.Read("words"), "0x00014062\n0x00000034\n");
  EXPECT_FALSE(folder_.Has("words.stages.json"));
}

TEST_F(AssembleTest, SeveralInputsAreOneProgram) {
  request_.inputs.push_back(folder_.Write("b.asm", "S_ADDI_INT gp2, gp0, 1\n"));
  request_.formats = {OutputFormat::kMem};
  ASSERT_TRUE(AssembleFiles(request_).ok());
  EXPECT_EQ(folder_.Read("a.mem"), "0x00014062\n0x00000034\n0x000040A2\n");
}

TEST_F(AssembleTest, CheckWritesNothing) {
  request_.check = true;
  ASSERT_TRUE(AssembleFiles(request_).ok());
  EXPECT_FALSE(folder_.Has("a.moe"));
}

TEST_F(AssembleTest, AnErrorWritesNothing) {
  request_.inputs = {folder_.Write("bad.asm", "S_ADDI_INT gp1, gp0, 262144\nFOO\n")};
  const auto findings = AssembleFiles(request_);
  EXPECT_EQ(ExitCodeOf(findings.status()), ExitCode::kInput);
  EXPECT_EQ(DiagnosticsOf(findings.status()).size(), 2u);
  EXPECT_FALSE(folder_.Has("bad.moe"));
}

TEST_F(AssembleTest, RulesSetLevels) {
  request_.inputs = {folder_.Write("w.asm", "S_ADDI_INT gp0, gp0, 1\n")};
  auto findings = AssembleFiles(request_);
  ASSERT_TRUE(findings.ok());
  ASSERT_EQ(findings->size(), 1u);
  EXPECT_EQ((*findings)[0].id, "AS101");
  request_.rules = {"AS101=off"};
  EXPECT_EQ(AssembleFiles(request_)->size(), 0u);
  request_.rules = {"AS101=error"};
  EXPECT_EQ(ExitCodeOf(AssembleFiles(request_).status()), ExitCode::kInput);
  request_.rules = {};
  request_.warnings_are_errors = true;
  EXPECT_EQ(ExitCodeOf(AssembleFiles(request_).status()), ExitCode::kInput);
  request_.rules = {"AS999=off"};
  findings = AssembleFiles(request_);
  EXPECT_EQ(ExitCodeOf(findings.status()), ExitCode::kUsage);
  EXPECT_THAT(std::string(findings.status().message()), HasSubstr("--rule: "));
}

TEST_F(AssembleTest, VocabulariesAreFilesOrShipped) {
  request_.inputs = {folder_.Write("v.asm", "; @stage=my_stage\nC_BREAK\n")};
  EXPECT_FALSE(AssembleFiles(request_).ok());
  request_.stage_errors = stages::UnknownStage::kWarning;
  EXPECT_TRUE(AssembleFiles(request_).ok());
  request_.stage_errors = stages::UnknownStage::kError;
  request_.stage_vocabulary = {
      "decoder", folder_.Write("v.toml",
                               "schema = \"moescope.stages\"\nversion = 1\n[[stage]]\n"
                               "name = \"my_stage\"\nsummary = \"Mine.\"\n"
                               "scope = \"layer\"\n")};
  const auto findings = AssembleFiles(request_);
  EXPECT_TRUE(findings.ok()) << findings.status();
  request_.stage_vocabulary = {"nowhere"};
  EXPECT_EQ(AssembleFiles(request_).status().message(),
            "cannot open 'nowhere': No such file or directory");
}

TEST_F(AssembleTest, RefusesContradictions) {
  request_.inputs = {"-", "-"};
  EXPECT_EQ(AssembleFiles(request_).status().message(), "at most one input may be '-'");
  request_.inputs = {"a.asm"};
  request_.formats = {OutputFormat::kMem, OutputFormat::kHex};
  request_.output = "-";
  EXPECT_EQ(AssembleFiles(request_).status().message(), "-o - takes one --emit format");
}

TEST(OutputNameTest, FollowsInputAndFormats) {
  AssembleRequest request;
  const auto name = [&](std::string input, std::string output, std::size_t formats) {
    request.inputs = {std::move(input)};
    request.output = std::move(output);
    request.formats.assign(formats, OutputFormat::kMem);
    return OutputName(request, OutputFormat::kMem);
  };
  EXPECT_EQ(name("a.asm", "", 1), "a.mem");
  EXPECT_EQ(name("d.x/a", "", 1), "d.x/a.mem");
  EXPECT_EQ(name("d/.hidden", "", 1), "d/.hidden.mem");
  EXPECT_EQ(name("-", "", 1), "-");
  EXPECT_EQ(name("a.asm", "b.out", 1), "b.out");
  EXPECT_EQ(name("a.asm", "b.out", 2), "b.mem");
  EXPECT_EQ(name("a.b.asm", "", 1), "a.b.mem");
}

}  // namespace
}  // namespace moescope::session
