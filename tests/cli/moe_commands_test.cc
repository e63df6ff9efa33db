#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/dispatch.h"
#include "moe/route_trace_json.h"
#include "moe/workload.h"
#include "tests/support/captured_console.h"

namespace moescope::cli {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome Call(std::vector<std::string> words) {
  moescope::test::CapturedConsole captured;
  const ExitCode code = Dispatch(Commands(), words, captured.console);
  return {code, captured.out, captured.err};
}

std::string Fresh(const std::string& name) {
  const std::string folder = testing::TempDir() + "/moe_command_" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

Outcome Gen(const std::string& folder, std::vector<std::string> options) {
  std::vector<std::string> words = {"moe", "gen", "-o", folder};
  words.insert(words.end(), options.begin(), options.end());
  return Call(words);
}

TEST(MoeCommandsTest, TheExampleOfTheToolsDocument) {
  const std::string folder = Fresh("example");
  const Outcome gen = Gen(
      folder, {"--tokens=2", "--hidden=64", "--inter=64", "--experts=32", "--top-k=4", "--seed=1"});
  EXPECT_EQ(gen.code, ExitCode::kSuccess) << gen.err;
  EXPECT_THAT(gen.err, HasSubstr(folder + ": 1802 words, HBM image of 451840 bytes\n"));
  const Outcome check = Call({"moe", "check", folder, "--report=" + folder + "/check.json"});
  EXPECT_EQ(check.code, ExitCode::kSuccess) << check.out;
  EXPECT_THAT(*ReadFile(folder + "/check.json"), HasSubstr("moescope.comparison"));
}

TEST(MoeCommandsTest, EveryOptionReachesTheLayer) {
  const std::string folder = Fresh("options");
  const Outcome gen = Gen(folder, {"--preset=gpt-oss-20b",
                                   "--scale=45",
                                   "--plain",
                                   "--experts=8",
                                   "--top-k=2",
                                   "--shared=64+gate",
                                   "--activation=swiglu",
                                   "--clamp=2",
                                   "--weights=mxfp4_b32",
                                   "--routing=fixed",
                                   "--workload=ragged+masked(0.1)",
                                   "--tokens=4",
                                   "--seed=9",
                                   "--lowering=tuned",
                                   "--set",
                                   "buffers=1",
                                   "--machine=plena-64",
                                   "--machine-set",
                                   "fp_sram_words=2048",
                                   "--sparse",
                                   "--values=random"});
  ASSERT_EQ(gen.code, ExitCode::kSuccess) << gen.err;
  EXPECT_THAT(gen.err, HasSubstr("duplicate factor"));
  const std::string manifest = *ReadFile(folder + "/run.json");
  for (const char* label :
       {"\"moe.hidden\": \"64\"", "\"moe.experts\": \"8\"", "\"moe.shared\": \"64+gate\"",
        "\"moe.clamp\": \"2\"", "\"moe.weights\": \"mxfp4_b32\"", "\"moe.expert_bias\": \"false\"",
        "\"moe.routing\": \"ragged+masked(0.1)\"", "\"moe.lowering.buffers\": \"1\"",
        "\"moe.lowering.reuse\": \"group\"", "\"moe.seed\": \"9\""}) {
    EXPECT_THAT(manifest, HasSubstr(label));
  }
  EXPECT_THAT(*ReadFile(folder + "/machine.toml"), HasSubstr("fp_sram_words = 2048"));
  EXPECT_EQ(Call({"moe", "check", folder}).code, ExitCode::kSuccess);
}

TEST(MoeCommandsTest, RoutersAndRoutedOnly) {
  for (const char* router : {"softmax_all", "sigmoid_group", "sigmoid_input"}) {
    const std::string folder = Fresh(router);
    const Outcome gen =
        Gen(folder, {"--preset=deepseek-v2-lite", "--scale=32", "--routed-only", "--experts=8",
                     "--top-k=1", std::string("--router=") + router});
    ASSERT_EQ(gen.code, ExitCode::kSuccess) << gen.err;
    EXPECT_EQ(Call({"moe", "check", folder}).code, ExitCode::kSuccess) << router;
  }
}

TEST(MoeCommandsTest, ReplayTakesItsShapeFromTheTrace) {
  moe::RouteTrace trace;
  trace.routing = *moe::GenerateRouting(*moe::ParseWorkload("uniform"), {3, 2, 6}, 4);
  const std::string path = testing::TempDir() + "/trace.json";
  ASSERT_TRUE(WriteFile(path, moe::FormatRouteTrace(trace)).ok());
  const std::string folder = Fresh("replay");
  const Outcome gen = Gen(
      folder, {"--routing=fixed", "--workload=replay(" + path + ")", "--hidden=64", "--inter=64"});
  ASSERT_EQ(gen.code, ExitCode::kSuccess) << gen.err;
  EXPECT_EQ(moe::ReadRouteTrace(folder + "/routing.json")->routing, trace.routing);
  std::filesystem::remove(path);  // the folder stands alone
  EXPECT_EQ(Call({"moe", "check", folder}).code, ExitCode::kSuccess);
}

TEST(MoeCommandsTest, ReferenceWritesFiles) {
  const std::string folder = Fresh("reference");
  ASSERT_EQ(Gen(folder, {"--hidden=64", "--inter=64"}).code, ExitCode::kSuccess);
  for (const char* precision : {"machine", "f32", "f64"}) {
    const Outcome reference =
        Call({"moe", "reference", folder, std::string("--precision=") + precision, "-o",
              folder + "/" + precision});
    EXPECT_EQ(reference.code, ExitCode::kSuccess) << reference.err;
    EXPECT_THAT(reference.out, HasSubstr("y.f32 1 x 64"));
  }
  EXPECT_EQ(Call({"moe", "reference", folder}).code, ExitCode::kUsage);
}

TEST(MoeCommandsTest, ADifferenceExitsWithOne) {
  const std::string folder = Fresh("difference");
  ASSERT_EQ(Gen(folder, {"--hidden=64", "--inter=64"}).code, ExitCode::kSuccess);
  std::string hbm = *ReadFile(folder + "/hbm.bin");
  hbm[1] ^= 0x10;  // x
  ASSERT_TRUE(WriteFile(folder + "/hbm.bin", hbm).ok());
  const Outcome check = Call({"moe", "check", folder});
  EXPECT_EQ(check.code, ExitCode::kCheckFailed);
  EXPECT_THAT(check.out, HasSubstr("FAIL  logits"));
}

TEST(MoeCommandsTest, AFaultExitsWithFour) {
  const std::string folder = Fresh("fault");
  ASSERT_EQ(Gen(folder, {"--hidden=64", "--inter=64"}).code, ExitCode::kSuccess);
  ASSERT_TRUE(WriteFile(folder + "/layer.asm", "S_ADDI_INT gp1, gp0, 1\nV_EXP_V gp1, gp1\n").ok());
  const Outcome check = Call({"moe", "check", folder});
  EXPECT_EQ(check.code, ExitCode::kFault);
  EXPECT_THAT(check.err, HasSubstr("did not reach its end"));
}

// The third side: with a device its lines say pass, without one skip and why. Exit 0 either way.
TEST(MoeCommandsTest, CudaIsAThirdSideOrSkipped) {
  const std::string folder = Fresh("cuda");
  ASSERT_EQ(Gen(folder, {"--hidden=64", "--inter=64", "--routing=fixed", "--workload=uniform",
                         "--values=saturated"})
                .code,
            ExitCode::kSuccess);
  const Outcome check = Call({"moe", "check", folder, "--cuda"});
  EXPECT_EQ(check.code, ExitCode::kSuccess) << check.out << check.err;
  EXPECT_THAT(check.out, HasSubstr("pass  y        T0   against stepwise tile(64): "));
  EXPECT_THAT(check.out, HasSubstr("pass  y        T0   against fused ideal given: "));
  const bool skipped = check.out.find("skip") != std::string::npos;
  const std::string verdict = skipped ? "skip" : "pass";
  for (const char* line :
       {"  y        T0   cuda fused tensor_core against fused ideal: ",
        "  slot     T0   cuda fused tensor_core against fused ideal: ",
        "  y        T0   cuda fused plain against fused ideal: ",
        "  slot     T0   cuda fused plain against fused ideal: ",
        "  y        T0   cuda fused tensor_core, second run against cuda fused tensor_core: "}) {
    EXPECT_THAT(check.out, HasSubstr(verdict + line));
  }
  const std::string note = "moescope: --cuda: nothing ran on a device: ";
  EXPECT_EQ(check.err.find(note) != std::string::npos, skipped) << check.err;
  EXPECT_EQ(Call({"moe", "check", folder}).out.find("cuda"), std::string::npos);
}

TEST(MoeCommandsTest, CudaRefusesMatricesThatItWouldStoreDifferently) {
  const std::string folder = Fresh("cuda_refused");
  ASSERT_EQ(Gen(folder, {"--hidden=64", "--inter=64"}).code, ExitCode::kSuccess);
  const Outcome check = Call({"moe", "check", folder, "--cuda"});
  EXPECT_EQ(check.code, ExitCode::kInput);
  EXPECT_THAT(check.err,
              HasSubstr("W13 of expert 0 changes when its mxfp8_b8 blocks run along the "
                        "contraction, as CUDA stores them: the sides would compute with other "
                        "weights (--set orientation=nk, --weights=bf16) [RC095]"));
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--set", "orientation=nk"}, {"--weights=bf16"}}) {
    const std::string other = Fresh("cuda_stored");
    std::vector<std::string> words = {"--hidden=64", "--inter=64"};
    words.insert(words.end(), options.begin(), options.end());
    ASSERT_EQ(Gen(other, words).code, ExitCode::kSuccess);
    const Outcome stored = Call({"moe", "check", other, "--cuda"});
    EXPECT_EQ(stored.code, ExitCode::kSuccess) << stored.out << stored.err;
    EXPECT_THAT(stored.out, HasSubstr("  y        T2   cuda fused tensor_core against "));
  }
}

}  // namespace
}  // namespace moescope::cli
