#include "cli/session/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/diagnostic_json.h"
#include "base/diagnostic_sarif_json.h"
#include "base/string_view.h"
#include "cli/session/explanations.h"

namespace moescope::session {

namespace {

void WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    // A stream that takes no more bytes has no one to complain to.
    if (written < 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string_view ColourOf(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "\033[1;31m";
    case Severity::kWarning:
      return "\033[1;35m";
    case Severity::kNote:
      break;
  }
  return "\033[1;36m";
}

// The first "error:" and so on of a rendered finding, in colour.
std::string Highlight(std::string text, Severity severity) {
  const std::string word = absl::StrCat(Absl(SeverityName(severity)), ":");
  const std::size_t at = text.find(word);
  if (at == std::string::npos) return text;
  return text.replace(at, word.size(), absl::StrCat(Absl(ColourOf(severity)), word, "\033[0m"));
}

std::vector<std::string_view> IdsOf(std::span<const Diagnostic> diagnostics) {
  std::vector<std::string_view> ids;
  for (const Diagnostic& diagnostic : diagnostics) ids.push_back(diagnostic.id);
  return ids;
}

}  // namespace

Console Console::Standard() {
  return Console([](std::string_view text) { WriteAll(STDOUT_FILENO, text); },
                 [](std::string_view text) { WriteAll(STDERR_FILENO, text); });
}

Console Console::WithSinks(Sink out, Sink err) const {
  Console copy = *this;
  copy.out_ = std::move(out);
  copy.err_ = std::move(err);
  return copy;
}

void Console::Note(std::string_view text) const {
  if (quiet_ == 0) err_(text);
}

void Console::Error(std::string_view text) const {
  if (quiet_ < 2) err_(text);
}

void Console::Error(const absl::Status& status) const {
  const std::vector<Diagnostic> diagnostics = DiagnosticsOf(status);
  const bool located = !diagnostics.empty() &&
                       (!diagnostics.front().id.empty() || diagnostics.front().location.line > 0);
  if (located || format_ != DiagnosticsFormat::kText) return Report(diagnostics);
  Error(absl::StrCat("moescope: ", status.message(), "\n"));
}

void Console::Report(std::span<const Diagnostic> diagnostics) const {
  std::vector<Diagnostic> shown;
  for (const Diagnostic& diagnostic : diagnostics) {
    const int hidden_from = diagnostic.severity == Severity::kError ? 2 : 1;
    if (quiet_ < hidden_from) shown.push_back(diagnostic);
  }
  if (shown.empty()) return;
  switch (format_) {
    case DiagnosticsFormat::kText:
      return err_(RenderFindings(shown, colour_err_));
    case DiagnosticsFormat::kJson:
      return err_(DiagnosticsJson(shown));
    case DiagnosticsFormat::kSarif:
      return err_(DiagnosticsSarif(shown, ExplanationsOf(IdsOf(shown))));
    case DiagnosticsFormat::kGithub:
      return err_(DiagnosticsGithub(shown));
  }
}

bool UseColour(std::string_view choice, int descriptor) {
  if (choice != "auto") return choice == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

int TextWidth(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col < 40) return kTextWidth;
  return std::min<int>(size.ws_col, kTextWidth);
}

std::string RenderFindings(std::span<const Diagnostic> diagnostics, bool colour) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    const std::string rendered = RenderText(diagnostic);
    text += colour ? Highlight(rendered, diagnostic.severity) : rendered;
  }
  return text;
}

}  // namespace moescope::session
