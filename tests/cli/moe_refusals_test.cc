#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/dispatch.h"
#include "moe/route_trace_json.h"
#include "moe/workload.h"
#include "tests/support/captured_console.h"
#include "tests/support/scratch_folder.h"

// Every layer that `moescope moe gen` refuses: the exact message names the value, the limit and the
// option that asked for it, the exit code says whose fault it is, and nothing has been written.

namespace moescope::cli {
namespace {

using ::testing::HasSubstr;

struct Refusal {
  const char* name;
  std::vector<std::string> options;
  ExitCode code;
  const char* message;
};

class MoeRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(MoeRefusalTest, NamesLimitAndOptionAndWritesNothing) {
  const test::ScratchFolder scratch;
  const std::string folder = scratch.Path("layer");
  std::vector<std::string> words = {"moe", "gen", "-o", folder};
  words.insert(words.end(), GetParam().options.begin(), GetParam().options.end());
  test::CapturedConsole captured;
  EXPECT_EQ(Dispatch(Commands(), words, captured.console), GetParam().code) << captured.err;
  EXPECT_THAT(captured.err, HasSubstr(GetParam().message));
  EXPECT_EQ(captured.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder));
}

constexpr auto kInput = ExitCode::kInput;
constexpr auto kUsage = ExitCode::kUsage;

const Refusal kShapes[] = {
    {"hidden_0", {"--hidden=0"}, kInput, "hidden = 0: must be 1 to 1048576 (--hidden) [RC001]"},
    {"hidden_large",
     {"--hidden=1048640"},
     kInput,
     "hidden = 1048640: must be 1 to 1048576 (--hidden) [RC001]"},
    {"hidden_beyond_int",
     {"--hidden=99999999999"},
     kInput,
     "--hidden = 99999999999: must be at most 2147483647 [RC001]"},
    {"inter_0", {"--inter=0"}, kInput, "intermediate = 0: must be 1 to 1048576 (--inter) [RC001]"},
    {"experts_0", {"--experts=0"}, kInput, "experts = 0: must be 1 to 65535 (--experts) [RC001]"},
    {"experts_65536",
     {"--experts=65536"},
     kInput,
     "experts = 65536: must be 1 to 65535 (--experts) [RC001]"},
    {"top_k_0", {"--top-k=0"}, kInput, "top_k = 0: must be 1 to 255 (--top-k) [RC001]"},
    {"top_k_256",
     {"--experts=300", "--top-k=256"},
     kInput,
     "top_k = 256: must be 1 to 255 (--top-k) [RC001]"},
    {"top_k_above_experts",
     {"--experts=4", "--top-k=5"},
     kInput,
     "top_k = 5 exceeds experts = 4 (--top-k, --experts) [RC002]"},
    {"shared_0",
     {"--shared=0"},
     kInput,
     "shared intermediate = 0: must be 1 to 1048576 (--shared) [RC001]"},
    {"shared_text",
     {"--shared=gate"},
     kInput,
     "shared 'gate': expected WIDTH, WIDTH+gate or none (--shared) [RC015]"},
    {"scale_0", {"--scale=0"}, kInput, "--scale = 0: must be at least 1 [RC001]"},
    {"tokens",
     {"--tokens=1048577"},
     kInput,
     "tokens = 1048577: must be 0 to 1048576 (--tokens) [RC072]"},
    {"preset",
     {"--preset=gpt-oss-21b"},
     kInput,
     "unknown preset 'gpt-oss-21b' (--preset); did you mean 'gpt-oss-20b'"},
};

const Refusal kRouters[] = {
    {"groups",
     {"--preset=deepseek-v3", "--router=softmax_all"},
     kInput,
     "groups = 8: router mode softmax_all has no groups (--router) [RC003]"},
    {"groups_do_not_divide",
     {"--preset=deepseek-v3", "--experts=100"},
     kInput,
     "groups = 8 does not divide experts = 100 (--experts) [RC004]"},
    {"groups_too_small",
     {"--preset=deepseek-v3", "--experts=8"},
     kInput,
     "top_k = 8 exceeds the 4 experts of topk_group = 4 groups (--top-k) [RC006]"},
    {"routed_scale",
     {"--preset=kimi-k2", "--router=softmax_topk"},
     kInput,
     "routed_scale = 2.827: router mode softmax_topk has no routed scale (--router) [RC008]"},
    {"correction",
     {"--preset=glm-4.5-air", "--router=softmax_topk"},
     kInput,
     "bias_corr: router mode softmax_topk selects on the logits (--router) [RC009]"},
    {"input_weighting",
     {"--preset=llama4-scout", "--router=softmax_topk"},
     kInput,
     "weighting input: needs router mode sigmoid_input or given, not softmax_topk (--router) "
     "[RC010]"},
    {"input_top_k",
     {"--router=sigmoid_input"},
     kInput,
     "top_k = 4: weighting input needs top_k = 1 (--top-k) [RC011]"},
    {"mode", {"--router=softmax"}, kUsage, "softmax_topk"},
    {"no_logarithm",
     {"--preset=dsv4-flash", "--scale=32"},
     kInput,
     "router mode sqrtsoftplus: the ISA has no logarithm instruction; use --routing=fixed "
     "[RC074]"},
};

const Refusal kNumbers[] = {
    {"clamp_negative",
     {"--clamp=-1"},
     kInput,
     "clamp = -1: must be finite and above 0 (--clamp) [RC012]"},
    {"clamp_zero",
     {"--clamp=0"},
     kInput,
     "clamp = 0: must be finite and above 0 (--clamp) [RC012]"},
    {"clamp_infinite",
     {"--clamp=inf"},
     kInput,
     "clamp = inf: must be finite and above 0 (--clamp) [RC012]"},
    {"clamp_text", {"--clamp=x"}, kInput, "clamp 'x': expected a number or none (--clamp) [RC012]"},
    {"clamp_not_bf16",
     {"--clamp=0.1"},
     kInput,
     "clamp = 0.100000001 is not a BF16 value (--clamp) [RC013]"},
    {"no_erf",
     {"--activation=geglu_erf"},
     kInput,
     "activation geglu_erf: the ISA has no erf instruction (--activation) [RC074]"},
    {"activation", {"--activation=relu"}, kUsage, "swiglu"},
    {"weights", {"--weights=mxfp6"}, kUsage, "mxfp8_b8"},
};

const Refusal kTiles[] = {
    {"hidden_tile",
     {"--hidden=100"},
     kInput,
     "hidden = 100 is not a multiple of MLEN = 64 (--hidden, --machine) [RC072]"},
    {"inter_tile",
     {"--inter=65"},
     kInput,
     "intermediate = 65 is not a multiple of MLEN = 64 (--inter, --machine) [RC072]"},
    {"shared_tile",
     {"--shared=96+gate"},
     kInput,
     "shared intermediate = 96 is not a multiple of MLEN = 64 (--shared, --machine) [RC072]"},
    {"blocks",
     {"--machine=rtl-8", "--weights=mxfp4_b32"},
     kInput,
     "weight format mxfp4_b32 has blocks of 32, MLEN is "},
};

const Refusal kLowerings[] = {
    {"option",
     {"--set", "k_ad=live"},
     kInput,
     "unknown lowering option 'k_ad' (--set); did you mean 'k_add'?; known: topk, k_tiles, "},
    {"value",
     {"--set", "k_add=dead"},
     kInput,
     "lowering option k_add = 'dead' (--set); known: tile, live, accumulate [RC071]"},
    {"count",
     {"--set", "k_tiles=0"},
     kInput,
     "lowering option k_tiles = '0' (--set); known: a count or max [RC071]"},
    {"no_value", {"--set", "k_add"}, kUsage, "set"},
    {"group",
     {"--set", "reuse=group"},
     kInput,
     "reuse=group needs --routing=fixed (--set reuse) [RC075]"},
    {"pre",
     {"--preset=gpt-oss-20b", "--scale=45", "--set", "weighting=pre"},
     kInput,
     "weighting=pre needs a layer without b2 (--set weighting) [RC075]"},
    {"norm",
     {"--set", "residual=norm"},
     kInput,
     "residual=norm needs gather=vram: HBM holds the rows before the norm (--set gather) [RC075]"},
    {"matrix",
     {"--router=sigmoid_group", "--set", "router=matrix"},
     kInput,
     "router=matrix: router mode sigmoid_group needs its logits in FP_MEM (--set router) [RC076]"},
};

const Refusal kMemories[] = {
    {"mram",
     {"--hidden=4160", "--set", "k_add=accumulate"},
     kInput,
     "MRAM tiles: the program needs 65, MATRIX_SRAM_SIZE holds 64 (--set k_tiles, k_add, buffers) "
     "[RC080]"},
    {"mram_buffers",
     {"--hidden=2112", "--set", "k_add=accumulate", "--set", "buffers=2"},
     kInput,
     "MRAM tiles: the program needs 66, MATRIX_SRAM_SIZE holds 64 (--set k_tiles, k_add, buffers) "
     "[RC080]"},
    {"int_mem",
     {"--machine-set", "int_sram_words=4"},
     kInput,
     "INT_MEM words: the program needs 5, int_sram_words is 4 (--tokens, --experts) [RC080]"},
    {"int_mem_by_tokens",
     {"--tokens=256", "--set", "route_weight=scalar", "--machine-set", "fp_sram_words=4096"},
     kInput,
     "INT_MEM words: the program needs 1280, int_sram_words is 1024 (--tokens, --experts) "
     "[RC080]"},
    {"fp_mem_by_tokens",
     {"--tokens=256"},
     kInput,
     "(--tokens, --experts, --set route_weight) [RC080]"},
    {"hbm",
     {"--preset=kimi-k2", "--weights=bf16"},
     kInput,
     "(--experts, --hidden, --inter, --weights) [RC080]"},
};

const Refusal kWorkloads[] = {
    {"without_fixed", {"--workload=ragged"}, kUsage, "--workload says the ids of --routing=fixed"},
    {"kind",
     {"--routing=fixed", "--workload=ballanced"},
     kInput,
     "workload 'ballanced': unknown kind 'ballanced'; did you mean 'balanced'? (--workload) "
     "[RC050]"},
    {"parameter",
     {"--routing=fixed", "--workload=hot(p=2)"},
     kInput,
     "workload 'hot(p=2)': '2' is not a probability from 0 to 1 (--workload) [RC050]"},
    {"too_many_hot",
     {"--routing=fixed", "--workload=hot(n=33)"},
     kInput,
     "workload: n = 33 hot experts: must be 1 to 32 (--workload) [RC051]"},
    {"too_many_empty",
     {"--experts=4", "--routing=fixed", "--workload=empty(first)"},
     kInput,
     "workload: only 3 experts are left for top_k = 4 (--workload) [RC051]"},
    {"trace_missing",
     {"--routing=fixed", "--workload=replay(/nonexistent/trace.json)"},
     kInput,
     "/nonexistent/trace.json"},
};

std::string NameOf(const testing::TestParamInfo<Refusal>& entry) { return entry.param.name; }

INSTANTIATE_TEST_SUITE_P(Shapes, MoeRefusalTest, testing::ValuesIn(kShapes), NameOf);
INSTANTIATE_TEST_SUITE_P(Routers, MoeRefusalTest, testing::ValuesIn(kRouters), NameOf);
INSTANTIATE_TEST_SUITE_P(Numbers, MoeRefusalTest, testing::ValuesIn(kNumbers), NameOf);
INSTANTIATE_TEST_SUITE_P(Tiles, MoeRefusalTest, testing::ValuesIn(kTiles), NameOf);
INSTANTIATE_TEST_SUITE_P(Lowerings, MoeRefusalTest, testing::ValuesIn(kLowerings), NameOf);
INSTANTIATE_TEST_SUITE_P(Memories, MoeRefusalTest, testing::ValuesIn(kMemories), NameOf);
INSTANTIATE_TEST_SUITE_P(Workloads, MoeRefusalTest, testing::ValuesIn(kWorkloads), NameOf);

// A trace of another shape is named with both shapes.
TEST(MoeReplayRefusalTest, ATraceOfAnotherShape) {
  const test::ScratchFolder scratch;
  moe::RouteTrace trace;
  trace.routing = *moe::GenerateRouting({}, {3, 2, 6}, 4);
  const std::string path = scratch.Write("trace.json", moe::FormatRouteTrace(trace));
  const auto refused = [&](std::vector<std::string> options) {
    std::vector<std::string> words = {"moe",
                                      "gen",
                                      "-o",
                                      scratch.Path("layer"),
                                      "--routing=fixed",
                                      "--workload=replay(" + path + ")"};
    words.insert(words.end(), options.begin(), options.end());
    test::CapturedConsole captured;
    EXPECT_EQ(Dispatch(Commands(), words, captured.console), ExitCode::kInput);
    EXPECT_FALSE(scratch.Has("layer"));
    return captured.err;
  };
  EXPECT_THAT(refused({"--tokens=2"}),
              HasSubstr("fixed routing of 3 tokens to 2 of 6 experts, layer has 2 tokens to 2 of 6 "
                        "(--workload) [RC077]"));
  EXPECT_THAT(refused({"--experts=8"}),
              HasSubstr("fixed routing of 3 tokens to 2 of 6 experts, layer has 3 tokens to 2 of 8 "
                        "(--workload) [RC077]"));
  EXPECT_THAT(refused({"--top-k=1"}),
              HasSubstr("fixed routing of 3 tokens to 2 of 6 experts, layer has 3 tokens to 1 of 6 "
                        "(--workload) [RC077]"));
}

TEST(MoeFolderRefusalTest, AFolderWithoutAParent) {
  test::CapturedConsole captured;
  EXPECT_EQ(
      Dispatch(Commands(), {"moe", "gen", "--hidden=64", "--inter=64", "-o", "/nonexistent/a/b"},
               captured.console),
      ExitCode::kInput);
  EXPECT_THAT(
      captured.err,
      HasSubstr("/nonexistent/a/b: cannot make the folder: No such file or directory [RC091]"));
  test::CapturedConsole none;
  EXPECT_EQ(Dispatch(Commands(), {"moe", "gen"}, none.console), ExitCode::kUsage);
  EXPECT_THAT(none.err, HasSubstr("moe gen needs -o FOLDER"));
}

}  // namespace
}  // namespace moescope::cli
