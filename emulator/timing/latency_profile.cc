#include "emulator/timing/latency_profile.h"

#include <array>

#include "base/check.h"

namespace moescope::emulator {
namespace {

using isa::TimingClass;

constexpr auto kMeasured = CostClass::kMeasured;
constexpr auto kDerived = CostClass::kDerived;
constexpr auto kAssumed = CostClass::kAssumed;

constexpr std::string_view kFile = "LATENCY table of the machine file";
constexpr std::string_view kLib = "customISA_lib.json of the public emulator, alone / pipelined";
constexpr std::string_view kDse = "calibrated scoreboard of the public prefill-DSE branch";
constexpr std::string_view kDseText = "structure of the public prefill-DSE scoreboard";
constexpr std::string_view kCtl = "simulation of the released RTL's control path";
constexpr std::string_view kUs = "chosen where public sources are silent";

constexpr ProfileEntry Settings(std::string_view result) { return {result, "", kDerived, kFile}; }
constexpr ProfileEntry Library(std::string_view result, std::string_view interval,
                               std::string_view assumption = "") {
  return {result, interval, assumption.empty() ? kDerived : kAssumed, kLib, assumption};
}
constexpr ProfileEntry DseArray(std::string_view result) {
  return {result, "", kMeasured, kDse, "", Domain::kDseArray};
}
constexpr ProfileEntry Dse(std::string_view result, std::string_view interval = "") {
  return {result, interval, kMeasured, kDse, "", Domain::kDseVector};
}
constexpr ProfileEntry DseStructure(std::string_view result) {
  return {result, "", kDerived, kDseText};
}
constexpr ProfileEntry Ctl(std::string_view result, std::string_view interval = "",
                           Domain domain = Domain::kAny) {
  return {result, interval, kMeasured, kCtl, "", domain};
}
constexpr ProfileEntry CtlArray(std::string_view result, std::string_view interval,
                                std::string_view first_of_tile) {
  return {result, interval, kMeasured, kCtl, "", Domain::kCtlArray, first_of_tile};
}
constexpr ProfileEntry Assumed(std::string_view assumption, std::string_view result,
                               std::string_view interval = "", std::string_view first_of_tile = "",
                               std::uint32_t slots = 1) {
  return {result, interval, kAssumed, kUs, assumption, Domain::kAny, first_of_tile, slots};
}
constexpr ProfileEntry CtlLoopEnd() {
  ProfileEntry entry = Ctl("1");
  entry.slots = 4;
  return entry;
}

// clog2(V+1) is L(V) of timing.md.
constexpr std::string_view kSumDse = "5+7*clog2(V+1)";
constexpr std::string_view kSumReleased = "7+7*clog2(V+1)";

constexpr ProfileRow kRows[] = {
    {TimingClass::kMatrixMultiply, Settings("M+OVH"), DseArray("B+4"), Library("2*B+9", "B"),
     CtlArray("3*B+9", "3*B+11", "2*M-1")},
    {TimingClass::kBroadcastMultiply, Settings("M+OVH"), Assumed("A03", "B*(M/B)*(M/B)+4"),
     Library("2*B+9", "B*(M/B)*(M/B)"), Assumed("A03", "3*B+9", "3*B+11", "2*M-1")},
    {TimingClass::kMatrixVector, Settings("M"), DseStructure("M+4"), Library("B+9", "B+1"),
     Assumed("A04", "M+4")},
    {TimingClass::kBroadcastVector, Settings("1"), DseStructure("M+4"), Library("B+9", "B+1"),
     Assumed("A04", "M+4")},
    {TimingClass::kMatrixWriteOut, Settings("1"), DseArray("2*B+13"), Library("B+6", "1"),
     Ctl("B+10", "", Domain::kCtlArray)},
    {TimingClass::kBroadcastWriteOut, Settings("1"), Assumed("A05", "B+13+H*M"),
     Library("B+6", "1"), Assumed("A05", "M+10")},
    {TimingClass::kVectorWriteOut, Settings("1"), DseStructure("4"), Library("M+6", "1"),
     Assumed("A04", "4")},
    {TimingClass::kBroadcastVectorWriteOut, Settings("1"), Assumed("A05", "H+3"),
     Library("M+6", "1"), Assumed("A05", "H+3")},
    {TimingClass::kVectorAddVector, Settings("ADD"), Dse("12", "1"), Library("ADD+10", "ADD"),
     Ctl("15", "17")},
    {TimingClass::kVectorAddScalar, Settings("ADD"), Dse("13", "1"), Library("ADD+10", "ADD"),
     Ctl("15", "17")},
    {TimingClass::kVectorMultiplyVector, Settings("MUL"), Dse("10", "1"), Library("MUL+10", "MUL"),
     Ctl("13", "15")},
    {TimingClass::kVectorMultiplyScalar, Settings("MUL"), Dse("11", "1"), Library("MUL+10", "MUL"),
     Ctl("13", "15")},
    {TimingClass::kVectorExp, Settings("EXP"), Dse("21", "1"), Library("EXP+10", "EXP+1"),
     Ctl("25", "27")},
    {TimingClass::kVectorReciprocal, Settings("RECI"), Dse("11", "1"), Library("EXP+10", "EXP+1"),
     Ctl("14", "16")},
    {TimingClass::kVectorMax, Settings("MAX"), Assumed("A06", "11", "1"),
     Library("MAX+10", "MAX", "A06"), Assumed("A06", "10", "12")},
    {TimingClass::kVectorShift, Settings("SHIFT"), Assumed("A06", "1", "1"),
     Library("MUL+10", "MUL", "A06"), Assumed("A06", "10", "12", "", 2)},
    {TimingClass::kReduceSum, Settings("SUM"), Dse(kSumDse), Library("SUM+10", "SUM"),
     Ctl(kSumDse, kSumReleased, Domain::kCtlVector)},
    {TimingClass::kReduceMax, Settings("MAX"), Dse("5+2*clog2(V+1)"), Library("MAX+10", "MAX+1"),
     Ctl(kSumDse, kSumReleased, Domain::kCtlVector)},
    {TimingClass::kTopK, Settings("MAX*N"), Assumed("A07", "4*N"), Library("MAX+10", "MAX+1"),
     Assumed("A07", "4*N")},
    {TimingClass::kScalarAdd, Settings("SB"), Dse("9", "10"), Library("SB+7", "SB"),
     Ctl("8", "10")},
    {TimingClass::kScalarMultiply, Settings("SB"), Dse("7", "8"), Library("SB+7", "SB"),
     Ctl("6", "8")},
    {TimingClass::kScalarMax, Settings("SB"), Assumed("A06", "9", "10"), Library("SB+7", "SB"),
     Ctl("2", "4")},
    {TimingClass::kScalarExp, Settings("SEXP"), Dse("19", "20"), Library("SEXP+7", "SEXP"),
     Ctl("19", "21")},
    {TimingClass::kScalarReciprocal, Settings("SRECI"), Dse("9", "10"), Library("SRECI+7", "SRECI"),
     Ctl("8", "10")},
    {TimingClass::kScalarSquareRoot, Settings("SSQRT"), Dse("5", "6"), Library("SSQRT+7", "SSQRT"),
     Ctl("4", "6")},
    {TimingClass::kScalarMemory, Settings("1"), Dse("1", "1"), Library("7", "1"), Ctl("2", "1")},
    {TimingClass::kMap, Settings("V"), Dse("V+3", "V+4"), Library("7", "1"),
     Ctl("V+4", "", Domain::kCtlVector)},
    {TimingClass::kInteger, Settings("1"), Ctl("1"), Library("1", "1"), Ctl("1")},
    {TimingClass::kControl, Settings("1"), Ctl("1"), Library("1", "1"), Ctl("1")},
    {TimingClass::kLoopStart, Settings("1"), Ctl("1"), Library("1", "1"), Ctl("1")},
    {TimingClass::kLoopEnd, Settings("1"), Ctl("1"), Library("1", "1"), CtlLoopEnd()},
};

constexpr bool InOrder() {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<std::size_t>(kRows[i].timing) != i) return false;
  }
  return std::size(kRows) == static_cast<std::size_t>(TimingClass::kPrefetchMatrix);
}
static_assert(InOrder(), "one row per timing class, in the order of the enumeration");

// A cost without provenance does not compile.
constexpr bool Labelled(const ProfileEntry& entry) {
  return !entry.result.empty() && !entry.source.empty() &&
         (entry.label == kAssumed) == !entry.assumption.empty();
}
constexpr bool AllLabelled() {
  for (const ProfileRow& row : kRows) {
    if (!Labelled(row.settings) || !Labelled(row.dse) || !Labelled(row.library) ||
        !Labelled(row.released)) {
      return false;
    }
  }
  return true;
}
static_assert(AllLabelled(), "every cost has a source, and an id exactly when it is assumed");

}  // namespace

std::string_view DomainText(Domain domain) {
  switch (domain) {
    case Domain::kAny:
      return "any shape";
    case Domain::kDseArray:
      return "M <= 64, B <= 16";
    case Domain::kDseVector:
      return "V <= 64";
    case Domain::kCtlArray:
      return "(B,M) = (4,8) (4,16) (4,64) (8,64)";
    case Domain::kCtlVector:
      return "V = 8, 16, 64";
  }
  return "";
}

bool IsInside(Domain domain, const Shape& shape) {
  const auto is_ctl_size = [](std::uint32_t n) { return n == 8 || n == 16 || n == 64; };
  switch (domain) {
    case Domain::kAny:
      return true;
    case Domain::kDseArray:
      return shape.mlen <= 64 && shape.blen <= 16;
    case Domain::kDseVector:
      return shape.vlen <= 64;
    case Domain::kCtlArray:
      return (shape.blen == 4 && is_ctl_size(shape.mlen)) || (shape.blen == 8 && shape.mlen == 64);
    case Domain::kCtlVector:
      return is_ctl_size(shape.vlen);
  }
  return false;
}

std::span<const ProfileRow> ProfileRows() { return kRows; }

const ProfileEntry& EntryOf(isa::TimingClass timing, LatencyProfile profile) {
  CHECK(static_cast<std::size_t>(timing) < std::size(kRows));
  const ProfileRow& row = kRows[static_cast<std::size_t>(timing)];
  switch (profile) {
    case LatencyProfile::kSettings:
      return row.settings;
    case LatencyProfile::kDse:
      return row.dse;
    case LatencyProfile::kLibrary:
      return row.library;
    case LatencyProfile::kReleased:
      return row.released;
  }
  return row.dse;
}

}  // namespace moescope::emulator
