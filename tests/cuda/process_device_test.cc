// Equal bytes in a fresh process: this program starts itself and compares hashes. Also the hashes
// of several SM limits at a size with many items per multiprocessor.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/string_view.h"
#include "moe/layer_names.h"
#include "tests/cuda/device_layer.h"
#include "tests/support/child_process.h"
#include "tests/support/scratch_folder.h"

namespace moescope::cuda::test {
namespace {

constexpr char kHashFile[] = "MOESCOPE_TEST_HASH_FILE";

std::string HashOf(const moe::Bf16Matrix& matrix) {
  Sha256 hash;
  hash.Update({reinterpret_cast<const char*>(matrix.values.data()), 2 * matrix.values.size()});
  return hash.Name();
}

// y of one layer, or "failed".
std::string HashOnDevice(moe::WeightFormat format, std::int64_t tokens, int sm_limit = 0) {
  const moe::Layer description{.shape = {512, 256, 16, 4},
                               .weighting = moe::Weighting::kPre,
                               .weights = format,
                               .shared = moe::SharedExpert{128, true}};
  const SeededCase layer(description, tokens, "ragged+masked(0.1)");
  Options options = OptionsFor(description);
  options.sm_limit = sm_limit;
  const auto device = RunOnDevice(layer, options);
  return device.ok() ? HashOf(device->y) : "failed";
}

constexpr moe::WeightFormat::Kind kFormats[] = {
    moe::WeightFormat::kBf16, moe::WeightFormat::kMxfp8B8, moe::WeightFormat::kMxfp8B32,
    moe::WeightFormat::kMxfp4B32};

std::string AllHashes() {
  std::string text;
  for (const auto format : kFormats) {
    for (const std::int64_t tokens : {1, 100, 900}) {
      absl::StrAppend(&text, Absl(moe::Name(moe::WeightFormat(format))), " ", tokens, " ",
                      HashOnDevice(format, tokens), "\n");
    }
  }
  return text;
}

// Writes the hashes when it is the child; nothing to do otherwise.
TEST(ProcessDevice, Child) {
  const char* path = std::getenv(kHashFile);
  if (path == nullptr) GTEST_SKIP() << "runs only as a child of FreshProcessesGiveEqualBytes";
  MOESCOPE_NEEDS_DEVICE();
  EXPECT_TRUE(WriteFile(path, AllHashes()).ok());
}

TEST(ProcessDevice, FreshProcessesGiveEqualBytes) {
  MOESCOPE_NEEDS_DEVICE();
  const std::string here = AllHashes();
  EXPECT_EQ(here.find("failed"), std::string::npos) << here;
  const moescope::test::ScratchFolder folder;
  for (int process = 0; process < 2; ++process) {
    const std::string path = folder.path() + "/hashes" + std::to_string(process);
    const auto child =
        moescope::test::RunProcess({"/proc/self/exe", "--gtest_filter=ProcessDevice.Child"},
                                   {.environment = {absl::StrCat(kHashFile, "=", path)}});
    ASSERT_EQ(child.code, 0) << child.out << child.err;
    const auto there = ReadFile(path);
    ASSERT_TRUE(there.ok()) << there.status();
    EXPECT_EQ(*there, here);
  }
}

TEST(ProcessDevice, MultiprocessorLimitsGiveEqualBytes) {
  MOESCOPE_NEEDS_DEVICE();
  for (const auto format : kFormats) {
    const std::string all = HashOnDevice(format, 900);
    for (const int limit : {1, 8, 64, 131, 132}) {
      EXPECT_EQ(HashOnDevice(format, 900, limit), all) << limit;
    }
  }
}

}  // namespace
}  // namespace moescope::cuda::test
