// Sizes that only long runs have: a log of 5 million lines is compared in constant memory, and the
// trace of a run of 10 million instructions stays within its bounds. Labelled slow.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "tests/support/child_process.h"
#include "tests/support/scratch_folder.h"

namespace moescope {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Document = nlohmann::json;
using Words = std::vector<std::string>;

// A call of the command with its time and the peak of its memory.
struct Measured {
  test::ProcessResult result;
  double seconds = 0;
  long peak_kib = 0;
};

// getrusage of the children gives the largest peak of all so far: what an upper bound needs.
Measured Measure(const Words& words) {
  Measured measured;
  const auto started = std::chrono::steady_clock::now();
  measured.result = test::Moescope(words);
  measured.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  measured.peak_kib = usage.ru_maxrss;
  return measured;
}

constexpr std::uint64_t kLines = 5'000'000;

// A commit log as an independent simulator might write it, of `kLines` instructions; line `changed`
// (from 0) has another effect. kLines changes nothing.
void WriteLog(const std::string& path, std::uint64_t changed) {
  std::ofstream file(path, std::ios::binary);
  file << "# moescope commit log 1\n# program sha256:00\n# machine sha256:00\n# isa sha256:00\n"
          "# columns seq cycle pc word stage text effects\n";
  for (std::uint64_t i = 0; i < kLines; ++i) {
    file << absl::StrFormat(
        "%d %d %d 000048A2 expert_projection/%d S_ADDI_INT:gp2,gp2,1 gp2=0x%x\n", i, i * 3,
        i % 1000, i % 7, i == changed ? i + 1 : i);
  }
}

TEST(LargeLogsTest, TheFirstOfSeededDivergencesIsFoundInConstantMemory) {
  const test::ScratchFolder folder;
  const std::string a = folder.Path("a.log");
  WriteLog(a, kLines);
  Measured measured = Measure({"diff", "log", a, a});
  EXPECT_EQ(measured.result.code, 0) << measured.result.err;
  EXPECT_EQ(measured.result.out, "equal: 5000000 lines\n");
  // Far below the size of one log.
  const auto bytes = std::filesystem::file_size(a);
  EXPECT_GT(bytes, std::uint64_t{300} << 20);
  EXPECT_LT(measured.peak_kib, 40 << 10);
  std::printf("diff log of two logs of %.0f MiB: %.2f s, peak %.1f MiB\n",
              static_cast<double>(bytes) / (1 << 20), measured.seconds,
              static_cast<double>(measured.peak_kib) / 1024);
  // Header lines count: the lines of the file are those that an editor shows.
  for (const std::uint64_t changed : {std::uint64_t{0}, kLines / 2, kLines - 1}) {
    const std::string b = folder.Path("b.log");
    WriteLog(b, changed);
    measured = Measure({"diff", "log", a, b});
    EXPECT_EQ(measured.result.code, 1);
    EXPECT_THAT(measured.result.out,
                StartsWith(absl::StrCat("first difference in line ", changed + 6, " after ",
                                        changed, " equal instructions\n")));
    EXPECT_THAT(measured.result.out, HasSubstr(absl::StrFormat("only in A: gp2=0x%x\n", changed)));
    EXPECT_LT(measured.peak_kib, 40 << 10);
    std::printf("divergence in line %s: %.2f s, peak %.1f MiB\n", absl::StrCat(changed + 6).c_str(),
                measured.seconds, static_cast<double>(measured.peak_kib) / 1024);
  }
}

TEST(LargeLogsTest, TheTraceOfALongRunIsBounded) {
  const test::ScratchFolder folder;
  // 10 million instructions: 2000 x 1250 times four, in three stages.
  const std::string program = folder.Write(
      "long.asm",
      "; @stage=accumulator_init\nS_ADDI_INT gp3, gp0, 0\n; @stage=expert_projection pair=0\n"
      "C_LOOP_START gp1, 2000\nC_LOOP_START gp2, 1250\nV_ADD_VV gp0, gp0, gp0, 0\n"
      "S_ADDI_INT gp4, gp4, 1\nS_ST_INT gp4, gp0, 1\nC_LOOP_END gp2\nC_LOOP_END gp1\n"
      "; @stage=scatter_combine pair=0\nV_ADD_VV gp0, gp0, gp0, 0\n");
  const std::string trace = folder.Path("t.json");
  const Measured measured = Measure({"run", "--opcode=" + program, "--timing=pipelined",
                                     "--trace=" + trace, "--profile=" + folder.Path("p.json")});
  EXPECT_EQ(measured.result.code, 0) << measured.result.err;
  EXPECT_THAT(measured.result.err, HasSubstr("trace: "));
  EXPECT_THAT(measured.result.err, HasSubstr(" events were merged"));
  const auto bytes = std::filesystem::file_size(trace);
  EXPECT_LE(bytes, std::uint64_t{256} << 20);
  // Events stand one per line. The file is parsed without keeping it: it may be large.
  const std::string text = folder.Read("t.json");
  EXPECT_TRUE(Document::accept(text));
  std::size_t events = 0;
  for (std::size_t at = 0; (at = text.find("\n{\"name\"", at)) != std::string::npos; ++at) ++events;
  EXPECT_LE(events, 2'000'100u);
  EXPECT_GT(events, 10u);
  const Document profile = Document::parse(folder.Read("p.json"));
  EXPECT_GT(profile["totals"]["instructions"].get<std::uint64_t>(), 10'000'000u);
  EXPECT_THAT(text,
              HasSubstr(absl::StrCat("\"cycles\":", profile["totals"]["cycles"].dump(), ",")));
  std::printf("%s instructions: trace of %s bytes, %s events, %.2f s, peak %.1f MiB\n",
              profile["totals"]["instructions"].dump().c_str(), absl::StrCat(bytes).c_str(),
              absl::StrCat(events).c_str(), measured.seconds,
              static_cast<double>(measured.peak_kib) / 1024);
  // With a bound of its own it is kept too.
  const Measured small = Measure({"run", "--opcode=" + program, "--timing=pipelined", "-q",
                                  "--trace=" + trace, "--trace-max-bytes=1M"});
  EXPECT_EQ(small.result.code, 0);
  EXPECT_LE(std::filesystem::file_size(trace), std::uint64_t{1} << 20);
  EXPECT_TRUE(Document::accept(folder.Read("t.json")));
}

}  // namespace
}  // namespace moescope
