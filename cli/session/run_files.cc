#include "cli/session/run_files.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "absl/strings/str_cat.h"
#include "cli/session/exit_code.h"

namespace moescope::session {

namespace {

std::string Normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> OutputPaths(const RunRequest& request) {
  const OutputsRequest& outputs = request.outputs;
  std::vector<std::pair<std::string, std::string>> paths = {
      {"profile", outputs.profile},
      {"pc-table", outputs.pc_table},
      {"trace", outputs.trace},
      {"commit-log", outputs.commit_log},
      {"stage-profile-out", request.stage_profile.output},
      {"expect-report", request.expect.empty() ? "" : outputs.expect_report}};
  std::erase_if(paths, [](const auto& entry) { return entry.second.empty(); });
  if (!outputs.dumps.empty()) paths.emplace_back("dump-dir", outputs.dump_dir);
  return paths;
}

bool WritesToStandardOutput(const RunRequest& request) {
  const auto paths = OutputPaths(request);
  return std::any_of(paths.begin(), paths.end(),
                     [](const auto& entry) { return entry.second == "-"; });
}

absl::Status CheckInputs(std::span<const RunBatch::NamedRun> runs) {
  int uses = 0;
  for (const RunBatch::NamedRun& run : runs) {
    const RunRequest& request = run.request;
    const bool from_manifest = run.name != request.program.file;
    std::vector<std::string> inputs = {from_manifest ? run.name : "",  request.program.file,
                                       request.program.stages,         request.machine.file,
                                       request.stage_profile.assembly, request.expected_profile};
    inputs.insert(inputs.end(), request.program.stage_vocabulary.begin(),
                  request.program.stage_vocabulary.end());
    for (const auto* image : {&request.images.hbm, &request.images.vram, &request.images.fpsram,
                              &request.images.intsram}) {
      if (*image) inputs.push_back((*image)->file);
    }
    for (const MemoryExpectation& memory : request.expect.memory) inputs.push_back(memory.file);
    uses += static_cast<int>(std::count(inputs.begin(), inputs.end(), "-"));
  }
  return uses > 1 ? UsageError("at most one input may be '-'") : absl::OkStatus();
}

absl::Status CheckOutputs(std::span<const RunBatch::NamedRun> runs) {
  std::map<std::string, std::pair<const RunBatch::NamedRun*, std::string>> seen;
  for (const RunBatch::NamedRun& run : runs) {
    for (const auto& [what, path] : OutputPaths(run.request)) {
      if (path.starts_with("/dev/")) continue;
      if (path == "-" && runs.size() > 1) {
        return UsageError(
            absl::StrCat("--", what, "=-: several runs print their results on standard output"));
      }
      const auto [at, is_new] = seen.try_emplace(Normal(path), &run, what);
      if (is_new) continue;
      const auto& [other, other_what] = at->second;
      if (path == "-") {
        return UsageError(
            absl::StrCat("--", other_what, " and --", what, ": at most one output may be '-'"));
      }
      if (other == &run) {
        return UsageError(
            absl::StrCat("--", other_what, " and --", what, " would both write '", path, "'"));
      }
      return UsageError(absl::StrCat(other->name, " and ", run.name, " would both write '", path,
                                     "' (--", what, ")"));
    }
  }
  return absl::OkStatus();
}

}  // namespace moescope::session
