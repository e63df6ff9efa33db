#pragma once

#include <string>
#include <string_view>

namespace moescope {

// What `moescope explain ID` says about one diagnostic, fault or rule. Each folder keeps a table of
// the IDs it can report. All texts are sentences; `example` is what causes the finding (lines of
// input), `fix` says what to do about it.
struct Explanation {
  std::string_view id;
  std::string_view title;
  std::string_view cause;
  std::string_view example;
  std::string_view fix;
};

// The page as text: the ID and title, then cause, example (indented) and fix under headings. Ends
// with a newline.
std::string RenderExplanation(const Explanation& explanation);

}  // namespace moescope
