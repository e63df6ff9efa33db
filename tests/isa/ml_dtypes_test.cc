// Encode and decode against the PyPI package ml_dtypes, where a Python with it is found:
// $MOESCOPE_PYTHON, else the build folder's venv, else python3. Skips without it. Known differences
// (numerics.md, 10) are left out: infinities, and NaN of the short types.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "isa/bfloat16.h"
#include "isa/element.h"
#include "tests/isa/exact_model.h"
#include "tests/support/project_folders.h"
#include "tests/support/random_floats.h"

namespace moescope::isa {
namespace {

constexpr int kModuleMissing = 77;

std::string Python() {
  if (const char* named = std::getenv("MOESCOPE_PYTHON"); named != nullptr) return named;
  const std::string local = test::BinaryFolder() + "/venv/bin/python";
  return std::filesystem::exists(local) ? local : "python3";
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Finite numbers that do not overflow the type: there the package saturates differently.
std::vector<float> Inputs(const model::Table& table) {
  std::vector<float> inputs;
  for (std::size_t i = 0; i + 1 < table.values.size(); ++i) {
    const auto middle = static_cast<float>((table.values[i] + table.values[i + 1]) / 2);
    for (float x : {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 1e9F)}) {
      inputs.push_back(x);
      inputs.push_back(-x);
    }
  }
  test::RandomFloats random(31);
  for (int i = 0; i < 200000; ++i) inputs.push_back(random.Near(-24, 16));
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    inputs.push_back(Bf16ToFloat(static_cast<Bf16>(bits)));
  }
  std::erase_if(inputs, [&](float x) { return !(std::fabs(x) <= table.largest()); });
  return inputs;
}

struct Converted {
  int exit_code = 0;
  std::string codes;
  std::string values;
};

Converted Convert(const std::string& name, const std::vector<float>& inputs) {
  const std::string stem = testing::TempDir() + "ml_dtypes_" + name;
  std::ofstream file(stem + ".in", std::ios::binary);
  for (float x : inputs) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    for (int shift = 0; shift < 32; shift += 8) file.put(static_cast<char>(bits >> shift));
  }
  file.close();
  const std::string command = Python() + " '" + test::SourceFolder() +
                              "/tests/isa/ml_dtypes_codes.py' " + name + " '" + stem + ".in' '" +
                              stem + ".codes' '" + stem + ".values'";
  const int status = std::system(command.c_str());
  Converted result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadAll(stem + ".codes"),
                   ReadAll(stem + ".values")};
  for (const char* suffix : {".in", ".codes", ".values"}) std::filesystem::remove(stem + suffix);
  return result;
}

float FloatAt(const std::string& bytes, std::size_t index) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    bits |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[4 * index + i])) << (8 * i);
  }
  return std::bit_cast<float>(bits);
}

struct PythonType {
  const char* name;
  ElementType type;
};

class MlDtypes : public testing::TestWithParam<PythonType> {};

TEST_P(MlDtypes, SameCodesAndValues) {
  const model::Table table = model::MakeTable(GetParam().type, Convention::kOcp);
  const ElementRules rules = RulesFor(GetParam().type, Convention::kOcp);
  const std::vector<float> inputs = Inputs(table);
  const Converted theirs = Convert(GetParam().name, inputs);
  if (theirs.exit_code == kModuleMissing || theirs.exit_code == 127) {
    GTEST_SKIP() << "no Python with ml_dtypes and " << GetParam().name
                 << ": name one in MOESCOPE_PYTHON";
  }
  ASSERT_EQ(theirs.exit_code, 0);
  ASSERT_EQ(theirs.codes.size(), inputs.size());
  ASSERT_EQ(theirs.values.size(), 256U * 4);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_EQ(EncodeNearest(rules, Overflow::kSaturate, inputs[i]),
              static_cast<std::uint8_t>(theirs.codes[i]))
        << std::hexfloat << inputs[i];
  }
  for (std::uint32_t code = 0; code < (1U << GetParam().type.Bits()); ++code) {
    const float ours = DecodeElement(rules, code);
    const float value = FloatAt(theirs.values, code);
    EXPECT_TRUE(std::isnan(ours)
                    ? std::isnan(value)
                    : std::bit_cast<std::uint32_t>(ours) == std::bit_cast<std::uint32_t>(value))
        << code;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MlDtypes,
                         testing::Values(PythonType{"float8_e4m3fn", kE4M3},
                                         PythonType{"float8_e5m2", kE5M2},
                                         PythonType{"float6_e3m2fn", kE3M2},
                                         PythonType{"float6_e2m3fn", kE2M3},
                                         PythonType{"float4_e2m1fn", kE2M1}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace moescope::isa
