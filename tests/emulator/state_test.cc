// The memories: contents, what they cost, copies and comparison.

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <vector>

#include "emulator/state/lazy_rows.h"
#include "emulator/state/machine_state.h"
#include "emulator/state/sparse_bytes.h"
#include "emulator/timing/line_history.h"

namespace moescope::test {
namespace {

using emulator::IndexRange;
using emulator::LazyRows;
using emulator::MachineDescription;
using emulator::MachineState;
using emulator::SparseBytes;

// Resident memory of this process now, in KiB.
std::uint64_t ResidentKib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6));
  }
  return 0;
}

TEST(LazyRows, AreZeroUntilWritten) {
  LazyRows<std::uint16_t> rows(1000, 48);
  EXPECT_EQ(rows.rows(), 1000u);
  EXPECT_FALSE(rows.IsStored(999));
  EXPECT_EQ(rows.Read(999)[47], 0);
  rows.Write(999)[47] = 5;
  EXPECT_EQ(rows.Read(999)[47], 5);
  EXPECT_TRUE(rows.IsStored(999));
  EXPECT_EQ(rows.Read(998)[47], 0);
  EXPECT_EQ(rows.Read(0)[0], 0);
}

TEST(LazyRows, RememberTheRangeWritten) {
  LazyRows<float> rows(100, 4);
  EXPECT_FALSE(rows.written().has_value());
  rows.Write(40);
  rows.Write(7);
  rows.Write(12);
  EXPECT_EQ(rows.written(), (IndexRange{7, 40}));
}

TEST(LazyRows, CopiesAreIndependentAndEqualByContents) {
  LazyRows<std::uint16_t> a(70000, 3);
  a.Write(5)[1] = 9;
  a.Write(69999)[2] = 8;
  LazyRows<std::uint16_t> b = a;
  EXPECT_TRUE(a == b);
  b.Write(5)[1] = 10;
  EXPECT_EQ(a.Read(5)[1], 9);
  EXPECT_FALSE(a == b);
  b.Write(5)[1] = 9;
  b.Write(30000);  // stored, but zero
  EXPECT_TRUE(a == b);
  b = LazyRows<std::uint16_t>(70000, 3);
  EXPECT_FALSE(a == b);
  EXPECT_FALSE(a == LazyRows<std::uint16_t>(70001, 3));
}

TEST(LazyRows, EveryRowIsItsOwn) {
  for (const std::uint64_t width : {1u, 12u, 64u, 100000u}) {
    LazyRows<std::uint32_t> rows(200, width);
    for (std::uint32_t row = 0; row < 200; ++row) {
      rows.Write(row)[0] = row + 1;
      rows.Write(row)[width - 1] = row + 1;
    }
    for (std::uint32_t row = 0; row < 200; ++row) {
      EXPECT_EQ(rows.Read(row)[0], row + 1);
      EXPECT_EQ(rows.Read(row)[width - 1], row + 1);
    }
  }
}

TEST(SparseBytes, ReadBackWhatWasWrittenAcrossPages) {
  SparseBytes memory(std::uint64_t{1} << 40);
  std::map<std::uint64_t, std::uint8_t> expected;
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t region = random() % 4 * 274877906944u;
    const std::uint64_t at = region + random() % 20000;
    std::vector<std::uint8_t> bytes(random() % 9000);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() % 3);
    memory.Write(at, bytes);
    for (std::size_t j = 0; j < bytes.size(); ++j) expected[at + j] = bytes[j];
  }
  for (const auto& [address, byte] : expected) {
    std::uint8_t got = 99;
    memory.Read(address, {&got, 1});
    ASSERT_EQ(got, byte) << address;
  }
  std::vector<std::uint8_t> whole(40000);
  memory.Read(0, whole);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto at = expected.find(i);
    ASSERT_EQ(whole[i], at == expected.end() ? 0 : at->second) << i;
  }
}

TEST(SparseBytes, ZerosAreNotStored) {
  SparseBytes memory(1 << 20);
  memory.Write(0, std::vector<std::uint8_t>(100000));
  EXPECT_TRUE(memory.StoredPages().empty());
  EXPECT_EQ(memory.written(), (IndexRange{0, 99999}));
  std::vector<std::uint8_t> bytes(10000);
  bytes[5000] = 1;
  memory.Write(0, bytes);
  EXPECT_EQ(memory.StoredPages(), std::vector<std::uint64_t>{1});
  EXPECT_TRUE(memory.IsUnstored(0, 4096));
  EXPECT_FALSE(memory.IsUnstored(4095, 2));
  EXPECT_TRUE(memory.IsUnstored(8192, 1 << 19));
  EXPECT_TRUE(memory.IsUnstored(5000, 0));
  memory.Write(5000, std::vector<std::uint8_t>(1));  // a zero over a one
  std::uint8_t byte = 7;
  memory.Read(5000, {&byte, 1});
  EXPECT_EQ(byte, 0);
  EXPECT_TRUE(memory == SparseBytes(1 << 20));
}

TEST(SparseBytes, TheLastByteExists) {
  for (const std::uint64_t size :
       {std::uint64_t{64}, std::uint64_t{4096}, std::uint64_t{4160}, SparseBytes::kLargest}) {
    SparseBytes memory(size);
    const std::uint8_t one = 1;
    memory.Write(size - 1, {&one, 1});
    std::uint8_t got = 0;
    memory.Read(size - 1, {&got, 1});
    EXPECT_EQ(got, 1);
    EXPECT_EQ(SparseBytes(memory).StoredPages(), memory.StoredPages());
  }
}

TEST(SparseBytes, AreComparedByContents) {
  SparseBytes a(1 << 20);
  SparseBytes b(1 << 20);
  const std::uint8_t one = 1;
  a.Write(70000, {&one, 1});
  EXPECT_FALSE(a == b);
  EXPECT_FALSE(b == a);
  b.Write(70000, {&one, 1});
  EXPECT_TRUE(a == b);
  EXPECT_FALSE(a == SparseBytes(1 << 19));
}

// 512 MiB of VRAM and 128 GiB of HBM cost what is touched.
TEST(MachineState, CapacityCostsNothing) {
  MachineDescription machine;
  machine.memory.hbm_bytes = std::uint64_t{128} << 30;
  const std::uint64_t before = ResidentKib();
  MachineState state(machine);
  state.vram.Write(4194303)[63] = 1;
  state.mram.Write(63)[4095] = 1;
  const std::uint8_t one = 1;
  state.hbm.Write((std::uint64_t{128} << 30) - 1, {&one, 1});
  EXPECT_LT(ResidentKib() - before, 8192u);
}

TEST(MachineState, ATileOfTheAnalyticShapeIsAllocatedWhenWritten) {
  MachineDescription machine;
  machine.shape = {2048, 128, 2048, 128, 16};
  machine.memory.vector_rows = 131072;
  MachineState state(machine);
  EXPECT_EQ(state.mram.rows(), 2u);
  EXPECT_EQ(state.mram.Read(1)[2048 * 2048 - 1], 0.0f);
  state.mram.Write(1)[2048 * 2048 - 1] = 1.0f;
  EXPECT_EQ(state.mram.Read(1)[2048 * 2048 - 1], 1.0f);
}

TEST(MachineState, AccumulatorsAreComparedBitForBitAndEmptyMeansZero) {
  const MachineDescription machine;
  MachineState a(machine);
  MachineState b(machine);
  EXPECT_TRUE(a == b);
  b.accumulators.head_vector.resize(256);
  EXPECT_TRUE(a == b);
  b.accumulators.head_vector[255] = -0.0f;
  EXPECT_FALSE(a == b);
  b = a;
  b.accumulators.matrix[3] = -0.0f;
  EXPECT_FALSE(a == b);
}

TEST(LineHistory, KnowsWhatWasRead) {
  emulator::LineHistory history(std::uint64_t{1} << 34);
  EXPECT_FALSE(history.Read(0));
  EXPECT_TRUE(history.Read(0));
  EXPECT_FALSE(history.Read(1));
  EXPECT_FALSE(history.Read((std::uint64_t{1} << 28) - 1));
  EXPECT_TRUE(history.Read((std::uint64_t{1} << 28) - 1));
  EXPECT_FALSE(history.Read(65536));
  EXPECT_TRUE(history.Read(1));
}

}  // namespace
}  // namespace moescope::test
