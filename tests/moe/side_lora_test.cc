#include "moe/side_lora.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "moe/seeded_layer.h"

namespace moescope::moe {
namespace {

Layer Base() {
  return {.shape = {32, 16, 3, 2}, .weighting = Weighting::kPre, .weights = WeightFormat::kBf16};
}

std::string Problem(void (*change)(SideLora&)) {
  SideLora lora = SeededLora(Base(), 4, 0.5f, 1);
  change(lora);
  return std::string(Check(lora, Base()).message());
}

TEST(SideLoraTest, SeededFactorsFit) {
  for (const int rank : {1, 8, 17, 256}) {
    EXPECT_TRUE(Check(SeededLora(Base(), rank, 0.5f, 1), Base()).ok()) << rank;
  }
}

TEST(SideLoraTest, ExactMessages) {
  EXPECT_EQ(Problem([](SideLora& l) { l.rank = 0; }),
            "side-LoRA rank = 0: must be 1 to 256 [RC041]");
  EXPECT_EQ(Problem([](SideLora& l) { l.rank = 257; }),
            "side-LoRA rank = 257: must be 1 to 256 [RC041]");
  EXPECT_EQ(Problem([](SideLora& l) { l.scale = std::numeric_limits<float>::infinity(); }),
            "side-LoRA scale = inf: must be finite [RC041]");
  EXPECT_EQ(Problem([](SideLora& l) { l.a3 = Bf16Matrix(4, 31); }),
            "side-LoRA factor A3: expected bfloat16 [4,32], got [4,31] [RC042]");
  EXPECT_EQ(Problem([](SideLora& l) { l.b1.pop_back(); }),
            "side-LoRA factor B1: expected 3 experts, got 2 [RC042]");
  EXPECT_EQ(Problem([](SideLora& l) { l.a2[2] = Bf16Matrix(16, 4); }),
            "side-LoRA factor A2: expected bfloat16 [4,16], got [16,4] [RC042]");
}

TEST(SideLoraTest, NeedsWeightingPre) {
  for (const auto weighting : {Weighting::kPost, Weighting::kInput}) {
    Layer layer = Base();
    layer.weighting = weighting;
    EXPECT_EQ(std::string(Check(SeededLora(layer, 4, 1, 1), layer).message()),
              "side-LoRA needs weighting PRE [RC040]");
  }
}

TEST(WaveTest, RootsMustCoverTheTokensInOrder) {
  const auto problem = [](std::vector<std::pair<std::int64_t, std::int64_t>> ranges) {
    Wave wave;
    for (const auto& [first, tokens] : ranges) {
      wave.roots.push_back({first, tokens, SeededLora(Base(), 2, 1, 1)});
    }
    return std::string(Check(wave, Base(), 10).message());
  };
  EXPECT_EQ(problem({{0, 4}, {4, 0}, {4, 6}}), "");
  EXPECT_EQ(problem({{0, 4}, {5, 5}}), "root 1 starts at 5, expected 4 [RC044]");
  EXPECT_EQ(problem({{0, 4}, {4, 7}}), "root 1 has 7 tokens, 6 are left [RC044]");
  EXPECT_EQ(problem({{0, 4}, {4, -1}}), "root 1 has -1 tokens, 6 are left [RC044]");
  EXPECT_EQ(problem({{0, 4}}), "the roots cover 4 of 10 tokens [RC044]");
}

TEST(WaveTest, UnknownPolicy) {
  Wave wave;
  wave.policy = "moescope-wave-v2";
  EXPECT_EQ(std::string(Check(wave, Base(), 0).message()),
            "wave policy 'moescope-wave-v2' is unknown; known: moescope-wave-v1 [RC043]");
}

}  // namespace
}  // namespace moescope::moe
