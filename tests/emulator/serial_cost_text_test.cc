// The words in which the manual gives the costs of `serial` (isa/serial_cost_text) mean what
// SerialCosts computes: both are evaluated on random machines, for every instruction.

#include "isa/serial_cost_text.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>
#include <string>

#include "emulator/timing/serial_costs.h"
#include "isa/table.h"

namespace moescope::test {
namespace {

using emulator::Cycle;
using emulator::LatencyKey;
using emulator::MachineDescription;

// What the words of a text stand for on a machine.
std::map<std::string, Cycle> Vocabulary(const MachineDescription& machine, std::uint32_t experts) {
  std::map<std::string, Cycle> words = {{"MLEN", machine.shape.mlen},
                                        {"VLEN", machine.shape.vlen},
                                        {"wo_cycles", machine.serial.wo_cycles},
                                        {"dma_issue_cycles", machine.serial.dma_issue_cycles},
                                        {"experts", experts}};
  for (std::size_t i = 0; i < emulator::kLatencyKeyCount; ++i) {
    const auto key = static_cast<LatencyKey>(i);
    std::string name(emulator::LatencyKeyName(key));
    constexpr std::string_view kSuffix = "_CYCLES";
    if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
    words[name] = machine.Latency(key);
  }
  return words;
}

// "A + B", "A * B", "2 A": sums of products; whatever follows a comma is a condition.
Cycle ValueOf(std::string text, const std::map<std::string, Cycle>& words) {
  text = text.substr(0, text.find(','));
  std::istringstream tokens(text);
  Cycle sum = 0;
  Cycle product = 1;
  for (std::string token; tokens >> token;) {
    if (token == "+") {
      sum += product;
      product = 1;
    } else if (token != "*") {
      const bool is_number = token.find_first_not_of("0123456789") == std::string::npos;
      EXPECT_TRUE(is_number || words.contains(token)) << token << " in " << text;
      product *= is_number ? std::stoull(token) : words.at(token);
    }
  }
  return sum + product;
}

MachineDescription RandomDescription(std::mt19937& random) {
  MachineDescription machine;
  const std::uint32_t sizes[] = {8, 16, 64, 128};
  machine.shape.mlen = machine.shape.vlen = sizes[random() % 4];
  machine.dc_enabled = random() % 2 == 0;
  for (emulator::LatencyEntry& entry : machine.latency) {
    entry = {static_cast<std::uint32_t>(1 + random() % 500),
             static_cast<std::uint32_t>(1 + random() % 500)};
  }
  machine.serial.wo_cycles = static_cast<std::uint32_t>(1 + random() % 9);
  machine.serial.dma_issue_cycles = static_cast<std::uint32_t>(random() % 9);
  return machine;
}

TEST(SerialCostText, MeansWhatSerialCostsComputes) {
  std::mt19937 random(20261);
  for (int i = 0; i < 200; ++i) {
    const MachineDescription machine = RandomDescription(random);
    const emulator::SerialCosts costs(machine);
    const auto experts = static_cast<std::uint32_t>(1 + random() % 300);
    const auto words = Vocabulary(machine, experts);
    for (const isa::Instruction& row : isa::kInstructions) {
      const std::string text(isa::SerialCostText(row.timing));
      ASSERT_FALSE(text.empty()) << row.mnemonic;
      ASSERT_EQ(costs.Of(row, {.rd = 1}, experts), ValueOf(text, words))
          << row.mnemonic << ": " << text;
      const bool zero_for_f0 = text.ends_with(", 0 for f0");
      ASSERT_EQ(costs.Of(row, {.rd = 0}, experts), zero_for_f0 ? 0 : ValueOf(text, words))
          << row.mnemonic << " f0: " << text;
    }
  }
}

// A text that is no longer true is found: the value of each follows its own words.
TEST(SerialCostText, EveryWordOfATextMatters) {
  std::mt19937 random(5);
  const MachineDescription machine = RandomDescription(random);
  const auto words = Vocabulary(machine, 7);
  for (const isa::Instruction& row : isa::kInstructions) {
    const std::string text(isa::SerialCostText(row.timing));
    const Cycle value = ValueOf(text, words);
    for (const auto& [word, of_word] : words) {
      if (text.find(word) == std::string::npos) continue;
      auto changed = words;
      changed[word] += 1000;
      EXPECT_NE(ValueOf(text, changed), value) << row.mnemonic << ", " << word;
    }
  }
}

TEST(SerialCostText, OnlyTransfersMentionTheMemory) {
  for (const isa::Instruction& row : isa::kInstructions) {
    const bool transfer = row.mnemonic.starts_with("H_");
    const std::string text(isa::SerialCostText(row.timing));
    EXPECT_EQ(text.ends_with(", then until its last byte arrived"), transfer) << row.mnemonic;
  }
}

}  // namespace
}  // namespace moescope::test
