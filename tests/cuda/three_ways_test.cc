// The example examples/03_three_ways: programs equal their twins in every output, and the CUDA
// lines pass on a device or say that they were skipped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/json.h"
#include "tests/cuda/device_layer.h"
#include "tests/support/child_process.h"
#include "tests/support/project_folders.h"
#include "tests/support/scratch_folder.h"

namespace moescope::cuda::test {
namespace {

constexpr const char* kLayers[] = {"qwen3", "qwen3-mxfp4", "gpt-oss",  "mixtral",
                                   "dsv4",  "shared",      "saturated"};
constexpr int kCudaLines = 5;  // per layer: y and slot of two kernel families, and a second run

struct Output {
  moescope::test::ScratchFolder folder;
  moescope::test::ProcessResult result;
  std::vector<std::string> lines;

  Output() {
    result = moescope::test::RunProcess(
        {moescope::test::SourceFolder() + "/examples/03_three_ways/three_ways",
         moescope::test::MoescopePath(), folder.path()});
    lines = absl::StrSplit(result.out, '\n');
  }
  int Count(const std::string& prefix, const std::string& part) const {
    int count = 0;
    for (const std::string& line : lines) {
      if (absl::StartsWith(line, prefix) && absl::StrContains(line, part)) ++count;
    }
    return count;
  }
};

const Output& Example() {
  static const Output output;  // its folder goes with it
  return output;
}

TEST(ThreeWays, ProgramsEqualTheirTwins) {
  EXPECT_EQ(Example().result.code, 0) << Example().result.out << Example().result.err;
  EXPECT_EQ(Example().Count("== ", "moe gen"), 7);
  // logits, ids, weights, gate, hidden, slot, y, and for some sigma and shared.
  EXPECT_GE(Example().Count("pass", "against stepwise tile(64): all"), 40);
  EXPECT_EQ(Example().Count("fail", ""), 0);
}

TEST(ThreeWays, CudaLinesPassOrSayThatTheyWereSkipped) {
  const std::string expected = TestDevice() != nullptr ? "pass" : "skip";
  EXPECT_EQ(Example().Count(expected, "cuda fused"), 7 * kCudaLines);
  if (TestDevice() == nullptr) GTEST_SKIP() << kNoDevice;
}

TEST(ThreeWays, ReportsRecordEveryComparison) {
  for (const char* layer : kLayers) {
    const std::string path = Example().folder.Path(std::string(layer) + ".json");
    const auto text = ReadFile(path);
    ASSERT_TRUE(text.ok()) << text.status();
    const auto json = ParseJson(*text, path, "T000");
    ASSERT_TRUE(json.ok()) << json.status();
    EXPECT_EQ((*json)["schema"], "moescope.comparison");
    EXPECT_EQ(TestDevice() == nullptr, absl::StrContains(*text, "CUDA")) << layer;
  }
}

TEST(ThreeWays, TheSaturatedLayerIsExactEverywhere) {
  EXPECT_GE(Example().Count("pass", "T0   against fused ideal given: all 512 elements equal"), 1);
}

}  // namespace
}  // namespace moescope::cuda::test
