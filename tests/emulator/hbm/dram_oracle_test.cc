// The event-driven DRAM against a model that steps every clock, burst by burst, on random traces
// (timing.md, 9: T11).

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "emulator/hbm/dram.h"
#include "tests/emulator/hbm/tick_dram.h"

namespace moescope::emulator {
namespace {

struct TraceItem {
  Burst burst;
  DramClock clock;  // first offered
};

// A trace with a character of its own: how wide, how bursty, how many writes, how sequential.
std::vector<TraceItem> RandomTrace(std::mt19937_64& random) {
  const auto pick = [&random](std::uint64_t n) { return random() % n; };
  const std::uint64_t span = std::uint64_t{1} << (8 + pick(24));
  const std::uint64_t write_percent = pick(3) == 0 ? pick(101) : 0;
  const std::uint64_t idle = pick(4) == 0 ? 200 : pick(6);
  const std::uint64_t sequential_percent = pick(101);
  const std::size_t length = 1 + pick(400);
  std::vector<TraceItem> trace;
  DramClock clock = pick(50);
  std::uint64_t address = 0;
  for (std::size_t i = 0; i < length; ++i) {
    address = pick(100) < sequential_percent ? address + 16 : pick(span) / 16 * 16;
    if (pick(20) == 0) address = pick(4) * 131072;
    trace.push_back(
        {{address, i, static_cast<std::uint32_t>(i), pick(100) < write_percent}, clock});
    if (pick(3) == 0) clock += pick(idle + 1);
  }
  return trace;
}

using Lives = std::vector<BurstLife>;

void Sort(Lives& lives) {
  std::sort(lives.begin(), lives.end(),
            [](const BurstLife& a, const BurstLife& b) { return a.burst.owner < b.burst.owner; });
  for (BurstLife& life : lives) life.offered = 0;
}

// Per-channel admission: a head is offered in every clock.
Lives TickPerChannel(const std::vector<TraceItem>& trace, std::uint32_t channels) {
  TickDram dram(channels);
  std::vector<std::deque<TraceItem>> queues(channels);
  Lives lives;
  std::size_t next = 0;
  for (DramClock clock = 0; lives.size() < trace.size(); ++clock) {
    for (; next < trace.size() && trace[next].clock <= clock; ++next) {
      queues[dram.Place(trace[next].burst).channel].push_back(trace[next]);
    }
    for (auto& queue : queues) {
      while (!queue.empty() && dram.Offer(queue.front().burst, clock)) queue.pop_front();
    }
    dram.Tick(clock, lives);
  }
  Sort(lives);
  return lives;
}

Lives EventPerChannel(const std::vector<TraceItem>& trace, std::uint32_t channels,
                      std::mt19937_64& random) {
  Dram dram({.channels = channels});
  Lives lives;
  DramClock clock = 0;
  for (const TraceItem& item : trace) {
    // Advancing in between must not matter.
    if (item.clock > clock && random() % 2 == 0) {
      clock += random() % (item.clock - clock + 1);
      dram.AdvanceTo(clock);
    }
    dram.Offer(item.burst, item.clock);
  }
  while (dram.NextEvent() != kNever) {
    dram.AdvanceTo(dram.NextEvent() + 1 + random() % 5);
  }
  EXPECT_TRUE(dram.Idle());
  lives = dram.lives();
  Sort(lives);
  return lives;
}

// One FIFO for all channels: the first refused burst holds up the rest.
Lives TickGlobal(const std::vector<TraceItem>& trace, std::uint32_t channels) {
  TickDram dram(channels);
  Lives lives;
  std::size_t next = 0;
  for (DramClock clock = 0; lives.size() < trace.size(); ++clock) {
    while (next < trace.size() && trace[next].clock <= clock &&
           dram.Offer(trace[next].burst, clock)) {
      ++next;
    }
    dram.Tick(clock, lives);
  }
  Sort(lives);
  return lives;
}

Lives EventGlobal(const std::vector<TraceItem>& trace, std::uint32_t channels) {
  Dram dram({.channels = channels});
  DramClock clock = 0;
  for (const TraceItem& item : trace) {
    clock = dram.AdmissionClock(item.burst, std::max(clock, item.clock));
    EXPECT_TRUE(dram.TryAdmit(item.burst, item.clock, clock));
  }
  dram.AdvanceTo(clock + 100'000'000);
  Lives lives = dram.lives();
  Sort(lives);
  return lives;
}

void ExpectSame(const Lives& expected, const Lives& actual, int trace) {
  ASSERT_EQ(expected.size(), actual.size()) << "trace " << trace;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const BurstLife& e = expected[i];
    const BurstLife& a = actual[i];
    ASSERT_EQ(e, a) << "trace " << trace << " burst " << i << ": admitted " << e.admitted << " / "
                    << a.admitted << ", row " << e.row_begin << "+" << e.row_ready << " / "
                    << a.row_begin << "+" << a.row_ready << ", command " << e.command << " / "
                    << a.command << ", done " << e.done << " / " << a.done;
  }
}

constexpr std::uint32_t kChannelCounts[] = {1, 2, 4, 8, 16, 32, 64};

TEST(DramOracleTest, PerChannelAdmissionEqualsTicking) {
  std::mt19937_64 random(20260701);
  for (int i = 0; i < 420; ++i) {
    const std::uint32_t channels = kChannelCounts[i % 7];
    const auto trace = RandomTrace(random);
    ExpectSame(TickPerChannel(trace, channels), EventPerChannel(trace, channels, random), i);
    if (HasFatalFailure()) return;
  }
}

TEST(DramOracleTest, GlobalAdmissionEqualsTicking) {
  std::mt19937_64 random(20260702);
  for (int i = 0; i < 420; ++i) {
    const std::uint32_t channels = kChannelCounts[i % 7];
    const auto trace = RandomTrace(random);
    ExpectSame(TickGlobal(trace, channels), EventGlobal(trace, channels), i);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace moescope::emulator
