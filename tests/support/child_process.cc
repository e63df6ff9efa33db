#include "tests/support/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "tests/support/project_folders.h"

namespace moescope::test {

namespace {

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  return {ends[0], ends[1]};
}

// Both ends are -1 when there is none.
Pipe OpenTerminal() {
  const int leader = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (leader < 0) return {};
  const bool ready = ::grantpt(leader) == 0 && ::unlockpt(leader) == 0;
  const int follower = ready ? ::open(::ptsname(leader), O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
  if (follower >= 0) return {leader, follower};
  ::close(leader);
  return {};
}

Pipe MakeTerminal() {
  const Pipe terminal = OpenTerminal();
  if (terminal.read < 0) std::abort();
  return terminal;
}

[[noreturn]] void BecomeChild(const std::vector<std::string>& words, const ProcessOptions& options,
                              const Pipe& in, const Pipe& out, const Pipe& err) {
  ::dup2(in.read, STDIN_FILENO);
  ::dup2(out.write, STDOUT_FILENO);
  ::dup2(err.write, STDERR_FILENO);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(127);
  for (const std::string& setting : options.environment) {
    const std::size_t equals = setting.find('=');
    ::setenv(setting.substr(0, equals).c_str(), setting.c_str() + equals + 1, 1);
  }
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

// Reads both streams until they end, and sends the signal when its time has come.
void Drain(pid_t child, const ProcessOptions& options, int out, int err, ProcessResult& result) {
  const auto started = std::chrono::steady_clock::now();
  int signal = options.signal;
  pollfd polls[] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[] = {&result.out, &result.err};
  int open = options.close_out ? 1 : 2;
  if (options.close_out) polls[0].fd = -1;
  while (open > 0) {
    ::poll(polls, 2, 10);
    const auto passed = std::chrono::steady_clock::now() - started;
    if (signal != 0 && passed >= std::chrono::milliseconds(options.signal_after_ms)) {
      ::kill(child, signal);
      signal = 0;
    }
    for (int i = 0; i < 2; ++i) {
      if (polls[i].fd < 0 || polls[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t got = ::read(polls[i].fd, buffer, sizeof buffer);
      if (got > 0) {
        texts[i]->append(buffer, static_cast<std::size_t>(got));
      } else if (got == 0 || errno != EINTR) {
        // A terminal whose other side is gone reports an error instead of an end.
        polls[i].fd = -1;
        --open;
      }
    }
  }
}

}  // namespace

bool HasTerminals() {
  const Pipe terminal = OpenTerminal();
  if (terminal.read < 0) return false;
  ::close(terminal.read);
  ::close(terminal.write);
  return true;
}

ProcessResult RunProcess(const std::vector<std::string>& words, const ProcessOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);
  const Pipe in = MakePipe();
  const Pipe out = MakePipe();
  const Pipe err = options.terminal_err ? MakeTerminal() : MakePipe();
  const pid_t child = ::fork();
  if (child == 0) BecomeChild(words, options, in, out, err);
  ::close(in.read);
  ::close(out.write);
  ::close(err.write);
  if (options.close_out) ::close(out.read);
  // Inputs of tests fit a pipe's buffer.
  if (!options.input.empty() && ::write(in.write, options.input.data(), options.input.size()) < 0) {
    std::abort();
  }
  ::close(in.write);
  ProcessResult result;
  Drain(child, options, out.read, err.read, result);
  if (!options.close_out) ::close(out.read);
  ::close(err.read);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string MoescopePath() { return BinaryFolder() + "/cli/moescope"; }

ProcessResult Moescope(std::vector<std::string> words, const ProcessOptions& options) {
  words.insert(words.begin(), MoescopePath());
  return RunProcess(words, options);
}

}  // namespace moescope::test
