// The schemas that are shipped for files of the command: run manifests and diagnostics.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/diagnostic_json.h"
#include "base/file.h"
#include "cli/session/run_manifest.h"
#include "nlohmann/json.hpp"
#include "tests/support/outside_validator.h"
#include "tests/support/shared_folder.h"

namespace moescope::session {
namespace {

using Document = nlohmann::json;
using test::OutsideValidator;

constexpr char kRunSchema[] = "cli/schema/run-v1.schema.json";
constexpr char kDiagnosticsSchema[] = "cli/schema/diagnostics-v1.schema.json";

std::string Manifest(std::string_view members) {
  return absl::StrCat("{\"schema\": \"moescope.run\", \"schema_version\": 1",
                      members.empty() ? "" : ", ", std::string(members), "}");
}

// Manifests that both the reader and the schema accept.
const char* const kGood[] = {
    "",
    R"("program": {"file": "a.asm"})",
    R"("program": {"file": "-", "stage_vocabulary": ["decoder", "v.toml"], "stage_errors": "warn",
       "stages": "s.json", "isa": "isa.json", "force_isa": true, "include": ["inc"], "define": {"N": 4, "M": "N*2", "T": true}})",
    R"("machine": {"file": "rtl-8", "set": {"MLEN": 64, "bmm_scale": 0.5, "x": "y", "z": false},
       "timing": "serial", "dialect": {"masked_reduction": "reference"}, "strict_encoding": true,
       "allow_unknown_keys": false, "settings_fallback": "defaults"})",
    R"("machine": {"dialect": "reference"})",
    R"("images": {"hbm": {"file": "h.bin", "offset": "1K"}, "vram": "v", "fpsram": {"file": "f"},
       "intsram": "i", "fpsram_format": "bf16", "hbm_size": "16G"})",
    R"("limits": {"max_cycles": 5, "max_instructions": "0xFF_FF", "timeout": 1.5})",
    R"("limits": {"timeout": "0.125"})",
    R"("outputs": {"profile": "p", "dumps": ["vram", "mram", "fpsram", "intsram", "hbm",
       "registers"], "dump_ranges": ["vram:0..3", "hbm:7"], "dump_dir": "d", "sparse": true,
       "expect_report": "r.xml", "host_stats": false, "pc_table": "pc.csv"})",
    R"("outputs": {"trace": "t.json.gz", "trace_max_events": 5, "trace_max_bytes": "1M",
       "trace_window": "5..7", "commit_log": "c.log", "commit_log_filter": "stage=g*;pc=1..2",
       "commit_log_values": "full"})",
    R"("outputs": {"trace_window": "stage=gather", "commit_log_filter": "pc=3;group=VAL;"})",
    R"("expect": {"end": "fault", "cycles": 1, "instructions": "2K", "static_instructions": 3,
       "hbm_read_logical_bytes": 0, "hbm_read_physical_bytes": 0, "hbm_write_logical_bytes": 0,
       "hbm_write_physical_bytes": 0})",
    R"("expect": {"stages": {"gather": {"cycles": 1, "calls": 2}, "mine": {}},
       "sha256": {"vram": "sha256:00"}})",
    R"("expect": {"memory": [{"space": "intsram", "address": "0x10", "values": [1, -2.5]},
       {"space": "vram", "matrix": {"base": 0, "rows": 1, "columns": 2, "physical_rows": 3},
        "file": "g.f32", "compare": "exact"},
       {"space": "hbm", "file": "b", "compare": {"ulp": 3}},
       {"space": "fpsram", "values": [1], "compare": {"rel_rms": "0.5%"}},
       {"space": "mram", "values": [1], "compare": {"absolute": 1, "relative": 0.5}},
       {"space": "mram", "values": [1], "compare": {"relative": 0}}]})",
    R"("labels": {"a": "b"}, "hot": 7, "sanitize": true, "require_coverage": "derived",
       "max_unattributed": "0.5%")",
};

// Manifests that neither accepts.
const char* const kBad[] = {
    R"("progam": {})",
    R"("program": [])",
    R"("program": {"file": 3})",
    R"("program": {"stage_errors": "loud"})",
    R"("program": {"stage_vocabulary": "decoder"})",
    R"("program": {"define": {"N": null}})",
    R"("program": {"defines": {}})",
    R"("machine": {"set": {"MLEN": [64]}})",
    R"("machine": {"dialect": "ours"})",
    R"("machine": {"strict_encoding": 1})",
    R"("machine": {"settings_fallback": "zero"})",
    R"("images": {"hbm": 3})",
    R"("images": {"hbm": {"offset": 3}})",
    R"("images": {"vram": {"file": "v", "offset": 3}})",
    R"("images": {"fpsram_format": "f32"})",
    R"("images": {"hbm_size": "big"})",
    R"("limits": {"max_cycles": -1})",
    R"("limits": {"max_cycles": 1.5})",
    R"("limits": {"max_cycles": "1__0"})",
    R"("limits": {"timeout": -1})",
    R"("limits": {"timeout": "1s"})",
    R"("limits": {"cycles": 1})",
    R"("outputs": {"dumps": ["vrma"]})",
    R"("outputs": {"dumps": "vram"})",
    R"("outputs": {"dump_ranges": ["vram"]})",
    R"("outputs": {"dump_ranges": ["registers:0"]})",
    R"("outputs": {"sparse": "yes"})",
    R"("outputs": {"trace": true})",
    R"("outputs": {"trace_max_events": "many"})",
    R"("outputs": {"trace_window": "5-7"})",
    R"("outputs": {"trace_window": "stage="})",
    R"("outputs": {"commit_log_filter": "pc=a"})",
    R"("outputs": {"commit_log_filter": "stge=gather"})",
    R"("outputs": {"commit_log_values": "some"})",
    R"("expect": {"end": "stop"})",
    R"("expect": {"calls": 1})",
    R"("expect": {"stages": {"gather": 3}})",
    R"("expect": {"stages": {"gather": {"bytes": 3}}})",
    R"("expect": {"memory": {}})",
    R"("expect": {"memory": [{"values": [1]}]})",
    R"("expect": {"memory": [{"space": "ram", "values": [1]}]})",
    R"("expect": {"memory": [{"space": "vram"}]})",
    R"("expect": {"memory": [{"space": "vram", "values": [1], "file": "f"}]})",
    R"("expect": {"memory": [{"space": "hbm", "matrix": {"base": 0, "rows": 1, "columns": 1},
       "values": [1]}]})",
    R"("expect": {"memory": [{"space": "vram", "matrix": {"rows": 1, "columns": 1},
       "values": [1]}]})",
    R"("expect": {"memory": [{"space": "vram", "values": ["1"]}]})",
    R"("expect": {"memory": [{"space": "vram", "values": [1], "compare": "close"}]})",
    R"("expect": {"memory": [{"space": "vram", "values": [1], "compare": {}}]})",
    R"("expect": {"memory": [{"space": "vram", "values": [1], "compare": {"ulp": 1,
       "rel_rms": "1%"}}]})",
    R"("expect": {"memory": [{"space": "vram", "values": [1], "compare": {"rel_rms": "1"}}]})",
    R"("expect": {"memory": [{"space": "vram", "values": [1], "compare": {"absolute": -1}}]})",
    R"("expect": {"sha256": {"registers": "sha256:00"}})",
    R"("expect": {"sha256": {"vram": 3}})",
    R"("labels": {"a": 1})",
    R"("hot": "few")",
    R"("sanitize": "true")",
    R"("require_coverage": "unsupported")",
    R"("max_unattributed": "5")",
    R"("max_unattributed": 5)",
};

TEST(RunSchemaTest, TheReaderAcceptsAndRefusesTheSameManifests) {
  for (const char* members : kGood) {
    const auto request = ParseManifest(Manifest(members), "run.json");
    EXPECT_TRUE(request.ok()) << members << "\n" << request.status();
  }
  for (const char* members : kBad) {
    EXPECT_FALSE(ParseManifest(Manifest(members), "run.json").ok()) << members;
  }
}

TEST(RunSchemaTest, AnOutsideValidatorAgrees) {
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  OutsideValidator validator("run_manifest");
  for (const char* members : kGood) validator.AddGood(Manifest(members));
  for (const char* members : kBad) validator.AddBad(Manifest(members));
  validator.AddBad("[]");
  validator.AddBad("{}");
  validator.AddBad(R"({"schema": "moescope.run"})");
  validator.AddBad(R"({"schema": "moescope.run", "schema_version": 2})");
  validator.AddBad(R"({"schema": "moescope.profile", "schema_version": 1})");
  for (const char* example : {"01_moe_layer"}) {
    const auto text =
        ReadFile(absl::StrCat(test::SourceFolder(), "/examples/", example, "/run.json"));
    ASSERT_TRUE(text.ok());
    validator.AddGood(*text);
  }
  EXPECT_TRUE(validator.Agrees(kRunSchema));
}

// Every key of the schema is known to the reader, and the reader's own list of keys (which its
// message about an unknown key draws on) is the schema's.
TEST(RunSchemaTest, HasTheKeysOfTheReader) {
  const auto text = ReadFile(absl::StrCat(test::SourceFolder(), "/", kRunSchema));
  ASSERT_TRUE(text.ok());
  const Document schema = Document::parse(*text);
  const auto check = [](const std::string& key, const std::string& manifest) {
    const auto request = ParseManifest(manifest, "run.json");
    if (request.ok()) return;
    EXPECT_EQ(std::string(request.status().message()).find("unknown key"), std::string::npos)
        << key << ": " << request.status();
  };
  for (const auto& [section, rules] : schema["properties"].items()) {
    if (section == "schema" || section == "schema_version") continue;
    check(section, Manifest(absl::StrCat("\"", section, "\": null")));
    if (!rules.contains("properties")) continue;
    for (const auto& [key, unused] : rules["properties"].items()) {
      check(absl::StrCat(section, ".", key),
            Manifest(absl::StrCat("\"", section, "\": {\"", key, "\": null}")));
    }
  }
}

Diagnostic Finding(Severity severity, const std::string& id) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.id = id;
  diagnostic.message = "something";
  return diagnostic;
}

TEST(DiagnosticsSchemaTest, AnOutsideValidatorAgrees) {
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  OutsideValidator validator("diagnostics");
  validator.AddGood(DiagnosticsJson({}));
  std::vector<Diagnostic> findings = {Finding(Severity::kError, "AS001"),
                                      Finding(Severity::kWarning, ""),
                                      Finding(Severity::kNote, "PV01")};
  findings[1].location = {.file = "a.asm", .line = 3};
  findings[2].location = {.file = "a.asm", .line = 3, .column = 4, .length = 5};
  findings[2].source_line = "x";
  findings[2].notes = {{"a note", {}}, {"another", {.file = "b", .line = 1, .column = 2}}};
  validator.AddGood(DiagnosticsJson(findings));

  const std::string good = DiagnosticsJson(findings);
  const std::pair<const char*, const char*> kChanges[] = {
      {"\"schema_version\": 1", "\"schema_version\": 2"},
      {"moescope.diagnostics", "moescope.findings"},
      {"\"error\"", "\"fatal\""},
      {"\"AS001\"", "\"AS1\""},
      {"\"column\": 4", "\"column\": 0"},
      {"\"line\": 3,\n      \"column\"", "\"lines\": 3,\n      \"column\""},
      {"\"message\": \"a note\"", "\"massage\": \"a note\""},
      {"\"notes\": []", "\"notes\": {}"},
  };
  for (const auto& [from, to] : kChanges) {
    std::string bad = good;
    const std::size_t at = bad.find(from);
    ASSERT_NE(at, std::string::npos) << from << "\n" << good;
    bad.replace(at, std::string(from).size(), to);
    validator.AddBad(bad);
  }
  EXPECT_TRUE(validator.Agrees(kDiagnosticsSchema));
}

}  // namespace
}  // namespace moescope::session
