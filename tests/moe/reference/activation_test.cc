#include <gtest/gtest.h>

#include <cmath>

#include "isa/bfloat16.h"
#include "moe/reference/activation_math.h"
#include "moe/reference/arithmetic.h"

namespace moescope::moe::reference {
namespace {

constexpr Activation kAll[] = {Activation::kSwiglu, Activation::kGptOss, Activation::kGegluTanh,
                               Activation::kGegluErf};

TEST(ActivationTest, ExampleOfTheDesignDocument) {
  const float q = Activate<Fused>(Activation::kSwiglu, 1.5f, -0.75f).q;
  EXPECT_EQ(isa::FloatToBf16(q * 0.625f), 0xBF13);
  EXPECT_EQ(isa::FloatToBf16(q), 0xBF6B);
}

TEST(ActivationTest, ClosedForms) {
  for (const double g : {-3.0, -0.5, 0.0, 0.25, 2.0, 6.0}) {
    for (const double u : {-2.0, 0.0, 1.5}) {
      const auto q = [&](Activation a) { return Activate<Exact>(a, g, u).q; };
      EXPECT_NEAR(q(Activation::kSwiglu), g / (1 + std::exp(-g)) * u, 1e-14);
      EXPECT_NEAR(q(Activation::kGptOss), g / (1 + std::exp(-1.702 * g)) * (u + 1), 1e-6);
      const double inner = std::sqrt(2 / M_PI) * (g + 0.044715 * g * g * g);
      EXPECT_NEAR(q(Activation::kGegluTanh), 0.5 * g * (1 + std::tanh(inner)) * u, 1e-6);
      EXPECT_NEAR(q(Activation::kGegluErf), 0.5 * g * std::erfc(-g / std::sqrt(2.0)) * u, 1e-14);
    }
  }
}

TEST(ActivationTest, DerivativesAgreeWithFiniteDifferences) {
  constexpr double kStep = 1e-5;
  for (const Activation a : kAll) {
    for (const double g : {-2.5, -0.3, 0.4, 1.9}) {
      for (const double u : {-1.5, 0.7}) {
        const ActivationValue<double> value = Activate<Exact>(a, g, u);
        const double dg =
            (Activate<Exact>(a, g + kStep, u).q - Activate<Exact>(a, g - kStep, u).q) / (2 * kStep);
        const double du =
            (Activate<Exact>(a, g, u + kStep).q - Activate<Exact>(a, g, u - kStep).q) / (2 * kStep);
        EXPECT_NEAR(value.dq_dg, dg, 1e-8);
        EXPECT_NEAR(value.dq_du, du, 1e-8);
      }
    }
  }
}

TEST(ActivationTest, SaturatedInputsAreExact) {
  for (const float g : {0.0f, 17.0f, 24.0f, 32.0f, 1000.0f}) {
    EXPECT_EQ(Activate<Fused>(Activation::kSwiglu, g, 3.0f).q, 3 * g);
  }
  for (const float u : {0.0f, 1.0f, 3.0f, -2.0f}) {
    const float q = Activate<Fused>(Activation::kGptOss, 7.0f, u).q;
    EXPECT_EQ(Fused::Round(q), 7 * (u + 1));
  }
}

TEST(ActivationTest, ClampsAreOneSidedForTheGateAndPropagateNan) {
  EXPECT_EQ(ClampGate(9.0f, 7.0f), 7.0f);
  EXPECT_EQ(ClampGate(-9.0f, 7.0f), -9.0f);
  EXPECT_EQ(ClampUp(9.0f, 7.0f), 7.0f);
  EXPECT_EQ(ClampUp(-9.0f, 7.0f), -7.0f);
  EXPECT_EQ(ClampUp(-9.0f, std::nullopt), -9.0f);
  EXPECT_TRUE(std::isnan(ClampGate(NAN, 7.0f)));
  EXPECT_TRUE(std::isnan(ClampUp(NAN, 7.0f)));
  EXPECT_TRUE(GatePasses(7.0f, 7.0f));
  EXPECT_FALSE(GatePasses(7.5f, 7.0f));
  EXPECT_TRUE(UpPasses(-7.0f, 7.0f));
  EXPECT_FALSE(UpPasses(-7.5f, 7.0f));
}

}  // namespace
}  // namespace moescope::moe::reference
