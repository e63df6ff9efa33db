#include "base/diagnostic_json.h"

#include <gtest/gtest.h>

#include "base/explanation.h"

namespace moescope {
namespace {

Diagnostic Example() {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::kError;
  diagnostic.id = "AS008";
  diagnostic.message = "100% too\nlarge";
  diagnostic.location = {"a,b:c.asm", 3, 5, 4};
  diagnostic.source_line = "x \"y\"\xFF";
  diagnostic.notes = {{"split it", {"a.asm", 3, 5, 4}}, {"somewhere", {}}};
  return diagnostic;
}

TEST(DiagnosticJsonTest, EveryField) {
  const Diagnostic example = Example();
  EXPECT_EQ(DiagnosticsJson({&example, 1}), R"({
  "schema": "moescope.diagnostics",
  "schema_version": 1,
  "diagnostics": [
    {
      "id": "AS008",
      "severity": "error",
      "message": "100% too\nlarge",
      "file": "a,b:c.asm",
      "line": 3,
      "column": 5,
      "length": 4,
      "source_line": "x \"y\")"
                                            "\xEF\xBF\xBD"
                                            R"(",
      "notes": [
        {
          "message": "split it",
          "file": "a.asm",
          "line": 3,
          "column": 5,
          "length": 4
        },
        {
          "message": "somewhere"
        }
      ]
    }
  ]
}
)");
}

TEST(DiagnosticJsonTest, UnknownPlacesAreAbsent) {
  Diagnostic plain;
  plain.severity = Severity::kNote;
  plain.message = "only a text";
  EXPECT_EQ(DiagnosticsJson({&plain, 1}), R"({
  "schema": "moescope.diagnostics",
  "schema_version": 1,
  "diagnostics": [
    {
      "severity": "note",
      "message": "only a text",
      "notes": []
    }
  ]
}
)");
  EXPECT_EQ(DiagnosticsJson({}),
            "{\n  \"schema\": \"moescope.diagnostics\",\n  \"schema_version\": 1,\n"
            "  \"diagnostics\": []\n}\n");
}

TEST(DiagnosticGithubTest, EscapesTextAndProperties) {
  const Diagnostic example = Example();
  EXPECT_EQ(DiagnosticsGithub({&example, 1}),
            "::error file=a%2Cb%3Ac.asm,line=3,col=5,endColumn=9,title=AS008::100%25 too%0Alarge"
            "%0Aa.asm:3:5: note: split it%0Anote: somewhere\n");
}

TEST(DiagnosticGithubTest, SeveritiesAndUnknownPlaces) {
  Diagnostic plain;
  plain.message = "text";
  std::vector<Diagnostic> all(3, plain);
  all[0].severity = Severity::kNote;
  all[1].severity = Severity::kWarning;
  all[1].location.file = "a.asm";
  EXPECT_EQ(DiagnosticsGithub(all), "::notice::text\n::warning file=a.asm::text\n::error::text\n");
}

TEST(ExplanationTest, Page) {
  EXPECT_EQ(RenderExplanation({"AS001", "Unknown mnemonic", "No such name.", "NOP\nFOO", "Do."}),
            "AS001: Unknown mnemonic\n\nCause:\n    No such name.\n\nExample:\n    NOP\n    FOO\n\n"
            "Fix:\n    Do.\n");
}

}  // namespace
}  // namespace moescope
