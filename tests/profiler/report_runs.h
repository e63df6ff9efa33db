#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"
#include "profiler/pc_table.h"
#include "profiler/profile_json.h"
#include "profiler/report/report.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler::test {

// A random run as its profile, the JSON text of the profile as a tree, and its per-pc table.
// Reports are made from the profile and compared with the numbers of the JSON text.
struct ReportedRun {
  Profile profile;
  nlohmann::ordered_json json;
  PcTable table;

  explicit ReportedRun(std::uint32_t seed, bool rich = true) {
    RandomRun run(seed, rich);
    Recorder recorder;
    run.Play(seed, std::nullopt, recorder);
    const std::string text = ProfileText(MakeProfile(recorder.recording(), FixedOptions()));
    profile = *ReadProfile(text);
    json = nlohmann::ordered_json::parse(text);
    table = MakePcTable(recorder.recording(), isa::InstructionSet::Builtin());
  }

  std::string Report(ReportOptions options) const {
    const absl::StatusOr<std::string> text = profiler::Report(profile, options);
    EXPECT_TRUE(text.ok()) << options.format << " " << options.table << ": " << text.status();
    return text.value_or("");
  }
};

// "1,234,567" as a number.
inline std::uint64_t NumberOf(std::string_view shown) {
  std::uint64_t value = 0;
  EXPECT_FALSE(shown.empty());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i] == ',' && (shown.size() - i) % 4 == 0) continue;
    EXPECT_TRUE(shown[i] >= '0' && shown[i] <= '9') << shown;
    value = 10 * value + static_cast<std::uint64_t>(shown[i] - '0');
  }
  return value;
}

// "12.3 %" of a share in parts per million, rounded down to tenths.
inline std::string PercentOf(std::uint64_t ppm) {
  return std::to_string(ppm / 10000) + "." + std::to_string(ppm / 1000 % 10) + " %";
}

}  // namespace moescope::profiler::test
