#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "profiler/profile_json.h"
#include "tests/cli/command_call.h"

namespace moescope::cli::test {

// Runs kMarkedProgram in a folder of its own, by flags or by a manifest.
class RunCommandTest : public ::testing::Test {
 protected:
  RunCommandTest() : program_(folder_.Write("p.asm", kMarkedProgram)) {}

  Outcome Run(std::vector<std::string> options) const {
    options.insert(options.begin(), {"run", "--opcode=" + program_, "--timing=serial"});
    return CallMoescope(options);
  }
  Outcome RunManifest(const std::string& members, std::vector<std::string> options = {}) const {
    const std::string path = folder_.Write(
        "run.json",
        absl::StrCat(
            "{\"schema\": \"moescope.run\", \"schema_version\": 1, ",
            absl::StrContains(members, "\"program\"")
                ? ""
                : "\"program\": {\"file\": \"p.asm\"}, \"machine\": {\"timing\": \"serial\"}, ",
            members, "}"));
    options.insert(options.begin(), {"run", path});
    return CallMoescope(options);
  }
  // The profile that a run with these options writes.
  profiler::Profile ProfileOf(std::vector<std::string> options) const {
    options.push_back("--profile=" + folder_.Path("profile.json"));
    const Outcome outcome = Run(options);
    EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.err;
    const auto profile = profiler::ReadProfile(folder_.Read("profile.json"));
    EXPECT_TRUE(profile.ok()) << profile.status();
    return profile.ok() ? *profile : profiler::Profile{};
  }
  std::string File(const std::string& name) const { return folder_.Read(name); }

  moescope::test::ScratchFolder folder_;
  std::string program_;
};

}  // namespace moescope::cli::test
