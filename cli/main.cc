#include <csignal>
#include <string>
#include <vector>

#include "cli/dispatch.h"

int main(int argc, char** argv) {
  // A reader of our output that goes away must not end the process: other outputs are completed.
  std::signal(SIGPIPE, SIG_IGN);
  moescope::session::Console console = moescope::session::Console::Standard();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return static_cast<int>(moescope::cli::Dispatch(moescope::cli::Commands(), words, console));
}
