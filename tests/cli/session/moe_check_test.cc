#include "cli/session/moe_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "cli/session/moe_folder.h"
#include "cli/session/moe_reference.h"
#include "cli/session/run_manifest.h"
#include "emulator/machine_toml.h"
#include "moe/compare_json.h"
#include "moe/presets.h"

namespace moescope::session {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

moe::LayerRequest Request() {
  moe::LayerRequest request{.layer = moe::DefaultLayer(), .tokens = 2};
  request.layer.shape = {64, 64, 8, 2};
  request.layer.shared = moe::SharedExpert{64, true};
  return request;
}

// A fresh folder with a generated layer.
class MoeFolderTest : public testing::Test {
 protected:
  std::string Write(const moe::LayerRequest& request, const std::string& name = "layer") {
    const std::string folder = testing::TempDir() + "/" +
                               testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                               name;
    std::filesystem::remove_all(folder);
    const auto layer = moe::GeneratedLayer::Make(request, emulator::MachineDescription{}, "head");
    EXPECT_TRUE(layer.ok()) << layer.status();
    const absl::Status written = WriteLayerFolder(*layer, folder, {});
    EXPECT_TRUE(written.ok()) << written;
    return folder;
  }
  static std::string Message(const std::string& folder, const MoeCheckOptions& options = {}) {
    return std::string(CheckLayerFolder(folder, options).status().message());
  }
  static void Replace(const std::string& path, const std::string& from, const std::string& to) {
    std::string text = *ReadFile(path);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    ASSERT_TRUE(WriteFile(path, text.replace(at, from.size(), to)).ok());
  }
};

TEST_F(MoeFolderTest, AGeneratedLayerPassesInEveryOutput) {
  const auto result = CheckLayerFolder(Write(Request()), {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->passed()) << CheckText(*result);
  std::vector<std::string> names;
  for (const moe::ComparisonRecord& record : result->records) names.push_back(record.subject);
  EXPECT_THAT(names, testing::ElementsAre("logits", "ids", "weights", "gate", "hidden", "slot",
                                          "sigma", "shared", "y", "y"));
}

TEST_F(MoeFolderTest, FixedRoutingAndReplayPass) {
  moe::LayerRequest request = Request();
  request.fixed = true;
  request.tokens = 5;
  request.workload = *moe::ParseWorkload("ragged+masked(0.25)");
  request.lowering = moe::TunedLowering(request.layer, true);
  const std::string folder = Write(request);
  const auto result = CheckLayerFolder(folder, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->passed()) << CheckText(*result);
  EXPECT_TRUE(std::filesystem::exists(folder + "/routing.json"));
}

TEST_F(MoeFolderTest, TwoFoldersOfOneRequestHaveEqualBytes) {
  const std::string a = Write(Request(), "a");
  const std::string b = Write(Request(), "b");
  for (const auto& entry : std::filesystem::directory_iterator(a)) {
    const std::string name = entry.path().filename();
    EXPECT_EQ(*ReadFile(a + "/" + name), *ReadFile(b + "/" + name)) << name;
  }
}

TEST_F(MoeFolderTest, TheMachineFileIsTheMachineThatWasCompiledFor) {
  const std::string folder = Write(Request());
  const auto file = emulator::LoadMachine(folder + "/machine.toml");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->machine.formats.matrix_weight, isa::Mx(isa::kE4M3, 8));
  EXPECT_EQ(file->machine.formats.vector_activation, isa::Plain(isa::kBf16));
  EXPECT_EQ(file->machine.rows.matrix_prefetch, 64u);
}

TEST_F(MoeFolderTest, TheManifestSaysWhatToExpect) {
  const auto run = ReadManifest(Write(Request()) + "/run.json");
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(run->expect.memory.size(), 3u);
  EXPECT_EQ(run->expect.end, "end");
  EXPECT_TRUE(run->images.fpsram_is_bf16);
  EXPECT_EQ(run->expect.memory[2].matrix->columns, 64u);
  EXPECT_EQ(*moe::ReadLabels(run->labels), Request());
}

// One changed weight: the first differing output is the one that reads it.
TEST_F(MoeFolderTest, AChangedWeightIsFound) {
  const std::string folder = Write(Request());
  const auto layer = ReadLayerFolder(folder);
  ASSERT_TRUE(layer.ok());
  const moe::WeightTable& down = layer->layer.compiled().map.down;
  std::string hbm = *ReadFile(folder + "/hbm.bin");
  for (std::uint64_t e = 0; e < 8; ++e) hbm[down.base + e * down.stride] ^= 0x40;
  ASSERT_TRUE(WriteFile(folder + "/hbm.bin", hbm).ok());
  const auto result = CheckLayerFolder(folder, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->passed());
  const std::string text = CheckText(*result);
  EXPECT_THAT(text, HasSubstr("pass  hidden"));
  EXPECT_THAT(text, HasSubstr("FAIL  slot     T0   against stepwise tile(64): 4 of 256 elements "
                              "differ; first at [0,0]: "));
  EXPECT_THAT(text, HasSubstr("FAIL  y "));
  const std::string json = moe::FormatComparisons(result->records);
  EXPECT_THAT(json, HasSubstr("\"verdict\": \"fail\""));
}

// A swapped instruction changes values; a removed add changes the output only.
TEST_F(MoeFolderTest, AChangedProgramIsFound) {
  const std::string folder = Write(Request());
  Replace(folder + "/layer.asm", "; @stage=shared_combine\n", "; @stage=shared_combine\nC_BREAK\n");
  const auto result = CheckLayerFolder(folder, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(CheckText(*result), HasSubstr("pass  shared"));
  EXPECT_THAT(CheckText(*result), HasSubstr("FAIL  y "));
}

TEST_F(MoeFolderTest, AFaultIsReportedAsTheEndOfTheRun) {
  const std::string folder = Write(Request());
  Replace(folder + "/layer.asm", "V_TOPK", "M_MM_WO gp1, gp0, 3\nV_TOPK");
  const auto result = CheckLayerFolder(folder, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->end.complete());
  EXPECT_TRUE(result->records.empty());
}

TEST_F(MoeFolderTest, OnlyTheOutputsAskedFor) {
  const std::string folder = Write(Request());
  const auto result = CheckLayerFolder(folder, {.outputs = {"ids", "y"}});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->records.size(), 3u);
  EXPECT_EQ(Message(folder, {.outputs = {"z"}}),
            "no output 'z' (--stages); this layer has: logits, ids, weights, gate, hidden, slot, "
            "sigma, shared, y [RC092]");
}

TEST_F(MoeFolderTest, Tolerances) {
  EXPECT_EQ(ParseTolerance("exact")->kind, Comparison::Kind::kExact);
  EXPECT_EQ(ParseTolerance("ulp:3")->ulp, 3u);
  EXPECT_EQ(ParseTolerance("rel_rms:0.5%")->rel_rms_ppm, 5000u);
  for (const char* text : {"", "ulp:", "ulp:-1", "rel_rms:5", "near"}) {
    EXPECT_EQ(std::string(ParseTolerance(text).status().message()),
              std::string("tolerance '") + text +
                  "': expected exact, ulp:N or rel_rms:P% (--tolerance) [RC093]");
  }
  const std::string folder = Write(Request());
  std::string vram = *ReadFile(folder + "/vram.bin");
  ASSERT_FALSE(vram.empty());
  vram[0] ^= 0x40;  // the first fraction bit of wg[0]
  ASSERT_TRUE(WriteFile(folder + "/vram.bin", vram).ok());
  EXPECT_FALSE(CheckLayerFolder(folder, {.outputs = {"sigma", "shared"}})->passed());
  EXPECT_TRUE(CheckLayerFolder(folder, {.tolerance = *ParseTolerance("rel_rms:20%"),
                                        .outputs = {"sigma", "shared"}})
                  ->passed());
}

TEST_F(MoeFolderTest, DamagedFoldersAreRefused) {
  EXPECT_THAT(Message("/nonexistent/layer"), HasSubstr("/nonexistent/layer/run.json"));
  std::string folder = Write(Request(), "label");
  Replace(folder + "/run.json", "\"moe.tokens\": \"2\"", "\"moe.tokens\": \"two\"");
  EXPECT_EQ(Message(folder), "label moe.tokens: expected an integer [RC090]");
  folder = Write(Request(), "image");
  std::filesystem::remove(folder + "/hbm.bin");
  EXPECT_THAT(Message(folder), HasSubstr("hbm.bin"));
  folder = Write(Request(), "machine");
  Replace(folder + "/machine.toml", "MLEN.value = 64", "MLEN.value = 63");
  EXPECT_THAT(Message(folder), HasSubstr("MLEN"));
  folder = Write(Request(), "program");
  Replace(folder + "/layer.asm", "V_TOPK", "V_TOPKK");
  EXPECT_THAT(Message(folder), HasSubstr("unknown mnemonic"));
}

TEST_F(MoeFolderTest, AFolderThatCannotBeMadeIsAnError) {
  const auto layer = moe::GeneratedLayer::Make(Request(), emulator::MachineDescription{}, "head");
  ASSERT_TRUE(layer.ok());
  EXPECT_THAT(std::string(WriteLayerFolder(*layer, "/nonexistent/a/b", {}).message()),
              StartsWith("/nonexistent/a/b: cannot make the folder: "));
}

TEST_F(MoeFolderTest, ReferencePrecisions) {
  const std::string folder = Write(Request());
  const std::string out = folder + "/reference";
  const auto machine = WriteReference(folder, Precision::kMachine, out);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ(*machine,
            "logits.f32 2 x 8\nids.u32 4\nweights.f32 1 x 4\ngate.f32 4 x 64\nhidden.f32 4 x 64\n"
            "slot.f32 4 x 64\nsigma.f32 1 x 2\nshared.f32 2 x 64\ny.f32 2 x 64\n");
  const std::string y = *ReadFile(out + "/y.f32");
  EXPECT_EQ(y, *ReadFile(folder + "/expected_y.f32"));
  ASSERT_TRUE(WriteReference(folder, Precision::kF32, out).ok());
  EXPECT_NE(*ReadFile(out + "/y.f32"), y);
  ASSERT_TRUE(WriteReference(folder, Precision::kF64, out).ok());
  EXPECT_EQ((*ReadFile(out + "/y.f32")).size(), y.size());
}

TEST_F(MoeFolderTest, FusedPrecisionsHaveNoResidual) {
  moe::LayerRequest request = Request();
  request.lowering.residual = moe::Residual::kAdd;
  const std::string folder = Write(request);
  EXPECT_EQ(std::string(WriteReference(folder, Precision::kF64, folder + "/r").status().message()),
            "precisions f32 and f64 have no residual; use --precision=machine [RC094]");
  const auto result = CheckLayerFolder(folder, {});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->passed());
  EXPECT_THAT(CheckText(*result), HasSubstr("skip  y"));
}

}  // namespace
}  // namespace moescope::session
