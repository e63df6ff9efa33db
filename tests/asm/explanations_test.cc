#include "asm/explanations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_format.h"
#include "asm/assembler.h"
#include "asm/word_files.h"
#include "isa/explanations.h"

namespace moescope::assembler {
namespace {

std::set<std::string> IdsOf(const std::string& input) {
  const absl::StatusOr<Assembly> assembly = Assemble(input, "example.asm");
  std::set<std::string> ids;
  for (const Diagnostic& finding :
       assembly.ok() ? assembly->findings : DiagnosticsOf(assembly.status())) {
    ids.insert(finding.id);
  }
  return ids;
}

TEST(ExplanationsTest, EveryAssemblerIdIsExplainedAndItsExampleFires) {
  std::set<std::string> explained;
  for (const Explanation& entry : Explanations()) {
    explained.insert(std::string(entry.id));
    if (!entry.id.starts_with("AS")) continue;
    const std::set<std::string> fired = IdsOf(std::string(entry.example) + "\n");
    EXPECT_EQ(fired, std::set<std::string>{std::string(entry.id)}) << entry.id;
  }
  for (int number = 1; number <= 18; ++number) {
    EXPECT_TRUE(explained.contains(absl::StrFormat("AS%03d", number))) << number;
  }
  for (const std::string_view rule : AssemblerRules()) {
    EXPECT_TRUE(explained.contains(std::string(rule))) << rule;
  }
}

TEST(ExplanationsTest, WordFileIds) {
  EXPECT_EQ(DiagnosticsOf(ReadMem("0x00014062 0xZZ", "a.mem").status())[0].id, "PC020");
  EXPECT_EQ(DiagnosticsOf(ReadMem("; only a comment", "a.mem").status())[0].id, "PC021");
  EXPECT_EQ(DiagnosticsOf(ReadBinary("1234567", "a.bin").status())[0].id, "PC022");
}

TEST(ExplanationsTest, TextsAreInOrderAndSentences) {
  for (const auto& table : {Explanations(), isa::Explanations()}) {
    EXPECT_TRUE(
        std::is_sorted(table.begin(), table.end(),
                       [](const Explanation& a, const Explanation& b) { return a.id < b.id; }));
    for (const Explanation& entry : table) {
      EXPECT_FALSE(entry.title.empty() || entry.title.ends_with('.')) << entry.id;
      EXPECT_TRUE(entry.cause.ends_with('.')) << entry.id;
      EXPECT_TRUE(entry.fix.ends_with('.')) << entry.id;
      EXPECT_FALSE(entry.example.empty()) << entry.id;
    }
  }
}

}  // namespace
}  // namespace moescope::assembler
