#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace moescope::assembler {

// A range of bytes of one line.
struct Span {
  std::size_t begin = 0;
  std::size_t length = 0;

  std::size_t end() const { return begin + length; }
  friend bool operator==(const Span&, const Span&) = default;
};

// What is wrong with a statement: the part of its line to mark, a stable ID (isa.md, 3.4) and
// texts.
struct Problem {
  std::string_view id;
  std::string message;
  Span span;
  std::vector<std::string> hints;  // become notes at the same place
  // Gives "; did you mean ...?" for the end of the message. Looking for near names takes time, so
  // it happens only when the problem is shown; called before the line is left.
  std::function<std::string()> suggestion;
};

}  // namespace moescope::assembler
