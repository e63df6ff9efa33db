#include "base/explanation.h"

#include "absl/strings/str_cat.h"
#include "base/string_view.h"

namespace moescope {

namespace {

std::string Indented(std::string_view text) {
  std::string out = "    ";
  for (const char c : text) absl::StrAppend(&out, std::string(1, c), c == '\n' ? "    " : "");
  return out;
}

}  // namespace

std::string RenderExplanation(const Explanation& explanation) {
  return absl::StrCat(Absl(explanation.id), ": ", Absl(explanation.title), "\n\nCause:\n",
                      Indented(explanation.cause), "\n\nExample:\n", Indented(explanation.example),
                      "\n\nFix:\n", Indented(explanation.fix), "\n");
}

}  // namespace moescope
