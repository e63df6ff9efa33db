// The meaning of every instruction. One executable of several files, so that it can tell which
// instruction no test executed.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "isa/table.h"
#include "tests/emulator/machine_fixture.h"

namespace moescope::test {
namespace {

std::vector<std::string> NeverExecuted(const std::set<std::string>& executed) {
  std::vector<std::string> missing;
  for (const isa::Instruction& row : isa::kInstructions) {
    if (!executed.contains(std::string(row.mnemonic))) missing.emplace_back(row.mnemonic);
  }
  return missing;
}

class EveryInstructionIsExecuted : public testing::Environment {
 public:
  void TearDown() override {
    if (testing::GTEST_FLAG(filter) != "*") return;
    for (const std::string& mnemonic : NeverExecuted(ExecutedMnemonics())) {
      ADD_FAILURE() << "no semantics test executed " << mnemonic;
    }
  }
};

const testing::Environment* const kEnvironment =
    testing::AddGlobalTestEnvironment(new EveryInstructionIsExecuted);

TEST(Coverage, NamesWhatIsMissing) {
  std::set<std::string> all;
  for (const isa::Instruction& row : isa::kInstructions) all.emplace(row.mnemonic);
  EXPECT_TRUE(NeverExecuted(all).empty());
  all.erase("V_TOPK");
  EXPECT_EQ(NeverExecuted(all), std::vector<std::string>{"V_TOPK"});
  EXPECT_EQ(NeverExecuted({}).size(), isa::kInstructionCount);
}

}  // namespace
}  // namespace moescope::test
