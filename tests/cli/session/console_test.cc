#include "cli/session/console.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "base/diagnostic_json.h"
#include "base/diagnostic_sarif_json.h"
#include "cli/session/exit_code.h"
#include "cli/session/explanations.h"
#include "tests/support/captured_console.h"

namespace moescope::session {
namespace {

using test::CapturedConsole;

Diagnostic Finding(Severity severity) {
  return {.severity = severity,
          .id = "AS008",
          .message = "value 5, 100%: too large",
          .location = {.file = "a,b.asm", .line = 3, .column = 7, .length = 2},
          .source_line = "S_ADDI_INT gp1",
          .notes = {{"split it", {.file = "a,b.asm", .line = 4}}}};
}

TEST(ConsoleTest, QuietHidesNotesAndTwiceHidesErrors) {
  struct Case {
    int quiet;
    const char* err;
  };
  for (const Case& c : {Case{0, "note\nerror\n"}, Case{1, "error\n"}, Case{2, ""}}) {
    CapturedConsole captured;
    captured.console.set_quiet(c.quiet);
    captured.console.Out("data\n");
    captured.console.Note("note\n");
    captured.console.Error("error\n");
    EXPECT_EQ(captured.out, "data\n");
    EXPECT_EQ(captured.err, c.err);
  }
}

TEST(ConsoleTest, ReportsBySeverity) {
  const Diagnostic findings[] = {Finding(Severity::kError), Finding(Severity::kWarning),
                                 Finding(Severity::kNote)};
  const std::string texts[] = {RenderText(findings[0]), RenderText(findings[1]),
                               RenderText(findings[2])};
  const std::string expected[] = {texts[0] + texts[1] + texts[2], texts[0], ""};
  for (int quiet = 0; quiet < 3; ++quiet) {
    CapturedConsole captured;
    captured.console.set_quiet(quiet);
    captured.console.Report(findings);
    EXPECT_EQ(captured.err, expected[quiet]);
  }
}

TEST(ConsoleTest, AStatusWithoutPlaceIsOneLine) {
  CapturedConsole captured;
  captured.console.Error(absl::NotFoundError("cannot open 'x': No such file or directory"));
  EXPECT_EQ(captured.err, "moescope: cannot open 'x': No such file or directory\n");
}

TEST(ConsoleTest, AStatusWithPlacesIsItsFindings) {
  CapturedConsole captured;
  const Diagnostic finding = Finding(Severity::kError);
  captured.console.Error(ToStatus(finding));
  EXPECT_EQ(captured.err, RenderText(finding));
}

TEST(ConsoleTest, ColourMarksTheSeverityOnly) {
  const Diagnostic finding = Finding(Severity::kError);
  const std::string plain = RenderFindings({&finding, 1}, false);
  std::string coloured = RenderFindings({&finding, 1}, true);
  const std::string mark = "\033[1;31merror:\033[0m";
  const std::size_t at = coloured.find(mark);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(coloured.replace(at, mark.size(), "error:"), plain);
}

TEST(ConsoleTest, OtherFormatsHoldTheSameFindings) {
  const Diagnostic findings[] = {Finding(Severity::kError), Finding(Severity::kNote)};
  CapturedConsole json, sarif, github;
  json.console.set_diagnostics_format(DiagnosticsFormat::kJson);
  github.console.set_diagnostics_format(DiagnosticsFormat::kGithub);
  json.console.Report(findings);
  sarif.console.set_diagnostics_format(DiagnosticsFormat::kSarif);
  sarif.console.Report(findings);
  github.console.Report(findings);
  EXPECT_EQ(json.err, DiagnosticsJson(findings));
  const std::string_view ids[] = {findings[0].id, findings[1].id};
  EXPECT_EQ(sarif.err, DiagnosticsSarif(findings, ExplanationsOf(ids)));
  EXPECT_EQ(github.err, DiagnosticsGithub(findings));
  github.err.clear();
  github.console.set_quiet(1);
  github.console.Report(findings);
  EXPECT_EQ(github.err, DiagnosticsGithub({findings, 1}));
}

TEST(ConsoleTest, JsonSurvivesBytesThatAreNotUtf8) {
  CapturedConsole captured;
  captured.console.set_diagnostics_format(DiagnosticsFormat::kJson);
  captured.console.Error(absl::InvalidArgumentError("bad \xff byte"));
  EXPECT_NE(captured.err.find("bad \xEF\xBF\xBD byte"), std::string::npos);
}

TEST(ColourTest, AutoFollowsTerminalAndEnvironment) {
  EXPECT_TRUE(UseColour("always", STDERR_FILENO));
  EXPECT_FALSE(UseColour("never", STDERR_FILENO));
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  EXPECT_FALSE(UseColour("auto", pipe_ends[1]));
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) GTEST_SKIP() << "no pseudo terminal here";
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "xterm", 1);
  EXPECT_TRUE(UseColour("auto", terminal));
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(UseColour("auto", terminal));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(UseColour("auto", terminal));
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(UseColour("auto", terminal));
}

}  // namespace
}  // namespace moescope::session
