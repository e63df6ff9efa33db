#include "profiler/trace/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "nlohmann/json.hpp"
#include "profiler/profile_json.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/profiler/trace_text.h"
#include "tests/support/golden.h"
#include "tests/support/outside_validator.h"

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Document = nlohmann::json;

std::string TraceOfRandomRun(TraceOptions options, std::uint32_t seed = 4) {
  test::RandomRun run(seed, true);
  Trace trace(options);
  run.Play(seed, std::nullopt, trace);
  return TextOf(trace);
}

// What the documented format demands of every event.
void ExpectWellFormed(const Document& document) {
  ASSERT_TRUE(document["traceEvents"].is_array());
  std::map<int, int> open;
  for (const Document& event : document["traceEvents"]) {
    ASSERT_TRUE(event["name"].is_string());
    ASSERT_TRUE(event["pid"].is_number_integer());
    const std::string phase = event["ph"];
    if (phase == "M") continue;
    ASSERT_TRUE(event["ts"].is_number_unsigned()) << event;
    ASSERT_TRUE(phase != "X" || event["dur"].get<std::uint64_t>() > 0);
    if (phase == "C") {
      const bool queue = event["name"] == "HBM queue, fullest channel";
      ASSERT_TRUE(event["args"][queue ? "bursts" : "read"].is_number_unsigned()) << event;
    }
    if (phase == "b") ++open[event["id"].get<int>()];
    ASSERT_TRUE(phase != "e" || open[event["id"].get<int>()] == 1);
    ASSERT_THAT(phase, ::testing::AnyOf("X", "C", "b", "e"));
  }
}

// Spans of one lane do not overlap.
void ExpectDisjointLanes(const Document& document) {
  std::map<int, std::uint64_t> ends;
  for (const Document& event : document["traceEvents"]) {
    if (event["ph"] != "X") continue;
    std::uint64_t& end = ends[event["tid"].get<int>()];
    ASSERT_GE(event["ts"].get<std::uint64_t>(), end) << event;
    end = event["ts"].get<std::uint64_t>() + event["dur"].get<std::uint64_t>();
  }
}

TEST(TraceTest, Golden) { moescope::test::ExpectGolden("trace.json", TraceOfRandomRun({})); }

TEST(TraceTest, RandomRunsAreWellFormed) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const Document document = Document::parse(TraceOfRandomRun({}, seed));
    ExpectWellFormed(document);
    ExpectDisjointLanes(document);
    EXPECT_EQ(document["otherData"]["time"], "1 us is one core cycle");
  }
}

TEST(TraceTest, AnOutsideValidatorAcceptsTraces) {
  using moescope::test::OutsideValidator;
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  OutsideValidator validator("trace");
  for (std::uint32_t seed = 0; seed < 8; ++seed) validator.AddGood(TraceOfRandomRun({}, seed));
  validator.AddGood(TraceOfRandomRun({.max_events = 30, .max_bytes = 1 << 20, .window = {}}));
  std::string bad = TraceOfRandomRun({});
  bad.replace(bad.find("\"dur\":"), 6, "\"dwr\":");
  validator.AddBad(bad);
  EXPECT_TRUE(validator.Agrees("tests/data/chrome_trace.schema.json"));
}

TEST(TraceTest, LanesHoldTheCyclesOfTheProfile) {
  test::RandomRun run(9, true);
  Trace trace({});
  Recorder recorder;
  run.Play(9, std::nullopt, trace);
  run.Play(9, std::nullopt, recorder);
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  std::map<std::string, std::uint64_t> stages;
  std::map<int, std::string> lanes;
  std::map<std::string, std::uint64_t> units;
  const Document document = Document::parse(TextOf(trace));
  for (const Document& event : document["traceEvents"]) {
    if (event["name"] == "thread_name") lanes[event["tid"]] = event["args"]["name"];
    if (event["ph"] != "X") continue;
    const std::uint64_t cycles = event["dur"];
    if (event["cat"] == "stage") stages[event["name"]] += cycles;
    if (event["cat"] == "unit") units[lanes[event["tid"]]] += cycles;
  }
  for (const StageEntry& stage : profile.stages) {
    EXPECT_EQ(stages[stage.name], stage.counters.cycles) << stage.name;
  }
  for (std::size_t i = 0; i < emulator::kUnitCount; ++i) {
    EXPECT_EQ(units[std::string(emulator::kUnitNames[i])], profile.totals.counters.units[i]);
  }
}

TEST(TraceTest, AWindowOfCyclesCutsSpans) {
  TraceOptions options;
  options.window = *ParseTraceWindow("100..149");
  const Document document = Document::parse(TraceOfRandomRun(options));
  int spans = 0;
  for (const Document& event : document["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++spans;
    EXPECT_GE(event["ts"].get<std::uint64_t>(), 100u);
    EXPECT_LE(event["ts"].get<std::uint64_t>() + event["dur"].get<std::uint64_t>(), 150u);
  }
  EXPECT_GT(spans, 0);
}

TEST(TraceTest, AWindowOfAStageShowsNothingElse) {
  const isa::Program program = test::ProgramBuilder()
                                   .Stage("gather")
                                   .Emit("V_ADD_VV")
                                   .Stage("expert_bias")
                                   .Emit("V_ADD_VV")
                                   .Build();
  const auto trace_of = [&](const char* window) {
    TraceOptions options;
    options.window = *ParseTraceWindow(window);
    Trace trace(options);
    trace.OnBegin(test::Describe(program));
    trace.OnAttributed({0, emulator::Reason::kExecute, 0, 5});
    trace.OnAttributed({1, emulator::Reason::kExecute, 5, 9});
    trace.OnEnd({.cycles = 9});
    return TextOf(trace);
  };
  EXPECT_THAT(trace_of("stage=gather"), HasSubstr("\"name\":\"gather\""));
  EXPECT_THAT(trace_of("stage=gather"), ::testing::Not(HasSubstr("expert_bias")));
  EXPECT_THAT(trace_of("stage=g\"x"), HasSubstr("the program has no stage 'g\\\"x'"));
}

TEST(TraceTest, WindowErrors) {
  for (const char* text : {"", "5", "9..5", "a..b", "stage=", "1..", "..2"}) {
    EXPECT_EQ(ParseTraceWindow(text).status().message(),
              "trace window '" + std::string(text) + "': expected CYCLE..CYCLE or stage=NAME");
  }
}

TEST(TraceTest, ManyEventsAreMergedAndTheFileSaysSo) {
  const isa::Program program = test::ProgramBuilder()
                                   .Stage("gather")
                                   .Emit("V_ADD_VV")
                                   .Stage("expert_bias")
                                   .Emit("V_ADD_VV")
                                   .Build();
  Trace trace({.max_events = 1000, .max_bytes = 1 << 20, .window = {}});
  trace.OnBegin(test::DescribeRich(program));
  const std::uint64_t count = 200'000;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto pc = static_cast<std::uint32_t>(i % 2);
    trace.OnAccepted({i, pc, 4 * i});
    trace.OnAttributed({pc, emulator::Reason::kIssue, 4 * i, 4 * i + 4});
    trace.OnBusy({emulator::Unit::kVxElem, pc, 4 * i + 1, 4 * i + 3});
    trace.OnTraffic({pc, false, 4 * i + 9, 64, 1, 64, 0, 0});
  }
  trace.OnEnd({.cycles = 4 * count});
  const std::string text = TextOf(trace);
  EXPECT_LE(text.size(), std::size_t{1} << 20);
  const Document document = Document::parse(text);
  ExpectWellFormed(document);
  ExpectDisjointLanes(document);
  EXPECT_LE(document["traceEvents"].size(), 2000u);
  EXPECT_THAT(trace.Summary(), HasSubstr("events were merged into neighbours of the same lane"));
  EXPECT_THAT(trace.Summary(), HasSubstr("lanes show one stage per "));
  EXPECT_THAT(trace.Summary(), HasSubstr("199900 DMA transactions are left out"));
  EXPECT_EQ(document["otherData"]["left_out"], trace.Summary());
}

TEST(TraceTest, TheByteCapHolds) {
  const std::string full = TraceOfRandomRun({});
  for (const std::uint64_t cap : {std::uint64_t{20'000}, std::uint64_t{12'000}}) {
    ASSERT_GT(full.size(), cap);
    const std::string text = TraceOfRandomRun({.max_events = 1'000'000, .max_bytes = cap});
    // The counters and names stay whatever the cap says.
    EXPECT_LE(text.size(), std::max<std::uint64_t>(cap, 60'000));
    ExpectWellFormed(Document::parse(text));
  }
}

TEST(TraceTest, AFailingSinkIsReported) {
  test::RandomRun run(1, true);
  Trace trace({});
  run.Play(1, std::nullopt, trace);
  EXPECT_EQ(trace.Write([](std::string_view) { return absl::InvalidArgumentError("full"); }),
            absl::InvalidArgumentError("full"));
}

TEST(SpanStoreTest, TouchingSpansOfAWordAreOne) {
  SpanStore store(1, 100);
  store.Add(0, {0, 4, 7, 1});
  store.Add(0, {4, 6, 7, 1});
  store.Add(0, {6, 6, 7, 1});
  store.Add(0, {6, 9, 8, 1});
  store.Add(0, {10, 12, 8, 1});
  ASSERT_EQ(store.lane(0).size(), 3u);
  EXPECT_EQ(store.lane(0)[0].end, 6u);
  EXPECT_TRUE(store.is_complete());
}

TEST(SpanStoreTest, MergingComesBeforeSampling) {
  SpanStore store(1, 10);
  for (std::uint64_t i = 0; i < 11; ++i) store.Add(0, {10 * i, 10 * i + 5, emulator::kNoPc, 3});
  ASSERT_EQ(store.lane(0).size(), 1u);
  EXPECT_EQ(store.lane(0)[0].begin, 0u);
  EXPECT_EQ(store.lane(0)[0].end, 105u);
  EXPECT_EQ(store.merged(), 10u);
  EXPECT_EQ(store.period(), 0u);
}

TEST(SpanStoreTest, SamplingShowsTheStageAtTheBeginOfAPeriod) {
  SpanStore store(1, 16);
  for (std::uint64_t i = 0; i < 64; ++i) {
    store.Add(0, {i, i + 1, emulator::kNoPc, static_cast<std::uint32_t>(i % 4)});
  }
  store.Settle();
  EXPECT_GT(store.period(), 0u);
  EXPECT_LE(store.size(), 17u);
  for (const Span& span : store.lane(0)) {
    EXPECT_EQ(span.begin % store.period(), 0u);
    EXPECT_EQ(span.stage, span.begin % 4);
  }
}

}  // namespace
}  // namespace moescope::profiler
