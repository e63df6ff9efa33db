// Compiled programs from outside: every output bit, every count and every cycle.

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "base/file.h"
#include "emulator/run.h"
#include "tests/emulator/corpus_case.h"
#include "tests/emulator/counting_listener.h"
#include "tests/support/shared_folder.h"
#include "tests/support/tsv.h"

namespace moescope::test {
namespace {

using emulator::MachineState;

std::map<std::string, std::uint64_t> Counts(const Json& object) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [key, value] : object.items()) counts[key] = value.get<std::uint64_t>();
  return counts;
}

void ExpectOutput(const CorpusCase& test, const MachineState& state) {
  const Json& output = test.expected()["output"];
  const auto expected = test.Elements<float>(output["file"].get<std::string>());
  const std::uint64_t columns = output["cols"];
  const std::uint64_t physical_rows = output["physical_rows"];
  const std::uint64_t start = output["start_row"];
  const std::uint64_t mlen = test.machine().shape.mlen;
  std::size_t wrong = 0;
  for (std::uint64_t i = 0; i < expected.size(); ++i) {
    const std::uint64_t r = i / columns;
    const std::uint64_t c = i % columns;
    const isa::Bf16 lane = state.vram.Read(start + c / mlen * physical_rows + r)[c % mlen];
    if (lane != std::bit_cast<std::uint32_t>(expected[i]) >> 16) ++wrong;
  }
  EXPECT_EQ(wrong, 0u) << "of " << expected.size() << " output elements";
}

void ExpectTopK(const CorpusCase& test, const MachineState& state) {
  const Json& topk = test.expected()["topk"];
  const auto ids = test.Elements<std::uint32_t>("expected_topk_indices.u32");
  const auto weights = test.Elements<float>("expected_topk_weights.f32");
  const std::uint64_t int_base = topk["int_mem_base"];
  const std::uint64_t fp_base = topk["fp_mem_base"];
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(state.int_mem.Read(int_base + i), ids[i]) << i;
    EXPECT_EQ(isa::Bf16ToFloat(state.fp_mem.Read(fp_base + i)), weights[i]) << i;
  }
}

// HBM afterwards is HBM before with the stored regions replaced.
void ExpectHbm(const CorpusCase& test, emulator::SparseBytes before, const MachineState& state) {
  if (test.expected().contains("hbm_regions")) {
    for (const Json& region : test.expected()["hbm_regions"]) {
      const auto bytes = test.Elements<std::uint8_t>(region["file"].get<std::string>());
      before.Write(region["base"].get<std::uint64_t>(), bytes);
    }
  }
  EXPECT_TRUE(before == state.hbm);
}

void ExpectCounts(const CorpusCase& test, const CountingListener& counts) {
  const Json& expected = test.expected();
  EXPECT_EQ(counts.end.instructions, expected["counts"]["dynamic"].get<std::uint64_t>());
  EXPECT_EQ(counts.accepted, counts.end.instructions);
  EXPECT_EQ(counts.completed, counts.end.instructions);
  EXPECT_EQ(counts.ExecutionsByMnemonic(), Counts(expected["counts"]["by_mnemonic"]));
  std::map<std::string, std::uint64_t> cycles = counts.CyclesByMnemonic();
  std::erase_if(cycles, [](const auto& entry) { return entry.first.starts_with("H_"); });
  EXPECT_EQ(cycles, Counts(expected["serial_cycles_by_mnemonic"]));
  std::uint64_t sum = 0;
  for (const auto& [mnemonic, value] : cycles) sum += value;
  EXPECT_EQ(sum, expected["serial_cycles_excluding_dma"].get<std::uint64_t>());
  EXPECT_TRUE(counts.in_order);
  EXPECT_TRUE(counts.contiguous);
  EXPECT_EQ(counts.attributed, counts.end.cycles);
}

class Corpus : public testing::TestWithParam<const char*> {};

TEST_P(Corpus, GivesEveryExpectedBitCountAndCycle) {
  const std::optional<std::string> shared = SharedFolder();
  if (!shared) GTEST_SKIP() << kNoSharedFolder;
  CorpusCase test(*shared, GetParam());
  const emulator::SparseBytes before = test.state().hbm;
  CountingListener counts;
  emulator::Listener* listeners[] = {&counts};
  const auto start = std::chrono::steady_clock::now();
  const emulator::RunEnd end =
      emulator::Run(test.program(), test.machine(), test.state(), listeners);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(end.reason, emulator::EndReason::kEnd) << (end.fault ? end.fault->text : "");
  ExpectCounts(test, counts);
  if (test.expected().contains("output")) ExpectOutput(test, test.state());
  if (test.expected().contains("topk")) ExpectTopK(test, test.state());
  ExpectHbm(test, before, test.state());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::cout << GetParam() << ": " << end.instructions << " instructions, " << end.cycles
            << " cycles, " << seconds.count() << " s, peak " << usage.ru_maxrss / 1024 << " MiB\n";
}

std::string CaseName(const testing::TestParamInfo<const char*>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(All, Corpus, testing::ValuesIn(kCorpusCases), CaseName);

// The totals with DMA of serial_programs.tsv: `dram` under the default toggles.
TEST(CorpusTotals, WithDmaEqualTheTable) {
  const std::optional<std::string> shared = SharedFolder();
  if (!shared) GTEST_SKIP() << kNoSharedFolder;
  const std::string text = ReadFile(*shared + "/vectors/serial_programs.tsv").value();
  std::vector<std::vector<std::string>> rows = ReadTsv(text);
  ASSERT_EQ(rows.size(), 13u);
  rows.erase(rows.begin());
  for (const std::vector<std::string>& row : rows) {
    SCOPED_TRACE(row[0]);
    CorpusCase test(*shared, row[0]);
    ASSERT_EQ(test.machine().hbm.model, emulator::HbmModelKind::kDram);
    CountingListener counts;
    emulator::Listener* listeners[] = {&counts};
    const emulator::RunEnd end =
        emulator::Run(test.program(), test.machine(), test.state(), listeners);
    EXPECT_EQ(end.cycles, std::stoull(row[4]));
    EXPECT_EQ(counts.read_lines * 64, std::stoull(row[5]));
    EXPECT_EQ(counts.written_lines * 64, std::stoull(row[6]));
  }
}

}  // namespace
}  // namespace moescope::test
