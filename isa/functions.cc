#include "isa/functions.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace moescope::isa {

namespace {

template <typename Function>
std::unique_ptr<const Bf16Table> MakeTable(Function function) {
  auto table = std::make_unique<Bf16Table>();
  for (std::uint32_t bits = 0; bits < table->size(); ++bits) {
    (*table)[bits] = function(static_cast<Bf16>(bits));
  }
  return table;
}

}  // namespace

// expf is not correctly rounded everywhere; exp in double, rounded once, is (numerics.md, 6).
float Exp(float x) { return static_cast<float>(std::exp(static_cast<double>(x))); }

float ExpClamped(float x) { return std::isnan(x) ? x : Exp(std::clamp(x, -88.0F, 88.0F)); }

Bf16 Reciprocal(Bf16 x) { return FloatToBf16(1.0F / Bf16ToFloat(x)); }
Bf16 SquareRoot(Bf16 x) { return FloatToBf16(std::sqrt(Bf16ToFloat(x))); }

const Bf16Table& ExpTable() {
  static const auto table =
      MakeTable([](Bf16 bits) { return FloatToBf16(ExpClamped(Bf16ToFloat(bits))); });
  return *table;
}

const Bf16Table& ReciprocalTable() {
  static const auto table = MakeTable(Reciprocal);
  return *table;
}

const Bf16Table& SquareRootTable() {
  static const auto table = MakeTable(SquareRoot);
  return *table;
}

float TreeSum(std::span<float> values) {
  if (values.empty()) return 0.0F;
  std::size_t count = values.size();
  while (count > 1) {
    const std::size_t pairs = count / 2;
    for (std::size_t i = 0; i < pairs; ++i) values[i] = values[2 * i] + values[2 * i + 1];
    if (count % 2 != 0) values[pairs] = values[count - 1];
    count -= pairs;
  }
  return values[0];
}

}  // namespace moescope::isa
