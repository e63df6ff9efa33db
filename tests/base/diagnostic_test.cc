#include "base/diagnostic.h"

#include <gtest/gtest.h>

#include <string>

namespace moescope {
namespace {

Diagnostic Example() {
  return {.severity = Severity::kError,
          .id = "AS008",
          .message = "immediate 262144 does not fit in 18 bits (range 0..262143)",
          .location = {"moe.asm", 12, 22, 6},
          .source_line = "S_ADDI_INT gp1, gp0, 262144",
          .notes = {{"split it", {"moe.asm", 12, 22, 0}}, {"no place", {}}}};
}

TEST(DiagnosticTest, RendersPlaceSourceCaretAndNotes) {
  EXPECT_EQ(RenderText(Example()),
            "moe.asm:12:22: error: immediate 262144 does not fit in 18 bits (range 0..262143) "
            "[AS008]\n"
            "   12 | S_ADDI_INT gp1, gp0, 262144\n"
            "      |                      ^~~~~~\n"
            "moe.asm:12:22: note: split it\n"
            "note: no place\n");
}

TEST(DiagnosticTest, LeavesOutWhatIsNotKnown) {
  Diagnostic d;
  d.message = "cannot open 'x'";
  EXPECT_EQ(RenderText(d), "error: cannot open 'x'\n");
  d.location.file = "x";
  d.severity = Severity::kWarning;
  EXPECT_EQ(RenderText(d), "x: warning: cannot open 'x'\n");
  d.location.line = 3;
  d.source_line = "text";
  EXPECT_EQ(RenderText(d), "x:3: warning: cannot open 'x'\n") << "no column, no caret";
}

TEST(DiagnosticTest, CaretCountsCodePointsAndRepeatsTabs) {
  Diagnostic d = Example();
  d.notes.clear();
  d.source_line = "\t\xC3\xA4 bad";
  d.location.column = 4;
  d.location.length = 3;
  EXPECT_NE(RenderText(d).find("\n      | \t  ^~~\n"), std::string::npos) << RenderText(d);
}

TEST(DiagnosticTest, CaretBehindTheLineEnd) {
  Diagnostic d = Example();
  d.notes.clear();
  d.source_line = "ab";
  d.location.column = 9;
  d.location.length = 0;
  EXPECT_NE(RenderText(d).find("\n      |   ^\n"), std::string::npos) << RenderText(d);
}

TEST(DiagnosticTest, StatusCarriesTheDiagnostics) {
  Diagnostic second = Example();
  second.severity = Severity::kNote;
  second.message = std::string("with : colons\nand lines, and a \0 byte", 37);
  const absl::Status status = ToStatus(std::vector<Diagnostic>{Example(), second});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(DiagnosticsOf(status), (std::vector<Diagnostic>{Example(), second}));
  EXPECT_EQ(std::string(status.message()) + "\n", RenderText(Example()) + RenderText(second));
}

TEST(DiagnosticTest, AnyOtherStatusIsOneDiagnosticWithoutPlace) {
  EXPECT_TRUE(DiagnosticsOf(absl::OkStatus()).empty());
  const std::vector<Diagnostic> plain = DiagnosticsOf(absl::NotFoundError("gone"));
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_EQ(plain[0].message, "gone");
  EXPECT_EQ(plain[0].location, SourceLocation{});
}

TEST(DiagnosticTest, LocationText) {
  EXPECT_EQ(ToString(SourceLocation{}), "");
  EXPECT_EQ(ToString(SourceLocation{"a", 0, 7, 0}), "a");
  EXPECT_EQ(ToString(SourceLocation{"a", 2, 0, 0}), "a:2");
  EXPECT_EQ(ToString(SourceLocation{"a", 2, 3, 9}), "a:2:3");
}

}  // namespace
}  // namespace moescope
