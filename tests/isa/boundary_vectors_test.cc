// Every row of mx_boundary_vectors.tsv: format, f32 bits, code, decoded value.

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "isa/element.h"
#include "tests/support/shared_folder.h"

namespace moescope::isa {
namespace {

const std::map<std::string, ElementType> kTypes = {
    {"e4m3", kE4M3}, {"e5m2", kE5M2}, {"e3m2", kE3M2}, {"e2m3", kE2M3}, {"e2m1", kE2M1}};

std::uint32_t Hex(const std::string& text) {
  return static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 16));
}

TEST(BoundaryVectors, EveryRow) {
  const std::optional<std::string> shared = test::SharedFolder();
  if (!shared) GTEST_SKIP() << test::kNoSharedFolder;
  std::ifstream file(*shared + "/vectors/mx_boundary_vectors.tsv");
  ASSERT_TRUE(file.is_open());
  std::map<std::string, int> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string name, bits, code, value;
    ASSERT_TRUE(std::getline(fields, name, '\t') && std::getline(fields, bits, '\t') &&
                std::getline(fields, code, '\t') && std::getline(fields, value, '\t'))
        << line;
    const ElementRules rules = RulesFor(kTypes.at(name), Convention::kOcp);
    const auto input = std::bit_cast<float>(Hex(bits));
    EXPECT_EQ(EncodeNearest(rules, Overflow::kSaturate, input), Hex(code)) << line;
    EXPECT_EQ(DecodeElement(rules, Hex(code)), std::strtof(value.c_str(), nullptr)) << line;
    ++rows[name];
  }
  int total = 0;
  for (const auto& [name, count] : rows) total += count;
  EXPECT_EQ(rows.size(), kTypes.size());
  EXPECT_EQ(total, 3876);
}

}  // namespace
}  // namespace moescope::isa
