#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace moescope {

namespace {
constexpr int kInternalErrorExitCode = 70;
}  // namespace

void CheckFailed(const char* condition, const char* file, int line, const char* explanation) {
  std::fprintf(
      stderr,
      "moescope: internal error at %s:%d: %s%s%s\n"
      "This is a defect of moescope. Please report it with the command line and the inputs.\n",
      file, line, condition, *explanation ? ": " : "", explanation);
  std::fflush(stderr);
  std::_Exit(kInternalErrorExitCode);
}

}  // namespace moescope
