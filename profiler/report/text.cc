#include <algorithm>

#include "absl/strings/str_cat.h"
#include "profiler/report/formats.h"
#include "profiler/report/number_text.h"
#include "profiler/report/summary.h"

namespace moescope::profiler {

std::string TextReport(const Profile& profile, std::size_t width) {
  constexpr std::size_t kIndent = 9;
  std::string text;
  for (const auto& [name, value] : Facts(profile)) {
    std::string first = absl::StrCat(name, ": ");
    first.resize(std::max(first.size(), kIndent), ' ');
    absl::StrAppend(&text, Wrap(value, width, first, std::string(kIndent, ' ')));
  }
  absl::StrAppend(&text, "\n", StageTable(profile).Text(width), "\n");
  absl::StrAppend(&text, Wrap(TotalsText(profile), width), Wrap(CoverageText(profile), width));
  for (const std::string& note : Notes(profile)) {
    absl::StrAppend(&text, Wrap(note, width, "note: ", "      "));
  }
  for (const std::string& entry : NotMeasuredTexts(profile)) {
    absl::StrAppend(&text, Wrap(entry, width, "not measured: ", "      "));
  }
  absl::StrAppend(&text, "\n", Wrap(profile.caveat, width));
  return text;
}

std::string MarkdownReport(const Profile& profile) {
  std::string text = "# Cycle profile\n\n";
  for (const auto& [name, value] : Facts(profile)) {
    absl::StrAppend(&text, "* ", name, ": ", value, "\n");
  }
  absl::StrAppend(&text, "\n", StageTable(profile).Markdown(), "\n");
  absl::StrAppend(&text, TotalsText(profile), ".\n\n", CoverageText(profile), ".\n\n");
  for (const std::string& note : Notes(profile)) absl::StrAppend(&text, "Note: ", note, ".\n\n");
  for (const std::string& entry : NotMeasuredTexts(profile)) {
    absl::StrAppend(&text, "* not measured: ", entry, "\n");
  }
  if (!profile.not_measured.empty()) text += "\n";
  absl::StrAppend(&text, "> ", profile.caveat, "\n");
  return text;
}

}  // namespace moescope::profiler
