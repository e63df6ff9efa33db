#include "cli/session/repeat.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/session/repeat_json.h"
#include "profiler/profile_json.h"

extern char** environ;

namespace moescope::session {
namespace {

// A folder that goes when the object goes.
class TemporaryFolder {
 public:
  static absl::StatusOr<TemporaryFolder> Make() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "moescope-XXXXXX").string();
    if (error || ::mkdtemp(path.data()) == nullptr) {
      return absl::UnavailableError("cannot make a temporary folder for the repeated runs");
    }
    return TemporaryFolder(std::move(path));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

absl::StatusOr<RunFingerprint> FingerprintOf(const profiler::Profile& profile,
                                             const RunRequest& request,
                                             const std::string& dump_dir) {
  RunFingerprint print;
  print.end = profile.end.reason;
  print.profile_sha256 = profile.profile_sha256;
  print.instructions = profile.totals.counters.instructions;
  print.cycles = profile.totals.counters.cycles;
  print.hbm_read_bytes = profile.totals.counters.read.physical_bytes;
  print.hbm_write_bytes = profile.totals.counters.write.physical_bytes;
  if (request.outputs.dumps.empty()) return print;
  ASSIGN_OR_RETURN(print.dumps, ReadDumpHashes(dump_dir + "/dump_manifest.json"));
  return print;
}

// Only what the fingerprint needs.
RunRequest Quiet(const RunRequest& request, const std::string& folder) {
  RunRequest quiet = request;
  quiet.outputs = {};
  quiet.outputs.dumps = request.outputs.dumps;
  quiet.outputs.dump_dir = folder;
  quiet.outputs.print_table = false;
  quiet.stage_profile.output.clear();
  return quiet;
}

// Runs the words without input or output; the exit code.
absl::StatusOr<int> RunWords(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed =
      ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return absl::UnavailableError("cannot start a fresh process");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return absl::UnavailableError("cannot wait for the fresh process");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

absl::StatusOr<RunFingerprint> RunFresh(const RunRequest& request, const RunOutcome& first,
                                        const std::vector<std::string>& words,
                                        const std::string& folder) {
  ASSIGN_OR_RETURN(const int code, RunWords(FreshCommand(words, folder)));
  if (code != static_cast<int>(first.code)) {
    return absl::InternalError(absl::StrCat("the fresh process ended with code ", code, ", not ",
                                            static_cast<int>(first.code)));
  }
  ASSIGN_OR_RETURN(const std::string text, ReadFile(folder + "/profile.json"));
  ASSIGN_OR_RETURN(const profiler::Profile profile, profiler::ReadProfile(text));
  ASSIGN_OR_RETURN(RunFingerprint print, FingerprintOf(profile, request, folder));
  print.fresh_process = true;
  return print;
}

}  // namespace

std::vector<std::string> RepeatDifferences(const std::vector<RunFingerprint>& runs) {
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const auto compare = [&](const std::string& name, const auto& value, const auto& first) {
      if (value == first) return;
      lines.push_back(absl::StrCat("run ", i + 1, runs[i].fresh_process ? " (fresh process)" : "",
                                   ": ", name, " ", value, ", not ", first));
    };
    const RunFingerprint& run = runs[i];
    const RunFingerprint& first = runs[0];
    compare("end", run.end, first.end);
    compare("instructions", run.instructions, first.instructions);
    compare("cycles", run.cycles, first.cycles);
    compare("hbm_read_bytes", run.hbm_read_bytes, first.hbm_read_bytes);
    compare("hbm_write_bytes", run.hbm_write_bytes, first.hbm_write_bytes);
    compare("profile_sha256", run.profile_sha256, first.profile_sha256);
    compare("dumps", run.dumps.size(), first.dumps.size());
    for (std::size_t d = 0; d < std::min(run.dumps.size(), first.dumps.size()); ++d) {
      compare(run.dumps[d].first, run.dumps[d].second, first.dumps[d].second);
    }
  }
  return lines;
}

std::vector<std::string> FreshCommand(const std::vector<std::string>& words,
                                      const std::string& folder) {
  std::vector<std::string> fresh;
  const auto add_options = [&] {
    for (const char* option : {"--repeat=1", "--no-progress", "-qq"}) fresh.emplace_back(option);
    fresh.push_back(absl::StrCat("--profile=", folder, "/profile.json"));
    fresh.push_back(absl::StrCat("--dump-dir=", folder));
  };
  bool options_end = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--" && !options_end) {
      add_options();
      options_end = true;
    }
    if (!options_end && words[i] == "--repeat") {
      ++i;  // and its value
    } else if (options_end || !absl::StartsWith(words[i], "--repeat=")) {
      fresh.push_back(words[i]);
    }
  }
  if (!options_end) add_options();
  return fresh;
}

bool ReadsStandardInput(const RunRequest& request) {
  bool reads = request.program.file == "-";
  for (const auto* image : {&request.images.hbm, &request.images.vram, &request.images.fpsram,
                            &request.images.intsram}) {
    reads = reads || (*image && (*image)->file == "-");
  }
  return reads;
}

std::vector<std::string> OwnCommandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

absl::StatusOr<RunOutcome> ExecuteRepeated(const RunRequest& request, const RunContext& context,
                                           const std::vector<std::string>& words) {
  if (ReadsStandardInput(request)) {
    return UsageError("--repeat cannot read standard input a second time");
  }
  if (request.outputs.host_stats) {
    return UsageError("--repeat cannot compare profiles with --host-stats");
  }
  ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::Make());
  ASSIGN_OR_RETURN(RunOutcome outcome, ExecuteRun(request, context));
  std::vector<RunFingerprint> runs;
  ASSIGN_OR_RETURN(runs.emplace_back(),
                   FingerprintOf(outcome.profile, request, request.outputs.dump_dir));
  const Console silent([](std::string_view) {}, [](std::string_view) {});
  RunContext again = context;
  again.console = &silent;
  again.show_progress = false;
  const auto interrupted = [&] { return context.interrupt != nullptr && *context.interrupt != 0; };
  for (std::uint64_t i = 2; i < request.repeat && !interrupted(); ++i) {
    const std::string own = absl::StrCat(folder.path(), "/", i);
    ASSIGN_OR_RETURN(const RunOutcome repeated, ExecuteRun(Quiet(request, own), again));
    ASSIGN_OR_RETURN(runs.emplace_back(), FingerprintOf(repeated.profile, request, own));
  }
  if (interrupted()) return outcome;
  ASSIGN_OR_RETURN(runs.emplace_back(), RunFresh(request, outcome, words, folder.path()));
  context.console->Out(RepeatJson(runs));
  const std::vector<std::string> differences = RepeatDifferences(runs);
  for (const std::string& line : differences) {
    context.console->Error(absl::StrCat("FAILED: ", line, "\n"));
  }
  if (!differences.empty()) outcome.code = Worse(outcome.code, ExitCode::kCheckFailed);
  return outcome;
}

}  // namespace moescope::session
