// Cost of every opcode in every profile against timing.md 4.2 (T1), overrides (T16) and labels
// (T17).

#include "emulator/timing/cost_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/instruction_set.h"

namespace moescope::emulator {
namespace {

struct Pair {
  Cycle result, interval;
  friend bool operator==(const Pair&, const Pair&) = default;
};
void PrintTo(const Pair& p, std::ostream* out) { *out << p.result << "/" << p.interval; }

// M = V = 64, B = 4, H = 4, dc_lib_en, 32 experts; worked by hand from the table.
struct Row {
  const char* mnemonics;
  Pair settings, dse, library, released;
};
constexpr Row kRows[] = {
    {"M_MM M_TMM", {64, 64}, {8, 8}, {17, 4}, {21, 23}},
    {"M_BMM M_BTMM", {64, 64}, {1028, 1028}, {17, 1024}, {21, 23}},
    {"M_MV M_TMV", {64, 64}, {68, 68}, {13, 5}, {68, 68}},
    {"M_BMV M_BTMV", {1, 1}, {68, 68}, {13, 5}, {68, 68}},
    {"M_MM_WO", {1, 1}, {21, 21}, {10, 1}, {14, 14}},
    {"M_BMM_WO", {1, 1}, {273, 273}, {10, 1}, {74, 74}},
    {"M_MV_WO", {1, 1}, {4, 4}, {70, 1}, {4, 4}},
    {"M_BMV_WO", {1, 1}, {7, 7}, {70, 1}, {7, 7}},
    {"V_ADD_VV V_SUB_VV", {1, 1}, {12, 1}, {11, 1}, {15, 17}},
    {"V_ADD_VF V_SUB_VF", {1, 1}, {13, 1}, {11, 1}, {15, 17}},
    {"V_MUL_VV", {1, 1}, {10, 1}, {11, 1}, {13, 15}},
    {"V_MUL_VF", {1, 1}, {11, 1}, {11, 1}, {13, 15}},
    {"V_EXP_V", {1, 1}, {21, 1}, {11, 2}, {25, 27}},
    {"V_RECI_V", {2, 2}, {11, 1}, {11, 2}, {14, 16}},
    {"V_MAX_VF V_MIN_VF", {4, 4}, {11, 1}, {14, 4}, {10, 12}},
    {"V_SHFT_V", {1, 1}, {1, 1}, {11, 1}, {10, 12}},
    {"V_RED_SUM", {8, 8}, {54, 54}, {18, 8}, {54, 56}},
    {"V_RED_MAX", {4, 4}, {19, 19}, {14, 5}, {54, 56}},
    {"V_TOPK", {128, 128}, {128, 128}, {14, 5}, {128, 128}},
    {"S_ADD_FP S_SUB_FP", {1, 1}, {9, 10}, {8, 1}, {8, 10}},
    {"S_MUL_FP", {1, 1}, {7, 8}, {8, 1}, {6, 8}},
    {"S_MAX_FP", {1, 1}, {9, 10}, {8, 1}, {2, 4}},
    {"S_EXP_FP", {1, 1}, {19, 20}, {8, 1}, {19, 21}},
    {"S_RECI_FP", {1, 1}, {9, 10}, {8, 1}, {8, 10}},
    {"S_SQRT_FP", {1, 1}, {5, 6}, {8, 1}, {4, 6}},
    {"S_LD_FP S_ST_FP", {1, 1}, {1, 1}, {7, 1}, {2, 1}},
    {"S_MAP_V_FP", {64, 64}, {67, 68}, {7, 1}, {68, 68}},
    {"S_ADD_INT S_ADDI_INT S_SUB_INT S_MUL_INT S_LUI_INT S_LD_INT S_ST_INT",
     {1, 1},
     {1, 1},
     {1, 1},
     {1, 1}},
    {"C_SET_ADDR_REG C_SET_SCALE_REG C_SET_STRIDE_REG C_SET_V_MASK_REG C_SET_TOPK_REG C_BREAK "
     "C_LOOP_START C_LOOP_END",
     {1, 1},
     {1, 1},
     {1, 1},
     {1, 1}},
};

MachineDescription Machine(LatencyProfile profile) {
  MachineDescription machine;
  machine.profile = profile;
  return machine;
}

Pair CostOf(const CostTable& table, std::size_t index) {
  if (table.Of(index).per_expert) return {table.Result(index, 32), table.Interval(index, 32)};
  return {table.Of(index).result, table.Of(index).interval};
}

std::vector<std::string> Words(const char* text) {
  std::vector<std::string> words{""};
  for (const char* c = text; *c != '\0'; ++c) {
    if (*c == ' ') {
      words.emplace_back();
    } else {
      words.back() += *c;
    }
  }
  return words;
}

TEST(CostTableTest, EveryOpcodeOfEveryProfile) {
  const CostTable settings(Machine(LatencyProfile::kSettings));
  const CostTable dse(Machine(LatencyProfile::kDse));
  const CostTable library(Machine(LatencyProfile::kLibrary));
  const CostTable released(Machine(LatencyProfile::kReleased));
  std::vector<bool> seen(isa::kInstructionCount, false);
  for (const Row& row : kRows) {
    for (const std::string& mnemonic : Words(row.mnemonics)) {
      const auto index = BuiltinIndexOf(mnemonic);
      ASSERT_TRUE(index.has_value()) << mnemonic;
      seen[*index] = true;
      EXPECT_EQ(CostOf(settings, *index), row.settings) << mnemonic;
      EXPECT_EQ(CostOf(dse, *index), row.dse) << mnemonic;
      EXPECT_EQ(CostOf(library, *index), row.library) << mnemonic;
      EXPECT_EQ(CostOf(released, *index), row.released) << mnemonic;
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i], CostTable::Has(isa::kInstructions[i])) << isa::kInstructions[i].mnemonic;
  }
}

TEST(CostTableTest, SpecialsOfTheReleasedProfile) {
  const CostTable released(Machine(LatencyProfile::kReleased));
  for (const char* name : {"M_MM", "M_TMM", "M_BMM", "M_BTMM"}) {
    EXPECT_EQ(released.Of(*BuiltinIndexOf(name)).first_of_tile, 127u) << name;
  }
  EXPECT_EQ(released.Of(*BuiltinIndexOf("C_LOOP_END")).slots, 4u);
  EXPECT_EQ(released.Of(*BuiltinIndexOf("V_SHFT_V")).slots, 2u);
  EXPECT_EQ(CostTable(Machine(LatencyProfile::kDse)).Of(*BuiltinIndexOf("M_MM")).first_of_tile, 0u);
}

TEST(CostTableTest, SettingsFollowTheColumnAndTheLibraryDoesNot) {
  MachineDescription machine = Machine(LatencyProfile::kSettings);
  machine.dc_enabled = false;
  EXPECT_EQ(CostTable(machine).Of(*BuiltinIndexOf("V_ADD_VV")).result, 2u);
  machine.profile = LatencyProfile::kLibrary;
  EXPECT_EQ(CostTable(machine).Of(*BuiltinIndexOf("V_ADD_VV")).result, 11u);
}

TEST(CostTableTest, NothingTakesLessThanACycle) {
  MachineDescription machine = Machine(LatencyProfile::kSettings);
  for (LatencyEntry& entry : machine.latency) entry = {0, 0};
  const CostTable table(machine);
  for (std::size_t i = 0; i < isa::kInstructionCount; ++i) {
    if (!CostTable::Has(isa::kInstructions[i])) continue;
    EXPECT_GE(CostOf(table, i).result, 1u);
    EXPECT_GE(CostOf(table, i).interval, 1u);
  }
}

TEST(CostTableTest, MeasuredLawsAreExtrapolatedOutsideTheirShapes) {
  const auto label = [](LatencyProfile profile, std::uint32_t b, std::uint32_t m,
                        const char* name) {
    MachineDescription machine = Machine(profile);
    machine.shape = {.mlen = m, .blen = b, .vlen = m, .hlen = m, .broadcast = 1};
    return CostTable(machine).Of(*BuiltinIndexOf(name)).label;
  };
  using enum CostClass;
  EXPECT_EQ(label(LatencyProfile::kDse, 16, 64, "M_MM"), kMeasured);
  EXPECT_EQ(label(LatencyProfile::kDse, 32, 64, "M_MM"), kExtrapolated);
  EXPECT_EQ(label(LatencyProfile::kDse, 16, 128, "M_MM"), kExtrapolated);
  EXPECT_EQ(label(LatencyProfile::kDse, 4, 128, "V_ADD_VV"), kExtrapolated);
  EXPECT_EQ(label(LatencyProfile::kDse, 4, 64, "M_BMM"), kAssumed);
  EXPECT_EQ(label(LatencyProfile::kDse, 4, 64, "M_MV"), kDerived);
  EXPECT_EQ(label(LatencyProfile::kReleased, 8, 64, "M_MM"), kMeasured);
  EXPECT_EQ(label(LatencyProfile::kReleased, 8, 16, "M_MM"), kExtrapolated);
  EXPECT_EQ(label(LatencyProfile::kReleased, 4, 32, "V_RED_SUM"), kExtrapolated);
  EXPECT_EQ(label(LatencyProfile::kReleased, 4, 32, "V_ADD_VV"), kMeasured);
  EXPECT_EQ(label(LatencyProfile::kSettings, 4, 32, "M_MM"), kDerived);
}

TEST(CostTableTest, AnOverrideChangesOnlyItsInstruction) {
  MachineDescription machine = Machine(LatencyProfile::kDse);
  const CostTable before(machine);
  machine.costs = {{"m_mm", "2*B+1", "B", "measured", "our synthesis run 12"},
                   {"V_TOPK", "3*N+1", "N", "derived", "text"},
                   {"S_MUL_INT", "3", "3", "assumed", "guess"}};
  ASSERT_FALSE(CostTable::FindProblem(machine).has_value());
  const CostTable after(machine);
  for (std::size_t i = 0; i < isa::kInstructionCount; ++i) {
    const isa::Instruction& row = isa::kInstructions[i];
    if (!CostTable::Has(row)) continue;
    if (row.mnemonic == "M_MM") {
      EXPECT_EQ(CostOf(after, i), (Pair{9, 4}));
      EXPECT_EQ(after.Of(i).label, CostClass::kMeasured);
      EXPECT_EQ(after.Of(i).source, "our synthesis run 12");
    } else if (row.mnemonic == "V_TOPK") {
      EXPECT_EQ(CostOf(after, i), (Pair{97, 32}));
      EXPECT_TRUE(after.Of(i).assumption.empty());
    } else if (row.mnemonic == "S_MUL_INT") {
      EXPECT_EQ(after.Of(i).slots, 3u);
    } else {
      EXPECT_EQ(CostOf(after, i), CostOf(before, i)) << row.mnemonic;
    }
  }
}

TEST(CostTableTest, ProblemsOfOverrides) {
  struct Case {
    CostOverride cost;
    CostProblem::Field field;
    const char* requirement;
  };
  using Field = CostProblem::Field;
  const Case cases[] = {
      {{"M_MMM", "1", "1", "measured", "x"}, Field::kMnemonic, "is not an instruction"},
      {{"H_STORE_V", "1", "1", "measured", "x"},
       Field::kMnemonic,
       "has no cost of its own: see [MOESCOPE.timing.pipelined] and [MOESCOPE.hbm]"},
      {{"M_MM", "M/7", "1", "measured", "x"}, Field::kResult, "64 / 7 does not divide exactly"},
      {{"M_MM", "1", "0", "measured", "x"},
       Field::kInterval,
       "must give 1 to 4294967295 cycles, not 0"},
      {{"M_MM", "4294967296", "1", "measured", "x"},
       Field::kResult,
       "must give 1 to 4294967295 cycles, not 4294967296"},
      {{"M_MM", "N", "1", "measured", "x"},
       Field::kResult,
       "must not use N: only V_TOPK has an expert count"},
      {{"V_TOPK", "N-1", "1", "measured", "x"},
       Field::kResult,
       "with N must use +, *, clog2 and max only"},
      {{"S_ADD_INT", "1", "2", "measured", "x"},
       Field::kInterval,
       "must equal result: the instruction executes in the front end"},
      {{"M_MM", "1", "1", "sure", "x"}, Field::kLabel, "must be measured, derived or assumed"}};
  for (const Case& c : cases) {
    MachineDescription machine;
    machine.costs = {{"V_EXP_V", "2", "1", "derived", "good"}, c.cost};
    const auto problem = CostTable::FindProblem(machine);
    ASSERT_TRUE(problem.has_value()) << c.requirement;
    EXPECT_EQ(problem->index, 1u);
    EXPECT_EQ(problem->field, c.field);
    EXPECT_EQ(problem->requirement, c.requirement);
  }
}

}  // namespace
}  // namespace moescope::emulator
