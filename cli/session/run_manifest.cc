#include "cli/session/run_manifest.h"

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/session/json_reader.h"
#include "cli/session/manifest_values.h"
#include "cli/session/number.h"
#include "emulator/dumps.h"

namespace moescope::session {

namespace {

constexpr std::string_view kDumps = "vram|mram|fpsram|intsram|hbm|registers";

class ManifestReader {
 public:
  ManifestReader(std::string_view text, const std::string& path) : values_(text, path) {}

  absl::StatusOr<RunRequest> Read(const JsonValue& root) {
    if (root.kind != JsonValue::Kind::kObject) {
      values_.findings().Report(root, "the manifest", "must be an object", "MF004");
      return values_.findings().ToStatus();
    }
    ObjectReader reader(root, "", values_.findings());
    Identity(reader);
    reader.Object("program", [this](ObjectReader& r) { Program(r); });
    reader.Object("machine", [this](ObjectReader& r) { Machine(r); });
    reader.Object("images", [this](ObjectReader& r) { Images(r); });
    reader.Object("limits", [this](ObjectReader& r) { Limits(r); });
    reader.Object("outputs", [this](ObjectReader& r) { Outputs(r); });
    reader.Object("expect",
                  [this](ObjectReader& r) { ReadExpectations(r, values_, request_.expect); });
    reader.Members("labels", [this](const JsonValue::Member& member, const std::string& path) {
      request_.labels[member.key] = values_.TextOf(member.value, path);
    });
    reader.Number("hot", request_.hot_rows);
    reader.Boolean("sanitize", request_.sanitize);
    Gates(reader);
    reader.Finish();
    if (!values_.findings().ok()) return values_.findings().ToStatus();
    return std::move(request_);
  }

 private:
  void Identity(ObjectReader& r) {
    r.Require("schema");
    r.Require("schema_version");
    const JsonValue* schema = r.Find("schema");
    if (schema != nullptr &&
        (schema->kind != JsonValue::Kind::kText || schema->text != "moescope.run")) {
      values_.findings().Report(*schema, "schema", "must be \"moescope.run\"", "MF002");
    }
    const JsonValue* version = r.Find("schema_version");
    if (version != nullptr && (version->kind != JsonValue::Kind::kInteger || version->negative ||
                               version->integer != 1)) {
      values_.findings().Report(*version, "schema_version", "must be 1", "MF002");
    }
  }

  void Program(ObjectReader& r) {
    ProgramRequest& program = request_.program;
    values_.Path(r, "file", program.file);
    std::vector<std::string> vocabularies;
    r.Texts("stage_vocabulary", vocabularies);
    for (const std::string& name : vocabularies)
      program.stage_vocabulary.push_back(values_.FileOrName(name));
    std::optional<std::string> errors;
    r.Choice("stage_errors", "error|warn", errors);
    if (errors == "warn") program.stage_errors = stages::UnknownStage::kWarning;
    values_.Path(r, "stages", program.stages);
    std::string set;
    r.Text("isa", set);
    if (!set.empty()) program.isa = values_.FileOrName(set);
    r.Boolean("force_isa", program.force_isa);
    std::vector<std::string> folders;
    r.Texts("include", folders);
    for (const std::string& folder : folders)
      program.include_folders.push_back(values_.Resolve(folder));
    r.Members("define", [&](const JsonValue::Member& member, const std::string& path) {
      program.definitions.emplace_back(member.key, values_.ScalarText(member.value, path));
    });
  }

  void Machine(ObjectReader& r) {
    MachineRequest& machine = request_.machine;
    std::string file;
    r.Text("file", file);
    if (!file.empty()) machine.file = values_.FileOrName(file);
    r.Members("set", [&](const JsonValue::Member& member, const std::string& path) {
      machine.set.emplace_back(member.key, values_.ScalarText(member.value, path));
    });
    r.Text("timing", machine.timing);
    const JsonValue* dialect = r.Find("dialect");
    if (dialect != nullptr && dialect->kind == JsonValue::Kind::kText &&
        dialect->text == "reference") {
      machine.reference_dialect = true;
    } else if (dialect != nullptr && dialect->kind != JsonValue::Kind::kObject) {
      values_.findings().Report(*dialect, "machine.dialect", "must be an object or \"reference\"",
                                "MF004");
    } else {
      r.Members("dialect", [&](const JsonValue::Member& member, const std::string& path) {
        machine.dialect.emplace_back(member.key, values_.ScalarText(member.value, path));
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
      image.file = values_.Resolve(value->text);
    } else if (value->kind == JsonValue::Kind::kObject) {
      ObjectReader inner(*value, r.PathOf(key), values_.findings());
      inner.Require("file");
      values_.Path(inner, "file", image.file);
      if (key == "hbm") inner.Number("offset", image.offset);
      inner.Finish();
    } else {
      return values_.findings().Report(*value, r.PathOf(key), "must be a text or an object",
                                       "MF004");
    }
    target = image;
  }

  void Limits(ObjectReader& r) {
    r.Number("max_cycles", request_.limits.max_cycles);
    r.Number("max_instructions", request_.limits.max_instructions);
    const JsonValue* timeout = r.Find("timeout");
    if (timeout == nullptr) return;
    const absl::StatusOr<std::uint64_t> ms =
        ParseSecondsMs(values_.ScalarText(*timeout, "limits.timeout"));
    if (ms.ok()) {
      request_.limits.timeout_ms = *ms;
    } else {
      values_.findings().Report(*timeout, "limits.timeout",
                                "must be seconds, with at most three digits behind the point",
                                "MF005");
    }
  }

  void Outputs(ObjectReader& r) {
    OutputsRequest& outputs = request_.outputs;
    values_.Path(r, "profile", outputs.profile);
    r.Items("dumps", [&](const JsonValue& item, const std::string& path) {
      if (const std::optional<Memory> memory = values_.MemoryOf(item, path, kDumps)) {
        outputs.dumps.push_back({*memory, std::nullopt});
      }
    });
    r.Items("dump_ranges", [&](const JsonValue& item, const std::string& path) {
      absl::StatusOr<emulator::DumpRequest> range =
          emulator::ParseDumpRange(values_.TextOf(item, path));
      if (range.ok()) return outputs.dumps.push_back(*range);
      values_.findings().Report(item, path,
                                "must be \"MEMORY:FIRST..LAST\", such as \"vram:0..15\"", "MF005");
    });
    values_.Path(r, "dump_dir", outputs.dump_dir);
    r.Boolean("sparse", outputs.sparse);
    values_.Path(r, "expect_report", outputs.expect_report);
    r.Boolean("host_stats", outputs.host_stats);
    values_.Path(r, "pc_table", outputs.pc_table);
    Trace(r);
    CommitLog(r);
  }

  void Trace(ObjectReader& r) {
    OutputsRequest& outputs = request_.outputs;
    values_.Path(r, "trace", outputs.trace);
    r.Number("trace_max_events", outputs.trace_options.max_events);
    r.Number("trace_max_bytes", outputs.trace_options.max_bytes);
    Parsed(r, "trace_window", profiler::ParseTraceWindow, "\"CYCLE..CYCLE\" or \"stage=NAME\"",
           outputs.trace_options.window);
  }

  void CommitLog(ObjectReader& r) {
    OutputsRequest& outputs = request_.outputs;
    values_.Path(r, "commit_log", outputs.commit_log);
    Parsed(r, "commit_log_filter", profiler::ParseLogFilter,
           "conditions such as \"stage=gather;pc=10..90;group=VAL\"", outputs.commit_log_filter);
    std::optional<std::string> values;
    r.Choice("commit_log_values", kCommitLogValues, values);
    if (values) outputs.commit_log_values = *ParseCommitLogValues(*values);
  }

  // A text with a grammar of its own; `demand` says what it must be.
  template <typename Parse, typename Target>
  void Parsed(ObjectReader& r, std::string_view key, Parse parse, std::string_view demand,
              Target& target) {
    std::optional<std::string> text;
    r.Text(key, text);
    if (!text) return;
    const auto parsed = parse(*text);
    if (parsed.ok()) {
      target = *parsed;
    } else {
      values_.findings().Report(*r.Find(key), r.PathOf(key), absl::StrCat("must be ", Absl(demand)),
                                "MF005");
    }
  }

  void Gates(ObjectReader& r) {
    std::optional<std::string> coverage;
    r.Choice("require_coverage", kCoverageGates, coverage);
    if (coverage) request_.gates.coverage = *coverage;
    std::uint32_t ppm = 0;
    Parsed(r, "max_unattributed", ParsePercentPpm, "a percentage such as \"1%\"", ppm);
    if (r.Find("max_unattributed") != nullptr) request_.gates.max_unattributed_ppm = ppm;
  }

  ManifestValues values_;
  RunRequest request_;
};

}  // namespace

absl::StatusOr<RunRequest> ParseManifest(std::string_view text, const std::string& path) {
  ASSIGN_OR_RETURN(const JsonValue root, ParseLocatedJson(text, path));
  return ManifestReader(text, path).Read(root);
}

absl::StatusOr<RunRequest> ReadManifest(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseManifest(text, path);
}

}  // namespace moescope::session
