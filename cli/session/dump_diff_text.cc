#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/string_view.h"
#include "cli/session/dump_diff.h"

namespace moescope::session {

namespace {

// Whether elements have values that can be subtracted.
bool IsNumeric(std::string_view element) {
  return element == "bf16" || element == "f32" || element == "u32";
}

std::string Summary(const DumpDifference& file) {
  std::string text;
  if (file.bytes_a != file.bytes_b) {
    text = absl::StrCat(file.bytes_a, " bytes in A, ", file.bytes_b, " in B");
  }
  if (file.differing == 0) {
    return text.empty() ? absl::StrCat("equal (", file.bytes_a, " bytes)") : text;
  }
  const char* noun = file.shape.element == "json" ? " lines" : " elements";
  absl::StrAppend(&text, text.empty() ? "" : "; ", file.differing, " of ", file.elements, noun,
                  " differ, first in ", file.place, ": A ", file.a, ", B ", file.b);
  if (IsNumeric(file.shape.element)) {
    absl::StrAppend(&text, absl::StrFormat("; largest difference %g", file.largest));
  }
  return text;
}

std::string OnlyIn(const std::pair<std::string, char>& one) {
  return absl::StrCat("only in ", std::string(1, one.second));
}

}  // namespace

std::string DumpDiffText(const DumpDiff& diff) {
  std::string text = absl::StrCat("A: ", diff.a, "\nB: ", diff.b, "\n");
  for (const DumpDifference& file : diff.files) {
    absl::StrAppend(&text, file.shape.name, ": ", Summary(file), "\n");
  }
  for (const auto& one : diff.one_sided) {
    absl::StrAppend(&text, one.first, ": ", OnlyIn(one), "\n");
  }
  return text + (diff.is_equal() ? "equal\n" : "different\n");
}

std::string DumpDiffMarkdown(const DumpDiff& diff) {
  std::string text =
      absl::StrCat("## Dump difference: ", diff.is_equal() ? "equal" : "different",
                   "\n\n* A: ", diff.a, "\n* B: ", diff.b, "\n\n| file | result |\n|---|---|\n");
  for (const DumpDifference& file : diff.files) {
    absl::StrAppend(&text, "| ", file.shape.name, " | ", Summary(file), " |\n");
  }
  for (const auto& one : diff.one_sided) {
    absl::StrAppend(&text, "| ", one.first, " | ", OnlyIn(one), " |\n");
  }
  return text;
}

}  // namespace moescope::session
