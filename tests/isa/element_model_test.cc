// Encoding of one value against the table search of exact_model.h: every element type, both
// conventions, every code boundary and one f32 ulp either side, every bf16 value, random f32
// values.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "isa/bfloat16.h"
#include "isa/element.h"
#include "isa/format_text.h"
#include "tests/isa/exact_model.h"
#include "tests/support/random_floats.h"

namespace moescope::isa {
namespace {

constexpr auto kOcp = Convention::kOcp;
constexpr auto kReference = Convention::kReference;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Every midpoint of neighbouring values and the f32 numbers around it. Midpoints and values of
// types of at most 16 bits are f32 numbers.
std::vector<float> Boundaries(const model::Table& table) {
  std::vector<float> inputs;
  const auto add = [&](double value) {
    const auto exact = static_cast<float>(value);
    for (float x : {exact, std::nextafter(exact, 0.0F), std::nextafter(exact, kInfinity)}) {
      inputs.push_back(x);
      inputs.push_back(-x);
    }
  };
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    const double next = i + 1 < table.values.size() ? table.values[i + 1] : table.beyond;
    add(table.values[i]);
    add((table.values[i] + next) / 2);
  }
  add(table.beyond);
  return inputs;
}

std::vector<float> RandomFloats(std::size_t count) {
  test::RandomFloats random(1234);
  std::vector<float> values;
  while (values.size() < count) {
    const float value = random.AnyBits();
    if (!std::isnan(value)) values.push_back(value);
    values.push_back(random.Near(-20, 16));  // where the codes are
  }
  return values;
}

std::vector<float> Bf16Numbers() {
  std::vector<float> values;
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const float value = Bf16ToFloat(static_cast<Bf16>(bits));
    if (!std::isnan(value)) values.push_back(value);
  }
  return values;
}

// The number of inputs compared.
std::size_t CompareNearest(const model::Table& table, const std::vector<float>& inputs) {
  const ElementRules rules = RulesFor(table.type, table.convention);
  for (float x : inputs) {
    for (bool plain : {false, true}) {
      const auto overflow = plain ? Overflow::kInfinity : Overflow::kSaturate;
      const std::uint32_t expected = model::Nearest(table, x, plain);
      if (EncodeNearest(rules, overflow, x) != expected) {
        ADD_FAILURE() << ElementTypeName(table.type) << " " << ConventionName(table.convention)
                      << " " << std::hexfloat << x << ": " << EncodeNearest(rules, overflow, x)
                      << ", expected " << expected;
        return 0;
      }
    }
  }
  return inputs.size();
}

TEST(ElementModel, NearestOfShortTypes) {
  const std::vector<float> bf16 = Bf16Numbers();
  const std::vector<float> random = RandomFloats(20000);
  std::size_t compared = 0;
  for (Convention convention : {kOcp, kReference}) {
    std::vector<ElementType> types = model::AllFpElements(4, 8);
    if (convention == kOcp) types.push_back(kInt8);
    for (ElementType type : types) {
      const model::Table table = model::MakeTable(type, convention);
      for (const auto& inputs : {Boundaries(table), bf16, random}) {
        compared += CompareNearest(table, inputs);
      }
    }
  }
  RecordProperty("compared", static_cast<int>(compared));
  EXPECT_GT(compared, 2'500'000U);
}

TEST(ElementModel, NearestOfSixteenBitTypes) {
  const std::vector<float> random = RandomFloats(20000);
  for (Convention convention : {kOcp, kReference}) {
    for (ElementType type : model::AllFpElements(16, 16)) {
      const model::Table table = model::MakeTable(type, convention);
      EXPECT_GT(CompareNearest(table, Boundaries(table)), 390'000U / 2);
      EXPECT_GT(CompareNearest(table, random), 0U);
    }
  }
}

TEST(ElementModel, Bf16AgreesWithItsOwnRoutine) {
  const ElementRules rules = RulesFor(kBf16, kReference);
  for (float x : RandomFloats(200000)) {
    ASSERT_EQ(EncodeNearest(rules, Overflow::kInfinity, x), FloatToBf16(x));
  }
}

TEST(ElementModel, ReferenceRuleStepByStep) {
  std::vector<float> inputs = Bf16Numbers();
  for (float x : RandomFloats(100000)) inputs.push_back(x);
  inputs.push_back(kInfinity);
  inputs.push_back(-kInfinity);
  inputs.push_back(std::numeric_limits<float>::quiet_NaN());
  for (ElementType type : model::AllFpElements(4, 8)) {
    const model::Table table = model::MakeTable(type, kReference);
    const ElementRules rules = RulesFor(type, kReference);
    for (const auto& part : {inputs, Boundaries(table)}) {
      for (float x : part) {
        ASSERT_EQ(EncodeReference(rules, x), model::ReferenceCode(type, x))
            << ElementTypeName(type) << " " << std::hexfloat << x;
      }
    }
  }
}

}  // namespace
}  // namespace moescope::isa
