// Rules of timing.md 5.2 beyond the table of intervals.

#include "emulator/timing/rtl/rtl_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/timing/random_machine.h"
#include "tests/emulator/timing/random_stream.h"
#include "tests/emulator/timing/stream.h"

namespace moescope::test {
namespace {

using emulator::Cycle;
using emulator::Reason;
using emulator::RtlModel;
using testing::ElementsAre;

emulator::MachineDescription Machine(std::uint32_t b = 4, std::uint32_t m = 8) {
  emulator::MachineDescription machine;
  machine.timing = emulator::TimingModelKind::kRtl;
  machine.hbm.model = emulator::HbmModelKind::kFixed;
  machine.shape = {.mlen = m, .blen = b, .vlen = m, .hlen = m, .broadcast = 1};
  machine.rows = {m, 4, 4};
  machine.rtl.ibuf = false;
  return machine;
}

Announced TimeOf(const Stream& stream, const emulator::MachineDescription& machine = Machine()) {
  RtlModel model(machine);
  return Feed(model, stream);
}

emulator::Access Transfer(std::uint32_t rows, bool is_store = false, std::uint64_t address = 0) {
  emulator::Access access;
  access.has_transfer = true;
  access.transfer = {.is_store = is_store,
                     .rows = rows,
                     .element_address = address,
                     .element_step = 8,
                     .element_bytes = 8,
                     .scale_address = address + 4096,
                     .scale_step = 1,
                     .scale_bytes = 1};
  return access;
}

emulator::Access PrefetchM(std::uint32_t tile) {
  emulator::Access access = Transfer(8);
  access.mram_write = {tile, 1, 1};
  return access;
}

emulator::Access PrefetchV(std::uint32_t row, std::uint64_t address = 0) {
  emulator::Access access = Transfer(4, false, address);
  access.vram_write = {row, 4, 1};
  return access;
}

// The time of a whole tile: (n-1)(3B+11) + 4B + 2M + 18 to the next tile's first multiply.
TEST(RtlModelTest, TileFormula) {
  for (const std::uint32_t b : {4u, 8u, 16u}) {
    for (const std::uint32_t m : {8u, 16u, 32u, 64u}) {
      if (b > m) continue;
      for (std::uint32_t n = 1; n <= 16; ++n) {
        Stream stream;
        for (int i = 0; i < 4; ++i) stream.Add("C_SET_SCALE_REG");
        for (std::uint32_t i = 0; i < n; ++i) stream.Add("M_MM", {}, Multiply(0, {0, b, 1}));
        stream.Add("M_MM_WO", {}, Writes({0, b, 1}));
        stream.Add("M_MM", {}, Multiply(0, {0, b, 1}));
        const Announced run = TimeOf(stream, Machine(b, m));
        EXPECT_EQ(run.accepted[4 + n + 1] - run.accepted[4],
                  (n - 1) * (3 * b + 11) + 4 * b + 2 * m + 18)
            << "B " << b << ", M " << m << ", n " << n;
      }
    }
  }
}

TEST(RtlModelTest, FirstTwoInstructionsAfterReset) {
  Stream stream;
  stream.Add("S_ADD_INT").Add("S_ADD_INT").Add("S_ADD_INT");
  EXPECT_THAT(TimeOf(stream).accepted, ElementsAre(7, 9, 10));
  emulator::MachineDescription machine = Machine();
  machine.rtl.ibuf = true;
  const Announced run = TimeOf(stream, machine);
  EXPECT_THAT(run.accepted, ElementsAre(45, 47, 48)) << "38 slots of refill first";
  EXPECT_EQ(run.Of(Reason::kRefill), 38u);
  EXPECT_EQ(run.Of(Reason::kFill), 8u);
}

TEST(RtlModelTest, TotalsOfTheSmallestPrograms) {
  EXPECT_EQ(TimeOf(Stream()).total, 0u);
  EXPECT_EQ(TimeOf(Stream().Add("S_ADD_INT")).total, 8u);
}

TEST(RtlModelTest, BackwardJumpBelowTheBufferRefills) {
  emulator::MachineDescription machine = Machine();
  machine.rtl.ibuf = true;
  Stream stream;
  stream.Add("S_ADD_INT").At(40).Add("S_ADD_INT").At(41).Add("S_ADD_INT").At(39);
  const Announced run = TimeOf(stream, machine);
  EXPECT_EQ(run.accepted[2] - run.accepted[1], 38u) << "37 slots and its own";
  stream.Add("S_ADD_INT").At(70).Add("S_ADD_INT").At(71);
  const Announced forward = TimeOf(stream, machine);
  EXPECT_EQ(forward.accepted[3] - forward.accepted[2], 1u) << "39 + 32 words: 70 is inside";
  EXPECT_EQ(forward.accepted[4] - forward.accepted[3], 38u) << "71 is not";
}

TEST(RtlModelTest, LoopBubblesAndEmptySlotsHaveOwners) {
  Stream stream;
  for (int i = 0; i < 3; ++i) stream.Add("C_SET_SCALE_REG");
  emulator::Access taken;
  taken.jumped = true;
  stream.Add("C_LOOP_END", {.rd = 1}, taken).Add("S_ADD_INT").Add("S_ADD_INT");
  const Announced run = TimeOf(stream);
  EXPECT_THAT(run.accepted, ElementsAre(7, 9, 10, 11, 14, 16));
  EXPECT_EQ(run.Of(3, Reason::kCtrlLoop), 3u);
}

TEST(RtlModelTest, ReasonsOfEachRule) {
  struct Case {
    const char* first;
    const char* second;
    Reason reason;
    Cycle cycles;
  };
  // The second instruction's natural slot is one behind the first's slots.
  const Case cases[] = {{"V_EXP_V", "V_RECI_V", Reason::kVxBusy, 26},
                        {"V_RED_SUM", "S_LD_FP", Reason::kRedPending, 34},
                        {"S_EXP_FP", "S_ADD_FP", Reason::kSxBusy, 20},
                        {"M_MM", "M_MM", Reason::kMxBusy, 37},
                        {"M_MM", "M_MM_WO", Reason::kMxBusy, 25}};
  for (const Case& c : cases) {
    Stream stream;
    for (int i = 0; i < 3; ++i) stream.Add("C_SET_SCALE_REG");
    for (const char* name : {c.first, c.second}) {
      const std::string text = name;
      emulator::Access access;
      if (text == "M_MM") access = Multiply(0, {0, 4, 1});
      if (text == "M_MM_WO") access = Writes({0, 4, 1});
      if (text[0] == 'V') access = ReadsWrites({0, 1}, {}, {1, 1});
      stream.Add(text, {}, access);
    }
    const Announced run = TimeOf(stream);
    EXPECT_EQ(run.Of(4, c.reason), c.cycles) << c.first << ", " << c.second;
    EXPECT_EQ((run.blame.at({4, 3})), c.cycles);
  }
}

TEST(RtlModelTest, SettleAndHoldHaveReasons) {
  Stream stream;
  for (int i = 0; i < 3; ++i) stream.Add("C_SET_SCALE_REG");
  stream.Add("M_MM", {}, Multiply(0, {0, 4, 1})).Add("M_MM_WO", {}, Writes({0, 4, 1}));
  stream.Add("V_ADD_VV", {}, ReadsWrites({0, 1}, {1, 1}, {2, 1})).Add("S_ADDI_INT", {.rd = 1});
  const Announced run = TimeOf(stream);
  EXPECT_EQ(run.accepted[5] - run.accepted[3], 109u);
  EXPECT_GT(run.Of(5, Reason::kSettle), 0u);
  // Slot x + 2 is empty because the V op waited; then held up to w + 6.
  EXPECT_EQ(run.Of(6, Reason::kHoldInt), 18u);
  EXPECT_EQ(run.accepted[6] - run.accepted[5], 21u);
}

TEST(RtlModelTest, SecondPrefetchOfAKindWaits) {
  Stream stream;
  stream.Add("H_PREFETCH_M", {}, PrefetchM(0)).Add("H_PREFETCH_M", {}, PrefetchM(1));
  const Announced run = TimeOf(stream);
  // Rows 0 to 7 arrive 12 to 19 cycles after 7; the slot is free at 27.
  EXPECT_EQ(run.accepted[1], 27u);
  EXPECT_EQ(run.Of(1, Reason::kHbmLatency), 26u - 9u);
}

TEST(RtlModelTest, PrefetchVHoldsVectorsAndMatrixLoadsButNotMatrixOps) {
  Stream stream;
  stream.Add("H_PREFETCH_V", {}, PrefetchV(0)).Add("M_MM", {}, Multiply(0, {8, 4, 1}));
  stream.Add("V_EXP_V", {}, ReadsWrites({9, 1}, {}, {10, 1}));
  const Announced run = TimeOf(stream);
  EXPECT_EQ(run.accepted[1], 9u);
  EXPECT_GE(run.accepted[2], 7u + 16);
  Stream load;
  load.Add("H_PREFETCH_V", {}, PrefetchV(0)).Add("H_PREFETCH_M", {}, PrefetchM(0));
  EXPECT_EQ(TimeOf(load).accepted[1], 7u + 12 + 3 + 1);
}

std::map<std::string, std::uint64_t> Interlocks(const Announced& run) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& interlock : *run.end.missing_interlocks)
    counts[interlock.name] = interlock.count;
  return counts;
}

TEST(RtlModelTest, MissingInterlocksAreCounted) {
  using Counts = std::map<std::string, std::uint64_t>;
  Stream early;
  early.Add("H_PREFETCH_M", {}, PrefetchM(3)).Add("M_MM", {}, Multiply(3, {0, 4, 1}));
  EXPECT_EQ(Interlocks(TimeOf(early)), (Counts{{"matrix_before_prefetch", 1}}));
  Stream map;
  map.Add("C_SET_SCALE_REG").Add("S_MAP_V_FP", {}, Writes({0, 1})).Add("S_LD_FP", {.rd = 1});
  EXPECT_EQ(Interlocks(TimeOf(map)), (Counts{{"map_next_slot", 1}}));
  Stream settle;
  settle.Add("M_MM", {}, Multiply(0, {0, 4, 1}))
      .Add("V_EXP_V", {}, ReadsWrites({9, 1}, {}, {9, 1}));
  EXPECT_EQ(Interlocks(TimeOf(settle)), (Counts{{"vector_before_settle", 1}}));
  Stream loaded;
  loaded.Add("C_SET_SCALE_REG").Add("S_LD_FP", {.rd = 3}).Add("S_ADD_FP", {.rd = 1, .rs1 = 3});
  EXPECT_EQ(Interlocks(TimeOf(loaded)), (Counts{{"load_fp_next_slot", 1}}));
  Stream multiply;
  multiply.Add("S_MUL_INT").Add("S_MUL_INT");
  EXPECT_EQ(Interlocks(TimeOf(multiply)), (Counts{{"multiply_int_destination", 2}}));
  emulator::Access store = Transfer(4, /*is_store=*/true);
  store.vram_read[0] = {0, 4, 1};
  Stream order;
  order.Add("H_STORE_V", {}, store).Add("H_PREFETCH_M", {}, PrefetchM(0));
  EXPECT_EQ(Interlocks(TimeOf(order)), (Counts{{"read_after_store", 1}}));
  EXPECT_TRUE(Interlocks(TimeOf(Stream().Add("S_ADD_INT"))).empty());
}

TEST(RtlModelTest, ReportsTheDecodeOfTheBreak) {
  Stream stream;
  stream.Add("S_ADD_INT").Add("S_ADD_INT").Add("C_BREAK");
  const Announced run = TimeOf(stream);
  bool found = false;
  for (const auto& structure : run.end.structures) {
    if (structure.name != "c_break_decode") continue;
    found = true;
    EXPECT_EQ(structure.high_water, run.accepted[2] - 5);
  }
  EXPECT_TRUE(found);
}

TEST(RtlModelTest, DescribesWhatTheHardwareLacks) {
  Stream stream;
  stream.Add("M_BMV", {}, Multiply(0, {0, 1, 1})).Add("V_ADD_VV", {}).Add("V_ADD_VV", {.rs3 = 1});
  stream.Add("M_MM", {}, Multiply(0, {0, 4, 1})).Add("V_RED_SUM").Add("H_PREFETCH_M");
  const isa::Program program = stream.Program();
  using enum emulator::CostClass;
  emulator::RunDescription small;
  RtlModel(Machine()).Describe(program, small);
  EXPECT_THAT(small.cost_class,
              ElementsAre(kUnsupported, kMeasured, kUnsupported, kMeasured, kMeasured, kAssumed));
  EXPECT_EQ(small.latency_profile, "released");
  EXPECT_THAT(small.assumptions, testing::Contains("A10"));
  emulator::RunDescription large;
  RtlModel(Machine(16, 128)).Describe(program, large);
  EXPECT_THAT(large.cost_class, ElementsAre(kUnsupported, kMeasured, kUnsupported, kExtrapolated,
                                            kExtrapolated, kAssumed));
}

// Sums, order and cuts on random programs (T2).
TEST(RtlModelTest, RandomProgramsSumExactly) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    std::mt19937_64 random(seed);
    emulator::MachineDescription machine = RandomMachine(random);
    machine.rtl.ibuf = random() % 2 == 0;
    const Stream stream =
        RandomStream(random, machine, {.transfers = random() % 3 != 0}).Make(1 + random() % 120);
    RtlModel model(machine);
    const Announced run = Feed(model, stream);
    ASSERT_EQ(run.accepted.size(), stream.steps().size());
    ASSERT_TRUE(std::is_sorted(run.accepted.begin(), run.accepted.end()));
    Cycle at = 0;
    for (const auto& piece : run.pieces) {
      ASSERT_EQ(piece.begin, at) << "seed " << seed;
      at = piece.end;
    }
    ASSERT_EQ(at, run.total) << "seed " << seed;
    for (const auto& [unit, cycles] : run.busy) ASSERT_LE(cycles, run.total);

    RtlModel cut_model(machine);
    const std::size_t steps = random() % stream.steps().size();
    const Announced cut = Feed(cut_model, stream, steps);
    Cycle sum = 0;
    for (const auto& [cell, cycles] : cut.cells) sum += cycles;
    ASSERT_EQ(sum, cut.total) << "seed " << seed;
    ASSERT_TRUE(std::equal(cut.accepted.begin(), cut.accepted.end(), run.accepted.begin()));
  }
}

}  // namespace
}  // namespace moescope::test
