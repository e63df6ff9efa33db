#include "base/check.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace moescope {

namespace {

constexpr int kInternalErrorExitCode = 70;

struct FailureContext {
  std::mutex mutex;
  std::string lines;
};

// Never destroyed, so that a check in a destructor at exit still finds it.
FailureContext& Context() {
  static auto& context = *new FailureContext;
  return context;
}

}  // namespace

void AddFailureContext(std::string_view line) {
  FailureContext& context = Context();
  const std::lock_guard lock(context.mutex);
  context.lines.append("  ").append(line).append("\n");
}

void CheckFailed(const char* condition, const char* file, int line, const char* explanation) {
  std::fprintf(stderr,
               "moescope: internal error at %s:%d: %s%s%s\n"
               "This is a defect of moescope. Please report it with the command line and the "
               "inputs.\n",
               file, line, condition, *explanation ? ": " : "", explanation);
  FailureContext& context = Context();
  // Another thread may have failed while it held the lock; then the lines are left out.
  if (context.mutex.try_lock()) std::fputs(context.lines.c_str(), stderr);
  std::fflush(stderr);
  std::_Exit(kInternalErrorExitCode);
}

}  // namespace moescope
