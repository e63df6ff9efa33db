#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_replace.h"
#include "moe/route_trace_json.h"
#include "moe/workload.h"

namespace moescope::moe {
namespace {

using testing::ElementsAre;

constexpr char kPublic[] = R"({
  "schema": "plena.route_trace.v1", "schema_version": 1,
  "source": {"prompt": "kept, not interpreted"},
  "model": {"num_experts": 4, "top_k": 2, "hidden_size": 64, "layer_index": 3},
  "routing": {"topk_indices": [[2, 0], [2, -1]], "topk_weights": [[0.75, 0.25], [1.0, 0.5]],
              "expert_counts": [1, 0, 2, 0]}
})";

TEST(RouteTraceTest, ReadsThePublicLayout) {
  const absl::StatusOr<RouteTrace> trace = ParseRouteTrace(kPublic, "t.json");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->routing.tokens, 2);
  EXPECT_EQ(trace->routing.top_k, 2);
  EXPECT_EQ(trace->routing.experts, 4);
  EXPECT_THAT(trace->routing.topk_idx, ElementsAre(2, 0, 2, -1));
  EXPECT_THAT(trace->routing.topk_w, ElementsAre(0.75f, 0.25f, 1.0f, 0.0f));
  EXPECT_EQ(trace->hidden_size, 64);
  EXPECT_EQ(trace->intermediate_size, std::nullopt);
  EXPECT_EQ(trace->layer_index, 3);
  EXPECT_EQ(trace->document, kPublic);
  EXPECT_TRUE(Check(trace->routing).ok());
}

TEST(RouteTraceTest, OwnFilesRoundTrip) {
  RouteTrace trace;
  trace.routing = *GenerateRouting({.kind = WorkloadKind::kHot, .masked = 0.2}, {9, 3, 8}, 5);
  trace.seed = 18446744073709551615u;
  trace.hidden_size = 128;
  const std::string text = FormatRouteTrace(trace);
  EXPECT_THAT(text, testing::HasSubstr("\"schema\": \"moescope.route_trace\""));
  const absl::StatusOr<RouteTrace> back = ParseRouteTrace(text, "t.json");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->routing, trace.routing);
  EXPECT_EQ(back->seed, trace.seed);
  EXPECT_EQ(back->hidden_size, 128);
  EXPECT_EQ(FormatRouteTrace(*back), text);
}

struct Edit {
  const char* name;
  const char* from;
  const char* to;
  const char* message;
};

class RouteTraceErrorTest : public testing::TestWithParam<Edit> {};

TEST_P(RouteTraceErrorTest, NamesFileAndPointer) {
  const std::string text = absl::StrReplaceAll(kPublic, {{GetParam().from, GetParam().to}});
  ASSERT_NE(text, kPublic);
  const absl::StatusOr<RouteTrace> trace = ParseRouteTrace(text, "t.json");
  EXPECT_EQ(std::string(trace.status().message()),
            std::string("t.json: ") + GetParam().message + " [RC060]");
}

INSTANTIATE_TEST_SUITE_P(
    Messages, RouteTraceErrorTest,
    testing::Values(
        Edit{"json", "\"source\"", "source", "malformed JSON at byte 62"},
        Edit{"schema", "plena.route_trace.v1", "other",
             "/schema: expected \"plena.route_trace.v1\" or \"moescope.route_trace\""},
        Edit{"version", "\"schema_version\": 1", "\"schema_version\": 2",
             "/schema_version: only version 1 is known"},
        Edit{"no_version", "\"schema_version\"", "\"x\"", "/schema_version: is missing"},
        Edit{"no_experts", "num_experts", "experts", "/model/num_experts: is missing"},
        Edit{"float_experts", "\"num_experts\": 4", "\"num_experts\": 4.5",
             "/model/num_experts: expected an integer, got number"},
        Edit{"many_experts", "\"num_experts\": 4", "\"num_experts\": 18446744073709551615",
             "/model/num_experts: 9223372036854775807 is outside 1 to 65535"},
        Edit{"top_k", "\"top_k\": 2", "\"top_k\": 0", "/model/top_k: 0 is outside 1 to 255"},
        Edit{"hidden", "\"hidden_size\": 64", "\"hidden_size\": -1",
             "/model/hidden_size: -1 is outside 0 to 9223372036854775807"},
        Edit{"no_ids", "topk_indices", "indices", "/routing/topk_indices: is missing"},
        Edit{"ids", "[[2, 0], [2, -1]]", "7",
             "/routing/topk_indices: expected an array, got number"},
        Edit{"ragged", "[2, 0]", "[2]",
             "/routing/topk_indices/0: expected an array of top_k = 2 entries, got 1"},
        Edit{"row", "[2, 0]", "{}",
             "/routing/topk_indices/0: expected an array of top_k = 2 entries, got object"},
        Edit{"id", "[2, 0]", "[2, 4]", "/routing/topk_indices/0/1: 4 is outside -1 to 3"},
        Edit{"negative_id", "[2, -1]", "[2, -2]",
             "/routing/topk_indices/1/1: -2 is outside -1 to 3"},
        Edit{"tokens", "[[0.75, 0.25], [1.0, 0.5]]", "[[0.75, 0.25]]",
             "/routing/topk_weights: has 1 tokens, topk_indices has 2"},
        Edit{"weight", "0.25", "1e300",
             "/routing/topk_weights/0/1: the weight is not finite in FP32"},
        Edit{"text_weight", "0.25", "\"x\"",
             "/routing/topk_weights/0/1: expected a number, got string"},
        Edit{"counts", "[1, 0, 2, 0]", "[1, 0, 3, 0]",
             "/routing/expert_counts/2: is 3, the ids give 2"},
        Edit{"count_length", "[1, 0, 2, 0]", "[1, 0, 2]",
             "/routing/expert_counts: expected an array of num_experts = 4 counts"}),
    [](const testing::TestParamInfo<Edit>& entry) { return std::string(entry.param.name); });

TEST(RouteTraceTest, AnyPrefixIsAnErrorNotACrash) {
  const std::string text = kPublic;
  for (std::size_t length = 0; length < text.size() - 1; ++length) {
    EXPECT_FALSE(ParseRouteTrace(text.substr(0, length), "t.json").ok()) << length;
  }
  EXPECT_FALSE(ParseRouteTrace("[]", "t.json").ok());
  EXPECT_FALSE(ParseRouteTrace("\"\xff\"", "t.json").ok());
  EXPECT_EQ(ReadRouteTrace("/nonexistent/trace.json").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace moescope::moe
