#include "cli/session/interrupt.h"

#include <time.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/check.h"

namespace moescope::session {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGUSR1};
constexpr long kForceSeconds = 2;

std::atomic<int> interrupt{0};
std::atomic<long> interrupt_second{0};
std::atomic<bool> progress_wish{false};
std::atomic<bool> installed{false};
std::array<struct sigaction, std::size(kSignals)> previous;

long MonotonicSecond() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<long>(now.tv_sec);
}

// Only what POSIX allows in a signal handler.
void OnSignal(int signal) {
  if (signal == SIGUSR1) {
    progress_wish = true;
    return;
  }
  const long second = MonotonicSecond();
  if (interrupt != 0 && second - interrupt_second <= kForceSeconds) ::_exit(128 + signal);
  interrupt_second = second;
  interrupt = signal;
}

}  // namespace

SignalWatch::SignalWatch() {
  CHECK(!installed.exchange(true));
  interrupt = 0;
  progress_wish = false;
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], &action, &previous[i]);
  }
}

SignalWatch::~SignalWatch() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], &previous[i], nullptr);
  }
  installed = false;
}

const std::atomic<int>& SignalWatch::Interrupt() { return interrupt; }
bool SignalWatch::TakeProgressWish() { return progress_wish.exchange(false); }

}  // namespace moescope::session
