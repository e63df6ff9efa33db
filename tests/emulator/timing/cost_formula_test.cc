#include "emulator/timing/cost_formula.h"

#include <gtest/gtest.h>

#include <random>

namespace moescope::emulator {
namespace {

CostValues Values() {
  CostValues values{};
  values[static_cast<std::size_t>(CostVariable::kB)] = 4;
  values[static_cast<std::size_t>(CostVariable::kM)] = 64;
  values[static_cast<std::size_t>(CostVariable::kV)] = 64;
  values[static_cast<std::size_t>(CostVariable::kH)] = 3;
  values[static_cast<std::size_t>(CostVariable::kN)] = 32;
  return values;
}

struct Good {
  const char* text;
  std::int64_t value;
};

class GoodFormula : public testing::TestWithParam<Good> {};

TEST_P(GoodFormula, HasItsValue) {
  const auto formula = CostFormula::Parse(GetParam().text);
  ASSERT_TRUE(formula.ok()) << formula.status();
  const auto value = formula->Evaluate(Values());
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(*value, GetParam().value) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(All, GoodFormula,
                         testing::Values(Good{"7", 7}, Good{" B + 4 ", 8}, Good{"2*B+13", 21},
                                         Good{"B*(M/B)*(M/B)+4", 1028}, Good{"5+7*clog2(V+1)", 54},
                                         Good{"max(H, B)", 4}, Good{"max(N*2,1+2)", 64},
                                         Good{"10-3-2", 5}, Good{"64/4/2", 8}, Good{"2+3*4", 14},
                                         Good{"(2+3)*4", 20}, Good{"clog2(1)", 0},
                                         Good{"clog2(2)", 1}, Good{"clog2(3)", 2},
                                         Good{"clog2(64)", 6}, Good{"clog2(65)", 7},
                                         Good{"1-5", -4}, Good{"281474976710656", 1ll << 48}));

struct Bad {
  const char* text;
  const char* message;
};

class BadFormula : public testing::TestWithParam<Bad> {};

TEST_P(BadFormula, IsRefusedWithItsReason) {
  absl::Status status = absl::OkStatus();
  const auto formula = CostFormula::Parse(GetParam().text);
  if (!formula.ok()) {
    status = formula.status();
  } else {
    status = formula->Evaluate(Values()).status();
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadFormula,
    testing::Values(
        Bad{"", "the formula ends too early at column 1 of ''"},
        Bad{"B+", "the formula ends too early at column 3 of 'B+'"},
        Bad{"B+*4", "unexpected '*' at column 3 of 'B+*4'"},
        Bad{"(B", "the formula ends too early at column 3 of '(B'"},
        Bad{"B)", "unexpected ')' at column 2 of 'B)'"},
        Bad{"max(B)", "unexpected ')' at column 6 of 'max(B)'"},
        Bad{"clog2 4", "unexpected '4' at column 7 of 'clog2 4'"},
        Bad{"-3", "unexpected '-' at column 1 of '-3'"},
        Bad{"2 3", "unexpected '3' at column 3 of '2 3'"},
        Bad{"K", "unknown name 'K' (known: B M V H N clog2 max) at column 1 of 'K'"},
        Bad{"OVH", "unknown name 'OVH' (known: B M V H N clog2 max) at column 1 of 'OVH'"},
        Bad{"B+281474976710657", "a number above 2^48 at column 3 of 'B+281474976710657'"},
        Bad{"M/3", "64 / 3 does not divide exactly"},
        Bad{"M/(B-4)", "64 / 0 does not divide exactly"},
        Bad{"clog2(B-4)", "clog2 of 0, which is below 1"},
        Bad{"281474976710656*281474976710656", "a value beyond 2^48"},
        Bad{"281474976710656+1", "a value beyond 2^48"}));

TEST(CostFormulaTest, NestsThirtyTwoDeep) {
  const auto nested = [](int depth) {
    return std::string(depth, '(') + "B" + std::string(depth, ')');
  };
  EXPECT_TRUE(CostFormula::Parse(nested(31)).ok());
  const auto deeper = CostFormula::Parse(nested(32));
  ASSERT_FALSE(deeper.ok());
  EXPECT_NE(deeper.status().message().find("nests deeper than 32 at column 33"), std::string::npos);
}

TEST(CostFormulaTest, BuiltinNamesAreTheLatencyKeys) {
  CostValues values{};
  values[static_cast<std::size_t>(CostVariable::kScalarSqrt)] = 5;
  const auto formula = CostFormula::Parse("SSQRT+7", CostNames::kBuiltin);
  ASSERT_TRUE(formula.ok());
  EXPECT_EQ(formula->Evaluate(values).value(), 12);
  EXPECT_TRUE(formula->Uses(CostVariable::kScalarSqrt));
  EXPECT_FALSE(formula->Uses(CostVariable::kB));
}

// Any text gives a value or an error.
TEST(CostFormulaTest, RandomTextsAreSafe) {
  std::mt19937 random(4);
  const std::string letters = "BMVHN0123456789+-*/(),clog2max ";
  for (int i = 0; i < 50000; ++i) {
    std::string text;
    for (std::size_t n = random() % 24; n > 0; --n) text += letters[random() % letters.size()];
    const auto formula = CostFormula::Parse(text);
    if (formula.ok()) static_cast<void>(formula->Evaluate(Values()));
  }
}

}  // namespace
}  // namespace moescope::emulator
