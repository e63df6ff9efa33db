// The caps of a trace at their edges, and what merging and sampling keep.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "profiler/profile_json.h"
#include "profiler/trace/trace.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/profiler/trace_text.h"

namespace moescope::profiler {
namespace {

using emulator::Cycle;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Document = nlohmann::json;

const isa::Program& TwoStages() {
  static const auto& program = *new isa::Program(test::ProgramBuilder()
                                                     .Stage("gather")
                                                     .Emit("V_ADD_VV")
                                                     .Stage("expert_bias")
                                                     .Emit("V_ADD_VV")
                                                     .Build());
  return program;
}

// A run whose stage lane has `spans` spans, none of which can be merged, and `transfers` transfers.
std::unique_ptr<Trace> TraceOf(TraceOptions options, std::uint64_t spans,
                               std::uint64_t transfers = 0) {
  auto trace = std::make_unique<Trace>(std::move(options));
  trace->OnBegin(test::DescribeRich(TwoStages()));
  for (std::uint64_t i = 0; i < spans; ++i) {
    const auto pc = static_cast<std::uint32_t>(i % 2);
    trace->OnAccepted({i, pc, 10 * i});
    trace->OnAttributed({pc, emulator::Reason::kIssue, 10 * i, 10 * i + 10});
  }
  for (std::uint64_t i = 0; i < transfers; ++i) {
    trace->OnTraffic({0, false, 10 * spans, 64, 1, 64, 0, 0});
  }
  trace->OnEnd({.cycles = 10 * spans});
  return trace;
}

// How many events of a phase a trace has.
std::size_t CountOf(const std::string& text, const char* phase) {
  std::size_t count = 0;
  const Document document = Document::parse(text);
  for (const Document& event : document["traceEvents"]) count += event["ph"] == phase;
  return count;
}

TEST(TraceCapTest, AsManySpansAsEventsAreAllowed) {
  constexpr std::uint64_t kCap = 100;
  for (const std::uint64_t spans : {kCap - 1, kCap}) {
    const auto trace = TraceOf({.max_events = kCap}, spans);
    EXPECT_EQ(CountOf(TextOf(*trace), "X"), spans);
    EXPECT_EQ(trace->Summary(), "");
  }
  const auto trace = TraceOf({.max_events = kCap}, kCap + 1);
  EXPECT_LE(CountOf(TextOf(*trace), "X"), kCap / 2 + 1);
  EXPECT_THAT(trace->Summary(), HasSubstr("events were merged into neighbours"));
}

TEST(TraceCapTest, ATenthOfTheEventsAreTransfers) {
  for (const std::uint64_t transfers : {9u, 10u}) {
    const auto trace = TraceOf({.max_events = 100}, 5, transfers);
    const std::string text = TextOf(*trace);
    EXPECT_EQ(CountOf(text, "b"), transfers);
    EXPECT_EQ(CountOf(text, "e"), transfers);
    EXPECT_EQ(trace->Summary(), "");
  }
  const auto one = TraceOf({.max_events = 100}, 5, 11);
  EXPECT_EQ(CountOf(TextOf(*one), "b"), 10u);
  EXPECT_EQ(one->Summary(), "1 DMA transaction is left out");
  const auto two = TraceOf({.max_events = 100}, 5, 12);
  EXPECT_EQ(two->Summary(), "2 DMA transactions are left out");
}

// The bytes that Write counts: every event line with its separator, and a frame.
std::uint64_t CountedBytes(const std::string& text) {
  std::istringstream in(text);
  std::uint64_t bytes = 2000;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("{\"name\"")) continue;
    if (line.ends_with(",")) line.pop_back();
    bytes += line.size() + 2;
  }
  return bytes;
}

TEST(TraceCapTest, BytesAtTheEdge) {
  const std::string full = TextOf(*TraceOf({}, 200, 20));
  const std::uint64_t needed = CountedBytes(full);
  EXPECT_LE(full.size(), needed);
  for (const std::uint64_t cap : {needed, needed + 1}) {
    const auto trace = TraceOf({.max_bytes = cap}, 200, 20);
    EXPECT_EQ(TextOf(*trace), full);
    EXPECT_EQ(trace->Summary(), "");
  }
  const auto trace = TraceOf({.max_bytes = needed - 1}, 200, 20);
  const std::string text = TextOf(*trace);
  EXPECT_LE(text.size(), needed - 1);
  EXPECT_NE(trace->Summary(), "");
  EXPECT_EQ(Document::parse(text)["otherData"]["left_out"], trace->Summary());
}

TEST(TraceCapTest, TransfersAreHalvedWhenSpansAreFew) {
  const std::string full = TextOf(*TraceOf({}, 4, 1000));
  const std::uint64_t needed = CountedBytes(full);
  const auto trace = TraceOf({.max_bytes = needed - 1}, 4, 1000);
  EXPECT_EQ(CountOf(TextOf(*trace), "b"), 500u);
  EXPECT_THAT(trace->Summary(), HasSubstr("500 DMA transactions are left out"));
}

TEST(TraceCapTest, EveryByteCapGivesAWellFormedFile) {
  const std::uint64_t needed = CountedBytes(TextOf(*TraceOf({}, 300, 30)));
  for (std::uint64_t cap = 0; cap <= needed; cap += needed / 37) {
    const auto trace = TraceOf({.max_bytes = cap}, 300, 30);
    const std::string text = TextOf(*trace);
    const Document document = Document::parse(text);
    EXPECT_EQ(document["otherData"]["cycles"], 3000);
    EXPECT_EQ(document["otherData"]["left_out"], trace->Summary());
    // Names and counters always stay; they take less than this.
    EXPECT_LE(text.size(), std::max<std::uint64_t>(cap, 40'000));
  }
}

TEST(TraceCapTest, CapsDoNotTouchTheProfile) {
  test::RandomRun run(8, true);
  Recorder alone;
  run.Play(8, std::nullopt, alone);
  // Both listen to the same events.
  class Pair : public emulator::Listener {
   public:
    Pair(emulator::Listener& a, emulator::Listener& b) : a_(a), b_(b) {}
    void OnBegin(const emulator::RunDescription& e) override { a_.OnBegin(e), b_.OnBegin(e); }
    void OnAccepted(const emulator::Accepted& e) override { a_.OnAccepted(e), b_.OnAccepted(e); }
    void OnAttributed(const emulator::Attributed& e) override {
      a_.OnAttributed(e), b_.OnAttributed(e);
    }
    void OnCompleted(const emulator::Completed& e) override {
      a_.OnCompleted(e), b_.OnCompleted(e);
    }
    void OnBusy(const emulator::Busy& e) override { a_.OnBusy(e), b_.OnBusy(e); }
    void OnTraffic(const emulator::Traffic& e) override { a_.OnTraffic(e), b_.OnTraffic(e); }
    void OnRouted(const emulator::Routed& e) override { a_.OnRouted(e), b_.OnRouted(e); }
    void OnPassed(const emulator::Passed& e) override { a_.OnPassed(e), b_.OnPassed(e); }
    void OnEnd(const emulator::RunEnd& e) override { a_.OnEnd(e), b_.OnEnd(e); }

   private:
    emulator::Listener& a_;
    emulator::Listener& b_;
  };
  Recorder beside;
  Trace trace({.max_events = 25, .max_bytes = 3000});
  Pair both(trace, beside);
  run.Play(8, std::nullopt, both);
  EXPECT_NE(TextOf(trace), "");
  EXPECT_EQ(ProfileText(MakeProfile(alone.recording(), test::FixedOptions())),
            ProfileText(MakeProfile(beside.recording(), test::FixedOptions())));
}

// ---- Transactions in flight ---------------------------------------------------------------------

TEST(TraceDepthTest, CountsTheTransactionsThatAreShown) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    test::RandomRun run(seed, true);
    Trace trace({});
    run.Play(seed, std::nullopt, trace);
    const Document document = Document::parse(TextOf(trace));
    struct Transaction {
      std::string name;
      Cycle begin = 0;
      Cycle end = 0;
    };
    std::map<int, Transaction> transactions;
    std::vector<std::tuple<Cycle, std::uint64_t, std::uint64_t>> shown;
    Cycle last = 0;
    for (const Document& event : document["traceEvents"]) {
      const std::string phase = event["ph"];
      if (phase == "b") transactions[event["id"]] = {event["name"], event["ts"], 0};
      if (phase == "e") transactions[event["id"]].end = event["ts"];
      if (phase == "e") last = std::max(last, event["ts"].get<Cycle>());
      if (phase != "C" || event["name"] != "DMA transactions in flight") continue;
      shown.emplace_back(event["ts"], event["args"]["read"], event["args"]["written"]);
    }
    // Cycle by cycle: a counter keeps its value until the next event.
    std::vector<std::tuple<Cycle, std::uint64_t, std::uint64_t>> expected;
    std::uint64_t reads_before = 0;
    std::uint64_t writes_before = 0;
    for (Cycle cycle = 0; cycle <= last; ++cycle) {
      std::uint64_t reads = 0;
      std::uint64_t writes = 0;
      for (const auto& [id, t] : transactions) {
        if (t.begin <= cycle && cycle < t.end) ++(t.name == "read" ? reads : writes);
      }
      if (reads == reads_before && writes == writes_before) continue;
      expected.emplace_back(cycle, reads, writes);
      reads_before = reads;
      writes_before = writes;
    }
    EXPECT_EQ(shown, expected) << seed;
  }
}

// ---- Windows ------------------------------------------------------------------------------------

std::vector<std::pair<std::uint64_t, std::uint64_t>> SpansIn(const char* window) {
  TraceOptions options;
  options.window = *ParseTraceWindow(window);
  Trace trace(options);
  trace.OnBegin(test::DescribeRich(TwoStages()));
  trace.OnAttributed({0, emulator::Reason::kIssue, 5, 9});
  trace.OnAttributed({1, emulator::Reason::kIssue, 9, 12});
  trace.OnEnd({.cycles = 12});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  const Document document = Document::parse(TextOf(trace));
  for (const Document& event : document["traceEvents"]) {
    if (event["ph"] == "X") spans.emplace_back(event["ts"], event["dur"]);
  }
  return spans;
}

TEST(TraceWindowTest, BothEndsAreIncluded) {
  using Spans = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const struct {
    const char* window;
    Spans spans;
  } rows[] = {
      {"0..4", {}},
      {"0..5", {{5, 1}}},
      {"5..8", {{5, 4}}},
      {"4..9", {{5, 4}, {9, 1}}},
      {"8..8", {{8, 1}}},
      {"9..9", {{9, 1}}},
      {"8..9", {{8, 1}, {9, 1}}},
      {"11..11", {{11, 1}}},
      {"12..99", {}},
      {"0..18446744073709551615", {{5, 4}, {9, 3}}},
      {"stage=gather", {{5, 4}}},
      {"stage=expert_bias", {{9, 3}}},
      {"stage=unattributed", {}},
      {"stage=router_topk", {}},
  };
  for (const auto& row : rows) EXPECT_EQ(SpansIn(row.window), row.spans) << row.window;
}

// ---- Merging and sampling -----------------------------------------------------------------------

struct Random {
  explicit Random(std::uint32_t seed) : engine(seed) {}
  std::uint64_t Below(std::uint64_t bound) { return engine() % bound; }
  std::mt19937 engine;
};

// Ascending, disjoint spans of a lane with gaps.
std::vector<Span> RandomSpans(std::uint32_t seed, std::size_t count, std::uint32_t stages) {
  Random random(seed);
  std::vector<Span> spans;
  Cycle now = 0;
  for (std::size_t i = 0; i < count; ++i) {
    now += random.Below(3) == 0 ? random.Below(7) : 0;
    const Cycle end = now + 1 + random.Below(9);
    spans.push_back({now, end, static_cast<std::uint32_t>(i % 5),
                     static_cast<std::uint32_t>(random.Below(stages))});
    now = end;
  }
  return spans;
}

TEST(SpanStoreTest, WithoutPressureNothingButTouchingEqualsIsMerged) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const std::vector<Span> spans = RandomSpans(seed, 200, 3);
    SpanStore store(1, 1000);
    std::vector<Span> expected;
    for (const Span& span : spans) {
      store.Add(0, span);
      const bool touches = !expected.empty() && expected.back().end == span.begin &&
                           expected.back().stage == span.stage && expected.back().pc == span.pc;
      if (touches) {
        expected.back().end = span.end;
      } else {
        expected.push_back(span);
      }
    }
    ASSERT_EQ(store.lane(0).size(), expected.size());
    EXPECT_EQ(store.size(), expected.size());
    EXPECT_TRUE(store.is_complete());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(store.lane(0)[i].begin, expected[i].begin);
      EXPECT_EQ(store.lane(0)[i].end, expected[i].end);
      EXPECT_EQ(store.lane(0)[i].pc, expected[i].pc);
    }
  }
}

// The stage that a lane shows at a cycle, or none.
std::optional<std::uint32_t> StageAt(const std::vector<Span>& spans, Cycle cycle) {
  for (const Span& span : spans) {
    if (span.begin <= cycle && cycle < span.end) return span.stage;
  }
  return std::nullopt;
}

TEST(SpanStoreTest, ASampleShowsTheStageThatWasAtWork) {
  int sampled = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const std::vector<Span> spans = RandomSpans(seed, 500, 4);
    SpanStore store(1, 20 + seed);
    for (const Span& span : spans) store.Add(0, span);
    store.Settle();
    EXPECT_LE(store.size(), 20u + seed + 1);
    const std::vector<Span>& lane = store.lane(0);
    for (std::size_t i = 1; i < lane.size(); ++i) EXPECT_LE(lane[i - 1].end, lane[i].begin);
    if (store.period() == 0) continue;
    ++sampled;
    for (Cycle cycle = 0; cycle < spans.back().end; cycle += store.period()) {
      const std::optional<std::uint32_t> was = StageAt(spans, cycle);
      if (was) {
        EXPECT_EQ(StageAt(lane, cycle), was) << seed << " cycle " << cycle;
      }
    }
    for (const Span& span : lane) {
      EXPECT_EQ(span.begin % store.period(), 0u);
      EXPECT_EQ(span.end % store.period(), 0u);
    }
  }
  EXPECT_GT(sampled, 30);
}

TEST(SpanStoreTest, TheLimitCountsAllLanes) {
  for (const std::uint64_t limit : {9u, 10u, 11u}) {
    SpanStore store(5, limit);
    for (Cycle i = 0; i < 10; ++i) {
      store.Add(i % 5, {20 * i, 20 * i + 9, 1, static_cast<std::uint32_t>(i)});
    }
    // At least two spans per lane are always kept.
    EXPECT_TRUE(store.is_complete()) << limit;
    EXPECT_EQ(store.size(), 10u);
    store.Add(0, {400, 409, 1, 77});
    EXPECT_EQ(store.is_complete(), limit == 11) << limit;
  }
}

}  // namespace
}  // namespace moescope::profiler
