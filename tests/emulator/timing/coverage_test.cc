// Provenance of a run (timing.md, 1.5, 7.7, 10 and 9: T17): every class appears when it is
// provoked, and every assumption id is listed exactly when it is in force.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "emulator/timing/pipelined/pipelined_model.h"
#include "emulator/timing/rtl/rtl_model.h"
#include "emulator/timing/serial_model.h"
#include "tests/emulator/timing/stream.h"

namespace moescope::test {
namespace {

using emulator::CostClass;
using emulator::HbmModelKind;
using emulator::LatencyProfile;
using emulator::MachineDescription;
using emulator::TimingModelKind;

isa::Program ProgramOf(std::string_view mnemonic, const isa::Operands& operands = {}) {
  Stream stream;
  stream.Add(mnemonic, operands);
  return stream.Program();
}

emulator::RunDescription Describe(const MachineDescription& machine, const isa::Program& program) {
  emulator::RunDescription description;
  emulator::MakeTimingModel(machine)->Describe(program, description);
  return description;
}

MachineDescription Machine(TimingModelKind timing, LatencyProfile profile = LatencyProfile::kDse) {
  MachineDescription machine;
  machine.timing = timing;
  machine.profile = profile;
  return machine;
}

struct Provoked {
  const char* name;
  const char* mnemonic;
  isa::Operands operands;
  TimingModelKind timing;
  LatencyProfile profile;
  std::uint32_t mlen;
  CostClass expected;
};
void PrintTo(const Provoked& p, std::ostream* out) { *out << p.name; }

class ProvokedClass : public testing::TestWithParam<Provoked> {};

TEST_P(ProvokedClass, IsTheOneOfItsCost) {
  const Provoked& p = GetParam();
  MachineDescription machine = Machine(p.timing, p.profile);
  machine.shape.mlen = machine.shape.vlen = p.mlen;
  const emulator::RunDescription d = Describe(machine, ProgramOf(p.mnemonic, p.operands));
  ASSERT_EQ(d.cost_class.size(), 1u);
  EXPECT_EQ(emulator::Name(d.cost_class[0]), emulator::Name(p.expected));
}

constexpr auto kSerial = TimingModelKind::kSerial;
constexpr auto kPipelined = TimingModelKind::kPipelined;
constexpr auto kRtl = TimingModelKind::kRtl;
constexpr auto kDse = LatencyProfile::kDse;

const Provoked kProvoked[] = {
    {"serial table", "M_MM", {}, kSerial, kDse, 64, CostClass::kDerived},
    {"serial dram", "H_PREFETCH_M", {}, kSerial, kDse, 64, CostClass::kDerived},
    {"our instruction", "C_SET_TOPK_REG", {}, kSerial, kDse, 64, CostClass::kExtrapolated},
    {"our policy", "V_TOPK", {.rs3 = 15}, kSerial, kDse, 64, CostClass::kExtrapolated},
    {"public policy", "V_TOPK", {.rs3 = 1}, kSerial, kDse, 64, CostClass::kDerived},
    {"dse matrix", "M_MM", {}, kPipelined, kDse, 64, CostClass::kMeasured},
    {"dse matrix, large", "M_MM", {}, kPipelined, kDse, 128, CostClass::kExtrapolated},
    {"dse structure", "M_MV", {}, kPipelined, kDse, 64, CostClass::kDerived},
    {"dse broadcast", "M_BMM", {}, kPipelined, kDse, 64, CostClass::kAssumed},
    {"dse vector", "V_EXP_V", {}, kPipelined, kDse, 64, CostClass::kMeasured},
    {"dse vector, large", "V_EXP_V", {}, kPipelined, kDse, 256, CostClass::kExtrapolated},
    {"second address slot", "V_ADD_VV", {}, kPipelined, kDse, 64, CostClass::kAssumed},
    {"maximum", "V_MAX_VF", {}, kPipelined, kDse, 64, CostClass::kAssumed},
    {"top-k", "V_TOPK", {}, kPipelined, kDse, 64, CostClass::kAssumed},
    {"transfer", "H_PREFETCH_V", {}, kPipelined, kDse, 64, CostClass::kAssumed},
    {"front end", "S_ADD_INT", {}, kPipelined, kDse, 64, CostClass::kMeasured},
    {"settings", "M_MM", {}, kPipelined, LatencyProfile::kSettings, 64, CostClass::kDerived},
    {"library", "M_MM", {}, kPipelined, LatencyProfile::kLibrary, 64, CostClass::kDerived},
    {"released", "M_MM", {}, kPipelined, LatencyProfile::kReleased, 64, CostClass::kMeasured},
    {"released, 32",
     "M_MM",
     {},
     kPipelined,
     LatencyProfile::kReleased,
     32,
     CostClass::kExtrapolated},
    {"rtl vector", "V_ADD_VV", {}, kRtl, kDse, 64, CostClass::kMeasured},
    {"rtl mask", "V_ADD_VV", {.rs3 = 1}, kRtl, kDse, 64, CostClass::kUnsupported},
    {"rtl mask register", "C_SET_V_MASK_REG", {}, kRtl, kDse, 64, CostClass::kUnsupported},
    {"rtl broadcast", "M_BMV", {}, kRtl, kDse, 64, CostClass::kUnsupported},
    {"rtl broadcast, transposed", "M_BTMV", {}, kRtl, kDse, 64, CostClass::kUnsupported},
    {"rtl broadcast write-out", "M_BMV_WO", {}, kRtl, kDse, 64, CostClass::kUnsupported},
    {"rtl transposed vector", "M_TMV", {}, kRtl, kDse, 64, CostClass::kUnsupported},
    {"rtl top-k", "V_TOPK", {}, kRtl, kDse, 64, CostClass::kUnsupported},
    {"rtl maximum", "V_MAX_VF", {}, kRtl, kDse, 64, CostClass::kUnsupported},
    {"rtl minimum", "V_MIN_VF", {}, kRtl, kDse, 64, CostClass::kUnsupported},
    {"rtl top-k register", "C_SET_TOPK_REG", {}, kRtl, kDse, 64, CostClass::kUnsupported},
};
INSTANTIATE_TEST_SUITE_P(All, ProvokedClass, testing::ValuesIn(kProvoked));

TEST(Coverage, WordsThatDoNotDecodeAreUnsupportedUnderEveryModel) {
  for (const TimingModelKind timing : {kSerial, kPipelined, kRtl}) {
    const emulator::RunDescription d = Describe(Machine(timing), isa::ProgramFromWords({0}));
    EXPECT_EQ(d.cost_class, std::vector<CostClass>{CostClass::kUnsupported});
  }
}

TEST(Coverage, AnOverrideHasTheLabelThatItsFileGives) {
  for (const char* label : {"measured", "derived", "assumed"}) {
    MachineDescription machine = Machine(kPipelined);
    machine.costs = {{"V_TOPK", "9", "9", label, "a run of ours"}};
    const auto d = Describe(machine, ProgramOf("V_TOPK"));
    EXPECT_EQ(emulator::Name(d.cost_class.at(0)), label);
    EXPECT_THAT(d.assumptions, testing::Not(testing::Contains("A07")))
        << "the cost is no longer ours to assume";
  }
}

// ---- ids of timing.md, 10
// ------------------------------------------------------------------------

std::vector<std::string> Ids(const MachineDescription& machine, std::string_view mnemonic) {
  return Describe(machine, ProgramOf(mnemonic)).assumptions;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Assumptions, AreListedExactlyWhenInForce) {
  const MachineDescription dse = Machine(kPipelined);
  EXPECT_THAT(Ids(dse, "S_ADD_INT"), IsEmpty());
  EXPECT_THAT(Ids(dse, "V_ADD_VV"), ElementsAre("A02"));
  EXPECT_THAT(Ids(dse, "M_BMM"), ElementsAre("A03"));
  EXPECT_THAT(Ids(dse, "M_MV"), IsEmpty()) << "A04 belongs to profile released";
  EXPECT_THAT(Ids(dse, "M_BMM_WO"), ElementsAre("A05"));
  EXPECT_THAT(Ids(dse, "M_BMV_WO"), ElementsAre("A05"));
  for (const char* name : {"V_MAX_VF", "V_MIN_VF", "V_SHFT_V", "S_MAX_FP"}) {
    EXPECT_THAT(Ids(dse, name), ElementsAre("A06")) << name;
  }
  EXPECT_THAT(Ids(dse, "V_TOPK"), ElementsAre("A07"));
  EXPECT_THAT(Ids(dse, "H_PREFETCH_M"), ElementsAre("A08", "A09"));
  const MachineDescription released = Machine(kPipelined, LatencyProfile::kReleased);
  for (const char* name : {"M_MV", "M_TMV", "M_BMV", "M_BTMV", "M_MV_WO"}) {
    EXPECT_THAT(Ids(released, name), ElementsAre("A04")) << name;
  }
}

TEST(Assumptions, FollowTheOptions) {
  MachineDescription machine = Machine(kPipelined);
  machine.pipelined.vv_slots = 2;
  EXPECT_THAT(Ids(machine, "V_ADD_VV"), IsEmpty()) << "the RTL's second slot is charged";
  machine = Machine(kPipelined);
  machine.pipelined.dma.merge_lines = false;
  EXPECT_THAT(Ids(machine, "H_STORE_V"), ElementsAre("A09"));
  machine.hbm.model = HbmModelKind::kFast;
  EXPECT_THAT(Ids(machine, "H_STORE_V"), ElementsAre("A09", "A11"));
  machine.hbm.model = HbmModelKind::kFixed;
  EXPECT_THAT(Ids(machine, "H_STORE_V"), ElementsAre("A10"));
}

TEST(Assumptions, OfAProgramAreTheUnionOfItsInstructions) {
  Stream stream;
  stream.Add("V_TOPK").Add("V_ADD_VV").Add("H_PREFETCH_M").Add("M_BMM_WO").Add("V_ADD_VV");
  const auto d = Describe(Machine(kPipelined), stream.Program());
  EXPECT_THAT(d.assumptions, ElementsAre("A02", "A05", "A07", "A08", "A09"));
}

// ---- what a model says about itself
// --------------------------------------------------------------

TEST(Description, NamesModelProfileAndMemory) {
  const isa::Program program = ProgramOf("S_ADD_INT");
  EXPECT_EQ(Describe(Machine(kPipelined), program).issue_model,
            "in-order, 1/cycle, asynchronous DMA, profile dse, HBM dram");
  MachineDescription machine = Machine(kPipelined, LatencyProfile::kLibrary);
  machine.hbm.model = HbmModelKind::kFast;
  EXPECT_EQ(Describe(machine, program).issue_model,
            "in-order, 1/cycle, asynchronous DMA, profile library, HBM fast");
}

TEST(Description, LawsNameTheShapesBehindThem) {
  Stream stream;
  stream.Add("M_MM").Add("V_EXP_V").Add("M_MV").Add("M_MM");
  const auto d = Describe(Machine(kPipelined), stream.Program());
  using Law = std::pair<std::string, std::string>;
  EXPECT_THAT(d.laws, testing::UnorderedElementsAre(Law{"M_MM", "M <= 64, B <= 16"},
                                                    Law{"V_EXP_V", "V <= 64"}));
}

TEST(Description, ReasonsThatCannotOccurAreNotListed) {
  using emulator::Reason;
  const isa::Program program = ProgramOf("S_ADD_INT");
  const auto lists = [&](const MachineDescription& machine, Reason reason) {
    const auto reasons = Describe(machine, program).reasons;
    return std::count(reasons.begin(), reasons.end(), reason) == 1;
  };
  MachineDescription machine = Machine(kPipelined);
  for (const Reason r : {Reason::kFill, Reason::kRecovery, Reason::kMixedLat, Reason::kHbmRow,
                         Reason::kHbmOrder, Reason::kPortB}) {
    EXPECT_TRUE(lists(machine, r)) << emulator::Name(r);
  }
  for (const Reason r :
       {Reason::kExecute, Reason::kRefill, Reason::kHoldInt, Reason::kSettle, Reason::kOther}) {
    EXPECT_FALSE(lists(machine, r)) << emulator::Name(r);
  }
  machine.pipelined.retire_in_order = false;
  EXPECT_FALSE(lists(machine, Reason::kMixedLat));
  machine.pipelined.recovery = 0;
  EXPECT_FALSE(lists(machine, Reason::kRecovery));
  machine.pipelined.fill = 0;
  EXPECT_FALSE(lists(machine, Reason::kFill));
  machine.hbm.model = HbmModelKind::kFast;
  EXPECT_FALSE(lists(machine, Reason::kHbmRow));
  EXPECT_TRUE(lists(machine, Reason::kHbmQueue));
  machine.hbm.model = HbmModelKind::kFixed;
  EXPECT_FALSE(lists(machine, Reason::kHbmQueue));
  EXPECT_FALSE(lists(machine, Reason::kHbmBandwidth));
  const MachineDescription rtl = Machine(kRtl);
  for (const Reason r : {Reason::kRefill, Reason::kHoldInt, Reason::kSettle}) {
    EXPECT_TRUE(lists(rtl, r)) << emulator::Name(r);
  }
  EXPECT_FALSE(lists(rtl, Reason::kExecute));
  const MachineDescription serial = Machine(kSerial);
  EXPECT_TRUE(lists(serial, Reason::kExecute));
  EXPECT_FALSE(lists(serial, Reason::kIssue));
}

TEST(Description, EveryInstructionHasAClassUnderEveryModelProfileAndMemory) {
  for (const TimingModelKind timing : {kSerial, kPipelined, kRtl}) {
    for (const LatencyProfile profile : {LatencyProfile::kSettings, LatencyProfile::kDse,
                                         LatencyProfile::kLibrary, LatencyProfile::kReleased}) {
      for (const HbmModelKind hbm :
           {HbmModelKind::kDram, HbmModelKind::kFast, HbmModelKind::kFixed}) {
        MachineDescription machine = Machine(timing, profile);
        machine.hbm.model = hbm;
        Stream stream;
        for (const isa::Instruction& row : isa::kInstructions) stream.Add(row.mnemonic);
        const auto d = Describe(machine, stream.Program());
        ASSERT_EQ(d.cost_class.size(), isa::kInstructionCount);
        std::set<std::string> ids(d.assumptions.begin(), d.assumptions.end());
        EXPECT_EQ(ids.size(), d.assumptions.size()) << "each id once";
        EXPECT_TRUE(std::is_sorted(d.assumptions.begin(), d.assumptions.end()));
        EXPECT_EQ(d.units.empty(), timing == kSerial);
      }
    }
  }
}

}  // namespace
}  // namespace moescope::test
