#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

#include "absl/strings/str_format.h"
#include "moe/compare.h"
#include "moe/reference/backward_math.h"
#include "moe/reference/lower_operands.h"
#include "tests/moe/reference/small_layer.h"

namespace moescope::moe::reference {
namespace {

struct Case {
  const char* name;
  Activation activation;
  bool lora;
  bool shared;
  SideRows rows;
};

class BackwardTest : public testing::TestWithParam<Case> {
 protected:
  BackwardTest()
      : small_(MakeLayer(), 4, 3),
        lora_(MakeLora(small_.layer)),
        operands_(Lower<double>(small_.inputs(GetParam().lora ? &lora_ : nullptr))),
        dy_(Widen<double>(SeededOutputGradient(small_.layer, 4, 13))) {}

  static SideLora MakeLora(const Layer& layer) {
    SideLora lora = SeededLora(layer, 3, 0.5f, 11);
    lora.side_rows = GetParam().rows;
    return lora;
  }

  static Layer MakeLayer() {
    Layer layer = TinyLayer(GetParam().activation);
    layer.shape = {10, 6, 3, 2};
    layer.clamp = 0.75f;  // active on both sides for this data
    layer.expert_bias = true;
    if (GetParam().shared) layer.shared = SharedExpert{5, true};
    return layer;
  }

  double Loss() const {
    const Exact exact;
    const ForwardValues<double> values = *ForwardPass<Exact>(exact, operands_).Run();
    double sum = 0;
    for (std::size_t i = 0; i < dy_.values.size(); ++i) sum += dy_.values[i] * values.y.values[i];
    return sum;
  }

  // Compares every element of a gradient with a central difference in the input it belongs to.
  void Check(const char* name, std::vector<double>& input, const std::vector<double>& gradient) {
    ASSERT_EQ(input.size(), gradient.size()) << name;
    constexpr double kStep = 1e-5;
    double scale = 1e-3;
    for (const double value : gradient) scale = std::max(scale, std::fabs(value));
    for (std::size_t i = 0; i < input.size(); ++i) {
      const double centre = input[i];
      input[i] = centre + kStep;
      const double above = Loss();
      input[i] = centre - kStep;
      const double below = Loss();
      input[i] = centre;
      const double difference = (above - below) / (2 * kStep);
      worst_ = std::max(worst_, std::fabs(difference - gradient[i]) / scale);
      EXPECT_LT(std::fabs(difference - gradient[i]) / scale, 1e-6) << name << " element " << i;
    }
  }

  SmallLayer small_;
  SideLora lora_;
  LayerOperands<double> operands_;
  Matrix<double> dy_;
  double worst_ = 0;
};

TEST_P(BackwardTest, AgreesWithFiniteDifferences) {
  const Exact exact;
  const ForwardValues<double> saved = *ForwardPass<Exact>(exact, operands_).Run();
  BackwardValues<double> gradients = *BackwardPass<Exact>(exact, operands_, saved, dy_).Run();
  for (std::size_t pair = 0; pair < gradients.dw.size(); ++pair) {
    if (operands_.routing.topk_idx[pair] < 0) {
      EXPECT_EQ(gradients.dw[pair], 0);
    }
  }
  Check("x", operands_.x.values, gradients.grad_x.values);
  Check("w", operands_.weight, gradients.dw);
  if (GetParam().lora) {
    LoraOperands<double>& lora = *operands_.lora;
    Check("A1", lora.a1.values, gradients.da1.values);
    Check("A3", lora.a3.values, gradients.da3.values);
    Check("B2", lora.b2.values, gradients.db2.values);
    for (std::size_t e = 0; e < lora.b1.size(); ++e) {
      Check("B1", lora.b1[e].values, gradients.db1[e].values);
      Check("B3", lora.b3[e].values, gradients.db3[e].values);
      Check("A2", lora.a2[e].values, gradients.da2[e].values);
    }
  }
  RecordProperty("worst_relative_error", absl::StrFormat("%.3e", worst_));
  std::printf("[ GRADIENT ] %s: largest relative error against finite differences %.2e\n",
              GetParam().name, worst_);
  EXPECT_LT(worst_, 1e-6);
}

constexpr auto kRow = SideRows::kRow;
constexpr auto kToken = SideRows::kToken;
INSTANTIATE_TEST_SUITE_P(
    All, BackwardTest,
    testing::Values(Case{"swiglu", Activation::kSwiglu, true, false, kRow},
                    Case{"gpt_oss", Activation::kGptOss, true, false, kRow},
                    Case{"geglu_tanh", Activation::kGegluTanh, true, false, kRow},
                    Case{"geglu_erf", Activation::kGegluErf, true, false, kRow},
                    Case{"token", Activation::kSwiglu, true, false, kToken},
                    Case{"base", Activation::kSwiglu, false, false, kRow},
                    Case{"shared", Activation::kSwiglu, true, true, kRow},
                    Case{"shared_gpt_oss", Activation::kGptOss, false, true, kRow}),
    [](const testing::TestParamInfo<Case>& entry) { return std::string(entry.param.name); });

// The FP32 gradients with BF16 rounding points against those without any.
TEST(FusedBackwardTest, StaysWithinTierT2OfTheExactGradients) {
  Layer layer = TinyLayer();
  layer.shape = {96, 64, 5, 2};
  const SmallLayer small(layer, 12);
  const SideLora lora = SeededLora(layer, 8, 0.5f, 9);
  const Bf16Matrix dy = SeededOutputGradient(layer, 12, 7);
  const Exact exact;
  const LayerOperands<double> operands = Lower<double>(small.inputs(&lora));
  const ForwardValues<double> saved = *ForwardPass<Exact>(exact, operands).Run();
  const Matrix<double> wide = Widen<double>(dy);
  const BackwardValues<double> truth = *BackwardPass<Exact>(exact, operands, saved, wide).Run();
  const auto narrow = [](const Matrix<double>& m) {
    F32Matrix result(m.rows, m.columns);
    std::transform(m.values.begin(), m.values.end(), result.values.begin(),
                   [](double v) { return static_cast<float>(v); });
    return result;
  };
  for (const Accumulation accumulation : {Accumulation{64}, kIdeal}) {
    const BackwardOutputs outputs = *Backward(small.inputs(&lora), dy, accumulation);
    const auto passes = [](const F32Matrix& actual, const F32Matrix& expected) {
      return Passes(Tier::kEndToEnd, Compare(actual, expected), false);
    };
    EXPECT_TRUE(passes(Widen<float>(outputs.grad_x), narrow(truth.grad_x)));
    EXPECT_TRUE(passes(outputs.da1, narrow(truth.da1)));
    EXPECT_TRUE(passes(outputs.da3, narrow(truth.da3)));
    EXPECT_TRUE(passes(outputs.db2, narrow(truth.db2)));
    for (std::size_t e = 0; e < 5; ++e) {
      EXPECT_TRUE(passes(outputs.db1[e], narrow(truth.db1[e])));
      EXPECT_TRUE(passes(outputs.db3[e], narrow(truth.db3[e])));
      EXPECT_TRUE(passes(outputs.da2[e], narrow(truth.da2[e])));
    }
  }
}

TEST(FusedBackwardTest, ScaleZeroGivesTheBaseGradients) {
  const SmallLayer small(TinyLayer(), 6);
  const SideLora lora = SeededLora(small.layer, 4, 0.0f, 9);
  const Bf16Matrix dy = SeededOutputGradient(small.layer, 6, 7);
  const BackwardOutputs base = *Backward(small.inputs(), dy, {16});
  const BackwardOutputs disabled = *Backward(small.inputs(&lora), dy, {16});
  EXPECT_EQ(disabled.grad_x, base.grad_x);
  EXPECT_EQ(disabled.dw, base.dw);
}

TEST(FusedBackwardTest, ExpertsWithoutRowsHaveZeroGradients) {
  const SmallLayer small(TinyLayer(), 6, 1, Values::kRandom, "empty(middle)");
  const SideLora lora = SeededLora(small.layer, 4, 0.5f, 9);
  const Bf16Matrix dy = SeededOutputGradient(small.layer, 6, 7);
  const BackwardOutputs outputs = *Backward(small.inputs(&lora), dy, kIdeal);
  EXPECT_EQ(outputs.db1[2], F32Matrix(16, 4));
  EXPECT_EQ(outputs.da2[2], F32Matrix(4, 16));
  EXPECT_NE(outputs.db1[0], F32Matrix(16, 4));
}

TEST(FusedBackwardTest, Refusals) {
  const SmallLayer post(TinyLayer(Activation::kSwiglu, Weighting::kPost), 2);
  const absl::Status status =
      Backward(post.inputs(), SeededOutputGradient(post.layer, 2, 1), kIdeal).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(std::string(status.message()), "backward needs weighting PRE [RC045]");
  const SmallLayer small(TinyLayer(), 2);
  EXPECT_EQ(std::string(Backward(small.inputs(), Bf16Matrix(3, 24), kIdeal).status().message()),
            "dy: expected [2,24], got [3,24] [RC034]");
}

}  // namespace
}  // namespace moescope::moe::reference
