#include "base/diagnostic_sarif_json.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace moescope {
namespace {

constexpr Explanation kRules[] = {{"AS001", "unknown mnemonic", "Cause.", "FOO", "Fix."},
                                  {"MS108", "stage changes", "Cause.", "; x", "Fix."}};

Json OnlyRun(const Diagnostic& diagnostic) {
  return Json::parse(DiagnosticsSarif({&diagnostic, 1}, kRules))["runs"][0];
}
Json OnlyResult(const Diagnostic& diagnostic) { return OnlyRun(diagnostic)["results"][0]; }

Diagnostic Located() {
  Diagnostic d;
  d.severity = Severity::kWarning;
  d.id = "MS108";
  d.message = "here";
  d.location = {.file = "dir/a b.asm", .line = 3, .column = 5, .length = 4};
  d.source_line = "    FOO1";
  return d;
}

TEST(DiagnosticSarifTest, AFindingWithEverything) {
  Diagnostic d = Located();
  d.notes = {{"the marker", {.file = "/abs/b.asm", .line = 1}}, {"without a place", {}}};
  EXPECT_EQ(OnlyResult(d), Json::parse(R"({
    "ruleId": "MS108", "ruleIndex": 1, "level": "warning",
    "message": {"text": "here\nnote: without a place"},
    "locations": [{"physicalLocation": {
      "artifactLocation": {"uri": "dir/a%20b.asm"},
      "region": {"startLine": 3, "startColumn": 5, "endColumn": 9, "snippet": {"text": "    FOO1"}}}}],
    "relatedLocations": [{"message": {"text": "the marker"}, "physicalLocation": {
      "artifactLocation": {"uri": "file:///abs/b.asm"}, "region": {"startLine": 1}}}]})"));
}

TEST(DiagnosticSarifTest, PlacesAreGivenAsFarAsTheyAreKnown) {
  Diagnostic d = Located();
  d.source_line.clear();
  d.location.length = 0;
  const auto region = [&] { return OnlyResult(d)["locations"][0]["physicalLocation"]["region"]; };
  EXPECT_EQ(region(), Json::parse(R"({"startLine": 3, "startColumn": 5})"));
  d.location.column = 0;
  EXPECT_EQ(region(), Json::parse(R"({"startLine": 3})"));
  d.location.line = 0;
  EXPECT_FALSE(OnlyResult(d)["locations"][0]["physicalLocation"].contains("region"));
  d.location.file.clear();
  EXPECT_FALSE(OnlyResult(d).contains("locations"));
}

TEST(DiagnosticSarifTest, AFindingWithoutARule) {
  Diagnostic d = Located();
  d.id = "XX001";
  EXPECT_EQ(OnlyResult(d)["ruleId"], "XX001");
  EXPECT_FALSE(OnlyResult(d).contains("ruleIndex"));
  d.id.clear();
  EXPECT_FALSE(OnlyResult(d).contains("ruleId"));
}

TEST(DiagnosticSarifTest, TheRunNamesToolRulesAndColumns) {
  const Json run = OnlyRun(Located());
  EXPECT_EQ(run["tool"]["driver"]["name"], "moescope");
  EXPECT_EQ(run["tool"]["driver"]["rules"][0], Json::parse(R"({
    "id": "AS001", "shortDescription": {"text": "unknown mnemonic"},
    "fullDescription": {"text": "Cause."}, "help": {"text": "Fix."}})"));
  EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
  EXPECT_EQ(Json::parse(DiagnosticsSarif({}, {}))["runs"][0]["results"], Json::array());
}

TEST(DiagnosticSarifTest, EveryByteOfAPathIsEncoded) {
  Diagnostic d = Located();
  d.location.file = "a#b?c%d\xff\"e:f";
  EXPECT_EQ(OnlyResult(d)["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "a%23b%3Fc%25d%FF%22e%3Af");
}

}  // namespace
}  // namespace moescope
