#include <csignal>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/string_view.h"
#include "cli/dispatch.h"
#include "cli/version.h"

int main(int argc, char** argv) {
  using namespace moescope;
  // A reader of our output that goes away must not end the process: other outputs are completed.
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  AddFailureContext(
      absl::StrCat("moescope ", Absl(cli::Version()), ", commit ", Absl(cli::Commit())));
  AddFailureContext(absl::StrCat("command line: moescope ", absl::StrJoin(words, " ")));
  session::Console console = session::Console::Standard();
  return static_cast<int>(cli::Dispatch(cli::Commands(), words, console));
}
