#include "cli/session/run_manifest.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "cli/session/json_reader.h"
#include "cli/session/number.h"
#include "emulator/dumps.h"

namespace moescope::session {

namespace {

constexpr std::string_view kMemories = "vram|mram|fpsram|intsram|hbm";
constexpr std::string_view kDumps = "vram|mram|fpsram|intsram|hbm|registers";
constexpr std::string_view kEnds =
    "end|break|fault|max_cycles|max_instructions|timeout|interrupt|deadlock";
constexpr std::size_t kMaximumRows = std::size_t{1} << 24;

bool Contains(std::string_view names, std::string_view name) {
  const std::vector<absl::string_view> all = absl::StrSplit(Absl(names), '|');
  return std::find(all.begin(), all.end(), Absl(name)) != all.end();
}

std::string OneOf(std::string_view names, std::string_view name) {
  const std::vector<std::string> all = absl::StrSplit(Absl(names), '|');
  const std::vector<std::string_view> candidates(all.begin(), all.end());
  return absl::StrCat("allowed: ", absl::StrJoin(all, ", "), DidYouMean(name, candidates));
}

class ManifestReader {
 public:
  ManifestReader(std::string_view text, const std::string& path) : findings_(path, text) {
    const std::size_t slash = path.rfind('/');
    if (slash != std::string::npos) folder_ = path.substr(0, slash + 1);
  }

  absl::StatusOr<RunRequest> Read(const JsonValue& root) {
    if (root.kind != JsonValue::Kind::kObject) {
      findings_.Report(root, "the manifest", "must be an object", "MF004");
      return findings_.ToStatus();
    }
    ObjectReader reader(root, "", findings_);
    Identity(reader);
    reader.Object("program", [this](ObjectReader& r) { Program(r); });
    reader.Object("machine", [this](ObjectReader& r) { Machine(r); });
    reader.Object("images", [this](ObjectReader& r) { Images(r); });
    reader.Object("limits", [this](ObjectReader& r) { Limits(r); });
    reader.Object("outputs", [this](ObjectReader& r) { Outputs(r); });
    reader.Object("expect", [this](ObjectReader& r) { Expect(r); });
    reader.Members("labels", [this](const JsonValue::Member& member, const std::string& path) {
      request_.labels[member.key] = TextOf(member.value, path);
    });
    reader.Number("hot", request_.hot_rows);
    reader.Boolean("sanitize", request_.sanitize);
    reader.Finish();
    if (!findings_.ok()) return findings_.ToStatus();
    return std::move(request_);
  }

 private:
  void Identity(ObjectReader& r) {
    r.Require("schema");
    r.Require("schema_version");
    const JsonValue* schema = r.Find("schema");
    if (schema != nullptr &&
        (schema->kind != JsonValue::Kind::kText || schema->text != "moescope.run")) {
      findings_.Report(*schema, "schema", "must be \"moescope.run\"", "MF002");
    }
    const JsonValue* version = r.Find("schema_version");
    if (version != nullptr && (version->kind != JsonValue::Kind::kInteger || version->negative ||
                               version->integer != 1)) {
      findings_.Report(*version, "schema_version", "must be 1", "MF002");
    }
  }

  void Program(ObjectReader& r) {
    ProgramRequest& program = request_.program;
    Path(r, "file", program.file);
    std::vector<std::string> vocabularies;
    r.Texts("stage_vocabulary", vocabularies);
    for (const std::string& name : vocabularies)
      program.stage_vocabulary.push_back(FileOrName(name));
    std::optional<std::string> errors;
    r.Choice("stage_errors", "error|warn", errors);
    if (errors == "warn") program.stage_errors = stages::UnknownStage::kWarning;
    Path(r, "stages", program.stages);
    std::string set;
    r.Text("isa", set);
    if (!set.empty()) program.isa = FileOrName(set);
    r.Boolean("force_isa", program.force_isa);
    std::vector<std::string> folders;
    r.Texts("include", folders);
    for (const std::string& folder : folders) program.include_folders.push_back(Resolve(folder));
    r.Members("define", [&](const JsonValue::Member& member, const std::string& path) {
      program.definitions.emplace_back(member.key, ScalarText(member.value, path));
    });
  }

  void Machine(ObjectReader& r) {
    MachineRequest& machine = request_.machine;
    std::string file;
    r.Text("file", file);
    if (!file.empty()) machine.file = FileOrName(file);
    r.Members("set", [&](const JsonValue::Member& member, const std::string& path) {
      machine.set.emplace_back(member.key, ScalarText(member.value, path));
    });
    r.Text("timing", machine.timing);
    const JsonValue* dialect = r.Find("dialect");
    if (dialect != nullptr && dialect->kind == JsonValue::Kind::kText &&
        dialect->text == "reference") {
      machine.reference_dialect = true;
    } else if (dialect != nullptr && dialect->kind != JsonValue::Kind::kObject) {
      findings_.Report(*dialect, "machine.dialect", "must be an object or \"reference\"", "MF004");
    } else {
      r.Members("dialect", [&](const JsonValue::Member& member, const std::string& path) {
        machine.dialect.emplace_back(member.key, ScalarText(member.value, path));
      });
    }
    r.Boolean("strict_encoding", machine.strict_encoding);
    r.Boolean("allow_unknown_keys", machine.allow_unknown_keys);
    std::optional<std::string> fallback;
    r.Choice("settings_fallback", "defaults", fallback);
    machine.default_missing_keys = fallback.has_value();
  }

  void Images(ObjectReader& r) {
    ImagesRequest& images = request_.images;
    Image(r, "hbm", images.hbm);
    Image(r, "vram", images.vram);
    Image(r, "fpsram", images.fpsram);
    Image(r, "intsram", images.intsram);
    std::optional<std::string> format;
    r.Choice("fpsram_format", "fp16|bf16", format);
    images.fpsram_is_bf16 = format == "bf16";
    r.Number("hbm_size", images.hbm_size);
  }

  // "file", or {"file": ..., "offset": ...} for hbm.
  void Image(ObjectReader& r, std::string_view key, std::optional<ImageRequest>& target) {
    const JsonValue* value = r.Find(key);
    if (value == nullptr) return;
    ImageRequest image;
    if (value->kind == JsonValue::Kind::kText) {
      image.file = Resolve(value->text);
    } else if (value->kind == JsonValue::Kind::kObject) {
      ObjectReader inner(*value, r.PathOf(key), findings_);
      inner.Require("file");
      Path(inner, "file", image.file);
      if (key == "hbm") inner.Number("offset", image.offset);
      inner.Finish();
    } else {
      return findings_.Report(*value, r.PathOf(key), "must be a text or an object", "MF004");
    }
    target = image;
  }

  void Limits(ObjectReader& r) {
    r.Number("max_cycles", request_.limits.max_cycles);
    r.Number("max_instructions", request_.limits.max_instructions);
    const JsonValue* timeout = r.Find("timeout");
    if (timeout == nullptr) return;
    const absl::StatusOr<std::uint64_t> ms = ParseSecondsMs(ScalarText(*timeout, "limits.timeout"));
    if (ms.ok()) {
      request_.limits.timeout_ms = *ms;
    } else {
      findings_.Report(*timeout, "limits.timeout",
                       "must be seconds, with at most three digits behind the point", "MF005");
    }
  }

  void Outputs(ObjectReader& r) {
    OutputsRequest& outputs = request_.outputs;
    Path(r, "profile", outputs.profile);
    r.Items("dumps", [&](const JsonValue& item, const std::string& path) {
      if (const std::optional<session::Memory> memory = MemoryOf(item, path, kDumps)) {
        outputs.dumps.push_back({*memory, std::nullopt});
      }
    });
    r.Items("dump_ranges", [&](const JsonValue& item, const std::string& path) {
      absl::StatusOr<emulator::DumpRequest> range = emulator::ParseDumpRange(TextOf(item, path));
      if (range.ok()) return outputs.dumps.push_back(*range);
      findings_.Report(item, path, "must be \"MEMORY:FIRST..LAST\", such as \"vram:0..15\"",
                       "MF005");
    });
    Path(r, "dump_dir", outputs.dump_dir);
    r.Boolean("sparse", outputs.sparse);
    Path(r, "expect_report", outputs.expect_report);
    r.Boolean("host_stats", outputs.host_stats);
  }

  void Expect(ObjectReader& r) {
    Expectations& expect = request_.expect;
    r.Choice("end", kEnds, expect.end);
    for (const absl::string_view name : absl::StrSplit(Absl(TotalMetricNames()), '|')) {
      Metric(r, {name.data(), name.size()}, expect.totals);
    }
    r.Members("stages", [&](const JsonValue::Member& member, const std::string& path) {
      if (member.value.kind != JsonValue::Kind::kObject) {
        return findings_.Report(member.value, path, "must be an object", "MF004");
      }
      auto& [stage, metrics] =
          expect.stages.emplace_back(member.key, std::vector<MetricExpectation>());
      ObjectReader inner(member.value, path, findings_);
      for (const absl::string_view name : absl::StrSplit(Absl(StageMetricNames()), '|')) {
        Metric(inner, {name.data(), name.size()}, metrics);
      }
      inner.Finish();
    });
    r.Items("memory", [this](const JsonValue& item, const std::string& path) {
      if (item.kind != JsonValue::Kind::kObject) {
        return findings_.Report(item, path, "must be an object", "MF004");
      }
      ObjectReader inner(item, path, findings_);
      MemoryValues(inner);
      inner.Finish();
    });
    r.Members("sha256", [&](const JsonValue::Member& member, const std::string& path) {
      const std::optional<session::Memory> memory = MemoryNamed(member, path);
      const std::string hash = TextOf(member.value, path);
      if (memory) expect.sha256.emplace_back(*memory, hash);
    });
  }

  void Metric(ObjectReader& r, std::string_view name, std::vector<MetricExpectation>& target) {
    std::optional<std::uint64_t> value;
    r.Number(name, value);
    if (value) target.push_back({std::string(name), *value});
  }

  void MemoryValues(ObjectReader& r) {
    MemoryExpectation expected;
    r.Require("space");
    const JsonValue* space = r.Find("space");
    if (space != nullptr) {
      expected.space =
          MemoryOf(*space, r.PathOf("space"), kMemories).value_or(session::Memory::kVram);
    }
    r.Number("address", expected.address);
    r.Object("matrix", [&](ObjectReader& m) { Matrix(m, expected); });
    if (expected.matrix && expected.space != session::Memory::kVram) {
      findings_.Report(r.object(), r.PathOf("matrix"), "only vram holds matrices", "MF007");
    }
    r.Items("values", [&](const JsonValue& item, const std::string& path) {
      if (item.kind != JsonValue::Kind::kInteger && item.kind != JsonValue::Kind::kReal) {
        return findings_.Report(item, path, "must be a number", "MF004");
      }
      expected.values.push_back(item.real);
    });
    Path(r, "file", expected.file);
    if (expected.values.empty() == expected.file.empty()) {
      findings_.Report(r.object(), r.PathOf("values"), "give either values or a file", "MF007");
    }
    if (const JsonValue* compare = r.Find("compare"))
      Compare(*compare, r.PathOf("compare"), expected.compare);
    request_.expect.memory.push_back(std::move(expected));
  }

  void Matrix(ObjectReader& r, MemoryExpectation& expected) {
    MatrixPlace& place = expected.matrix.emplace();
    for (const char* key : {"base", "rows", "columns"}) r.Require(key);
    r.Number("base", place.base);
    r.Number("rows", place.rows);
    r.Number("columns", place.columns);
    place.physical_rows = place.rows;
    r.Number("physical_rows", place.physical_rows);
    if (place.rows == 0 || place.columns == 0 || place.physical_rows < place.rows ||
        place.rows > kMaximumRows || place.columns > kMaximumRows ||
        place.physical_rows > kMaximumRows || place.rows * place.columns > kMaximumRows ||
        place.base > UINT32_MAX) {
      findings_.Report(r.object(), r.PathOf("rows"),
                       "need 1 <= rows <= physical_rows, 1 <= columns, base below 2^32 and at most "
                       "2^24 elements",
                       "MF005");
    }
  }

  void Compare(const JsonValue& value, const std::string& path, Comparison& compare) {
    if (value.kind == JsonValue::Kind::kText && value.text == "exact") return;
    if (value.kind != JsonValue::Kind::kObject) {
      return findings_.Report(value, path, "must be \"exact\" or an object", "MF004");
    }
    ObjectReader r(value, path, findings_);
    std::optional<std::uint64_t> ulp;
    std::string rms;
    r.Number("ulp", ulp);
    r.Text("rel_rms", rms);
    const bool absolute = Real(r, "absolute", compare.absolute);
    const bool relative = Real(r, "relative", compare.relative);
    if (int{ulp.has_value()} + int{!rms.empty()} + int{absolute || relative} != 1) {
      findings_.Report(value, path, "give one of ulp, rel_rms, or absolute with relative", "MF007");
    }
    if (ulp) compare.kind = Comparison::Kind::kUlp, compare.ulp = *ulp;
    if (absolute || relative) compare.kind = Comparison::Kind::kAbsolute;
    if (!rms.empty()) {
      compare.kind = Comparison::Kind::kRelativeRms;
      const absl::StatusOr<std::uint32_t> ppm = ParsePercentPpm(rms);
      if (ppm.ok()) {
        compare.rel_rms_ppm = *ppm;
      } else {
        findings_.Report(*r.Find("rel_rms"), r.PathOf("rel_rms"), "must be a percentage", "MF005");
      }
    }
    r.Finish();
  }

  bool Real(ObjectReader& r, std::string_view key, double& target) {
    const JsonValue* value = r.Find(key);
    if (value == nullptr) return false;
    const bool number =
        value->kind == JsonValue::Kind::kInteger || value->kind == JsonValue::Kind::kReal;
    if (!number || !(value->real >= 0)) {
      findings_.Report(*value, r.PathOf(key), "must be a number of at least 0", "MF005");
    } else {
      target = value->real;
    }
    return true;
  }

  std::optional<session::Memory> MemoryOf(const JsonValue& value, const std::string& path,
                                          std::string_view allowed) {
    if (value.kind == JsonValue::Kind::kText && Contains(allowed, value.text)) {
      return emulator::ParseDumpTarget(value.text);
    }
    findings_.Report(value, path, OneOf(allowed, value.text), "MF005");
    return std::nullopt;
  }

  std::optional<session::Memory> MemoryNamed(const JsonValue::Member& member,
                                             const std::string& path) {
    if (Contains(kMemories, member.key)) return emulator::ParseDumpTarget(member.key);
    findings_.ReportAt(member.line, member.column,
                       absl::StrCat("unknown key '", path, "': ", OneOf(kMemories, member.key)),
                       "MF003");
    return std::nullopt;
  }

  std::string TextOf(const JsonValue& value, const std::string& path) {
    if (value.kind != JsonValue::Kind::kText)
      findings_.Report(value, path, "must be a text", "MF004");
    return value.text;
  }

  // A text, number or truth value as the text that a flag would have.
  std::string ScalarText(const JsonValue& value, const std::string& path) {
    switch (value.kind) {
      case JsonValue::Kind::kText:
      case JsonValue::Kind::kReal:
        return value.text;
      case JsonValue::Kind::kInteger:
        return absl::StrCat(value.negative ? "-" : "", value.integer);
      case JsonValue::Kind::kBoolean:
        return value.boolean ? "true" : "false";
      default:
        findings_.Report(value, path, "must be a text, a number or a truth value", "MF004");
        return "";
    }
  }

  void Path(ObjectReader& r, std::string_view key, std::string& target) {
    std::string text;
    r.Text(key, text);
    if (!text.empty()) target = Resolve(text);
  }

  std::string Resolve(const std::string& path) const {
    if (path == "-" || path.front() == '/') return path;
    return folder_ + path;
  }

  std::string FileOrName(const std::string& name) const {
    const std::string path = name.empty() ? name : Resolve(name);
    const bool plain = !absl::StrContains(name, '/') && !absl::StrContains(name, '.');
    return plain && ::access(path.c_str(), F_OK) != 0 ? name : path;
  }

  JsonFindings findings_;
  std::string folder_;  // of the manifest, with its final '/'
  RunRequest request_;
};

}  // namespace

std::string_view TotalMetricNames() {
  return "cycles|instructions|static_instructions|hbm_read_logical_bytes|hbm_read_physical_bytes|"
         "hbm_write_logical_bytes|hbm_write_physical_bytes";
}

std::string_view StageMetricNames() {
  return "cycles|instructions|static_instructions|calls|hbm_read_logical_bytes|"
         "hbm_read_physical_bytes|hbm_write_logical_bytes|hbm_write_physical_bytes";
}

absl::StatusOr<RunRequest> ParseManifest(std::string_view text, const std::string& path) {
  ASSIGN_OR_RETURN(const JsonValue root, ParseLocatedJson(text, path));
  return ManifestReader(text, path).Read(root);
}

absl::StatusOr<RunRequest> ReadManifest(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseManifest(text, path);
}

}  // namespace moescope::session
