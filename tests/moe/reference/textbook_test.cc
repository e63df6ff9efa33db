#include "tests/moe/reference/textbook_layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <tuple>

#include "moe/reference/backward_math.h"
#include "moe/reference/lower_operands.h"
#include "tests/moe/reference/small_layer.h"

// The reference in FP64 against the textbook: outputs, and every gradient against the derivative of
// the textbook by dual numbers. No step width, so the agreement is that of FP64 itself.

namespace moescope::moe::reference {
namespace {

enum class Adapter : std::uint8_t { kNone, kRow, kToken };
enum class Dense : std::uint8_t { kNone, kPlain, kGated };

using Case = std::tuple<Activation, bool, Dense, Adapter>;  // with biases and clamp?

constexpr std::int64_t kTokens = 3;
constexpr double kBound = 1e-11;

Layer LayerOf(const Case& c) {
  Layer layer = TinyLayer(std::get<0>(c));
  layer.shape = {7, 5, 4, 3};
  if (std::get<1>(c)) {
    layer.clamp = 0.75f;  // active on both sides for this data
    layer.expert_bias = true;
  }
  if (std::get<2>(c) != Dense::kNone)
    layer.shared = SharedExpert{6, std::get<2>(c) == Dense::kGated};
  return layer;
}

class TextbookTest : public testing::TestWithParam<Case> {
 protected:
  TextbookTest()
      : small_(LayerOf(GetParam()), kTokens, 17),
        lora_(SeededLora(small_.layer, 2, 0.75f, 5)),
        dy_(Widen<double>(SeededOutputGradient(small_.layer, kTokens, 23))) {
    const Adapter adapter = std::get<3>(GetParam());
    lora_.side_rows = adapter == Adapter::kToken ? SideRows::kToken : SideRows::kRow;
    operands_ = Lower<double>(small_.inputs(adapter == Adapter::kNone ? nullptr : &lora_));
  }

  // <dy, y> and its derivative in the direction that the inputs carry.
  double LossSlope(const TextbookInputs<Dual>& in) const {
    const Matrix<Dual> y = TextbookLayer(in);
    double slope = 0;
    for (std::size_t i = 0; i < y.values.size(); ++i) slope += dy_.values[i] * y.values[i].slope;
    return slope;
  }

  // Every element of `gradient` against the derivative along that element of `input`.
  void Check(const char* name, TextbookInputs<Dual>& in, std::vector<Dual>& input,
             const std::vector<double>& gradient) {
    ASSERT_EQ(input.size(), gradient.size()) << name;
    double scale = 1e-3;
    for (const double value : gradient) scale = std::max(scale, std::fabs(value));
    for (std::size_t i = 0; i < input.size(); ++i) {
      input[i].slope = 1;
      const double expected = LossSlope(in);
      input[i].slope = 0;
      const double error = std::fabs(expected - gradient[i]) / scale;
      worst_ = std::max(worst_, error);
      EXPECT_LT(error, kBound) << name << " element " << i;
    }
  }

  SmallLayer small_;
  SideLora lora_;
  LayerOperands<double> operands_{.layer = small_.layer};
  Matrix<double> dy_;
  double worst_ = 0;
};

TEST_P(TextbookTest, ForwardAgrees) {
  const Exact exact;
  const ForwardValues<double> values = *ForwardPass<Exact>(exact, operands_).Run();
  const Matrix<double> y = TextbookLayer(TextbookOf<double>(operands_));
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    EXPECT_NEAR(values.y.values[i], y.values[i], 1e-12 * std::max(1.0, std::fabs(y.values[i])));
  }
}

TEST_P(TextbookTest, EveryGradientAgrees) {
  const Exact exact;
  const ForwardValues<double> saved = *ForwardPass<Exact>(exact, operands_).Run();
  const BackwardValues<double> d = *BackwardPass<Exact>(exact, operands_, saved, dy_).Run();
  TextbookInputs<Dual> in = TextbookOf<Dual>(operands_);
  Check("x", in, in.x.values, d.grad_x.values);
  Check("w", in, in.weight, d.dw);
  if (in.lora.has_value()) {
    Check("A1", in, in.lora->a1.values, d.da1.values);
    Check("A3", in, in.lora->a3.values, d.da3.values);
    Check("B2", in, in.lora->b2.values, d.db2.values);
    for (std::size_t e = 0; e < d.db1.size(); ++e) {
      Check("B1", in, in.lora->b1[e].values, d.db1[e].values);
      Check("B3", in, in.lora->b3[e].values, d.db3[e].values);
      Check("A2", in, in.lora->a2[e].values, d.da2[e].values);
    }
  }
  std::printf("[ GRADIENT ] largest relative error %.2e\n", worst_);
}

std::string CaseName(const testing::TestParamInfo<Case>& entry) {
  const char* activations[] = {"swiglu", "gpt_oss", "geglu_tanh", "geglu_erf"};
  const char* dense[] = {"", "_shared", "_gated"};
  const char* adapters[] = {"", "_lora", "_lora_token"};
  return std::string(activations[static_cast<int>(std::get<0>(entry.param))]) +
         (std::get<1>(entry.param) ? "_bias_clamp" : "") +
         dense[static_cast<int>(std::get<2>(entry.param))] +
         adapters[static_cast<int>(std::get<3>(entry.param))];
}

INSTANTIATE_TEST_SUITE_P(
    All, TextbookTest,
    testing::Combine(testing::Values(Activation::kSwiglu, Activation::kGptOss,
                                     Activation::kGegluTanh, Activation::kGegluErf),
                     testing::Bool(), testing::Values(Dense::kNone, Dense::kPlain, Dense::kGated),
                     testing::Values(Adapter::kNone, Adapter::kRow, Adapter::kToken)),
    CaseName);

// The other weightings have no backward; their forward is the textbook's too.
TEST(TextbookWeightingTest, PostAndInput) {
  const Exact exact;
  for (const auto weighting : {Weighting::kPost, Weighting::kInput}) {
    Layer layer = TinyLayer(Activation::kGptOss, weighting);
    layer.expert_bias = true;
    layer.clamp = 1.0f;
    layer.shared = SharedExpert{9, true};
    const SmallLayer small(layer, 6, 3);
    const LayerOperands<double> operands = Lower<double>(small.inputs());
    const ForwardValues<double> values = *ForwardPass<Exact>(exact, operands).Run();
    const Matrix<double> y = TextbookLayer(TextbookOf<double>(operands));
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      EXPECT_NEAR(values.y.values[i], y.values[i], 1e-12 * std::max(1.0, std::fabs(y.values[i])));
    }
  }
}

TEST(DualTest, DerivativesOfTheFunctions) {
  const double step = 1e-6;
  const auto check = [&](auto function, double x) {
    const double central =
        (function(Dual(x + step)).value - function(Dual(x - step)).value) / (2 * step);
    EXPECT_NEAR(function(Dual(x, 1)).slope, central, 1e-8) << x;
  };
  for (const double x : {0.3, 1.7, 2.5}) {
    check([](Dual v) { return exp(v); }, x);
    check([](Dual v) { return log(v); }, x);
    check([](Dual v) { return log1p(v); }, x);
    check([](Dual v) { return sqrt(v); }, x);
    check([](Dual v) { return tanh(v); }, x);
    check([](Dual v) { return erf(v); }, x);
    check([](Dual v) { return v * v - Dual(1) / v + (-v); }, x);
  }
}

}  // namespace
}  // namespace moescope::moe::reference
