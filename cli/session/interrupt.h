#pragma once

#include <atomic>

namespace moescope::session {

// Catches SIGINT, SIGTERM and SIGUSR1 while it lives; at most one at a time. The first of SIGINT
// and SIGTERM only sets a flag, so that a run can write what it has; a second one within two
// seconds ends the process at once.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // The number of the signal; 0 = none.
  static const std::atomic<int>& Interrupt();
  // Whether SIGUSR1 came since the last call.
  static bool TakeProgressWish();
};

}  // namespace moescope::session
