#include "cli/session/effect_trail.h"

#include <gtest/gtest.h>

#include <optional>

namespace moescope::session {
namespace {

// Few digests, so that strides grow early.
constexpr std::size_t kFew = 4;

struct TrailCase {
  std::uint64_t count = 0;                 // executed instructions
  std::optional<std::uint64_t> differs{};  // the instruction that writes another value
};

EffectTrail TrailOf(const TrailCase& run, InstructionRange range, std::size_t most) {
  EffectTrail trail(range, most);
  for (std::uint64_t i = 0; i < run.count; ++i) {
    trail.OnAccepted({i, static_cast<std::uint32_t>(i % 7), i});
    emulator::Effect effect;
    effect.value = run.differs == i ? 1 : 0;
    trail.OnEffect(effect);
  }
  trail.OnEnd({});
  return trail;
}

std::optional<InstructionRange> Compare(const TrailCase& a, const TrailCase& b,
                                        InstructionRange range = {}) {
  return EffectTrail::FirstDifference(TrailOf(a, range, kFew), TrailOf(b, range, kFew));
}

// What the caller does: ever narrower ranges.
std::optional<std::uint64_t> Narrow(const TrailCase& a, const TrailCase& b) {
  InstructionRange range;
  for (int pass = 0; pass < 64; ++pass) {
    const EffectTrail left = TrailOf(a, range, kFew);
    const EffectTrail right = TrailOf(b, range, kFew);
    const auto next = EffectTrail::FirstDifference(left, right);
    if (!next) return std::nullopt;
    EXPECT_LE(next->count, range.count);
    if (left.stride() == 1 && right.stride() == 1) {
      EXPECT_EQ(next->count, 1u);
      EXPECT_EQ(left.PcOf(next->begin), next->begin % 7);
      return next->begin;
    }
    EXPECT_LT(next->count, range.count);
    range = *next;
  }
  ADD_FAILURE() << "the range does not become one instruction";
  return std::nullopt;
}

TEST(EffectTrailTest, OneInstructionWhileNothingWasDropped) {
  EXPECT_EQ(Compare({4}, {4, 2}), (InstructionRange{2, 1}));
  EXPECT_EQ(Compare({4}, {4}), std::nullopt);
}

TEST(EffectTrailTest, TheStrideIsWhatIsLeftOpen) {
  // 1,000 instructions with 4 digests: every 256th.
  EXPECT_EQ(Compare({1000}, {1000, 700}), (InstructionRange{512, 256}));
  // Behind the last digest only the rest is left.
  EXPECT_EQ(Compare({1000}, {1000, 900}), (InstructionRange{768, 232}));
}

TEST(EffectTrailTest, RunsOfDifferentLengthAreComparedAtTheWiderStride) {
  EXPECT_EQ(Compare({1000, 3}, {9}), (InstructionRange{0, 9}));
  EXPECT_EQ(Compare({1024, 3}, {2048}), (InstructionRange{0, 512}));
}

TEST(EffectTrailTest, EveryDifferenceIsFound) {
  for (const std::uint64_t count : {1u, 2u, 3u, 4u, 5u, 8u, 9u, 63u, 64u, 65u, 130u}) {
    EXPECT_EQ(Narrow({count}, {count}), std::nullopt) << count;
    for (std::uint64_t at = 0; at < count; ++at) {
      EXPECT_EQ(Narrow({count}, {count, at}), at) << count;
      EXPECT_EQ(Narrow({count + 37}, {count, at}), at) << count;
    }
  }
}

TEST(EffectTrailTest, ARunThatOnlyGoesOnAgreesInWhatBothExecuted) {
  for (const std::uint64_t more : {1u, 5u, 200u}) {
    EXPECT_EQ(Narrow({100}, {100 + more}), std::nullopt) << more;
    EXPECT_EQ(TrailOf({100 + more}, {}, kFew).executed(), 100 + more);
  }
}

TEST(EffectTrailTest, ARangeHearsOfNothingElse) {
  EXPECT_EQ(Compare({50, 3}, {50, 30}, {4, 20}), std::nullopt);
  EXPECT_EQ(Compare({50}, {50, 4}, {4, 1}), (InstructionRange{4, 1}));
  EXPECT_EQ(Compare({50}, {50, 5}, {4, 1}), std::nullopt);
}

}  // namespace
}  // namespace moescope::session
