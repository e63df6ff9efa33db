#pragma once

#include <string>

#include "cli/session/console.h"

namespace moescope::test {

// A console that keeps what was printed.
struct CapturedConsole {
  std::string out;
  std::string err;
  session::Console console{[this](std::string_view text) { out += text; },
                           [this](std::string_view text) { err += text; }};
  CapturedConsole() = default;
  CapturedConsole(const CapturedConsole&) = delete;
  CapturedConsole& operator=(const CapturedConsole&) = delete;
};

}  // namespace moescope::test
