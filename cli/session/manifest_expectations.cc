#include <utility>

#include "absl/strings/str_split.h"
#include "base/string_view.h"
#include "cli/session/manifest_values.h"
#include "cli/session/number.h"
#include "cli/session/run_manifest.h"

namespace moescope::session {

namespace {

constexpr std::string_view kMemories = "vram|mram|fpsram|intsram|hbm";
constexpr std::string_view kEnds =
    "end|break|fault|max_cycles|max_instructions|timeout|interrupt|deadlock";
constexpr std::size_t kMaximumRows = std::size_t{1} << 24;

class ExpectationReader {
 public:
  ExpectationReader(ManifestValues& values, Expectations& expect)
      : values_(values), expect_(expect) {}

  void Read(ObjectReader& r) {
    r.Choice("end", kEnds, expect_.end);
    for (const absl::string_view name : absl::StrSplit(Absl(TotalMetricNames()), '|')) {
      Metric(r, {name.data(), name.size()}, expect_.totals);
    }
    r.Members("stages", [&](const JsonValue::Member& member, const std::string& path) {
      if (member.value.kind != JsonValue::Kind::kObject) {
        return values_.findings().Report(member.value, path, "must be an object", "MF004");
      }
      auto& [stage, metrics] =
          expect_.stages.emplace_back(member.key, std::vector<MetricExpectation>());
      ObjectReader inner(member.value, path, values_.findings());
      for (const absl::string_view name : absl::StrSplit(Absl(StageMetricNames()), '|')) {
        Metric(inner, {name.data(), name.size()}, metrics);
      }
      inner.Finish();
    });
    r.Items("memory", [this](const JsonValue& item, const std::string& path) {
      if (item.kind != JsonValue::Kind::kObject) {
        return values_.findings().Report(item, path, "must be an object", "MF004");
      }
      ObjectReader inner(item, path, values_.findings());
      MemoryValues(inner);
      inner.Finish();
    });
    r.Members("sha256", [&](const JsonValue::Member& member, const std::string& path) {
      const std::optional<Memory> memory = values_.MemoryNamed(member, path, kMemories);
      const std::string hash = values_.TextOf(member.value, path);
      if (memory) expect_.sha256.emplace_back(*memory, hash);
    });
  }

 private:
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
          values_.MemoryOf(*space, r.PathOf("space"), kMemories).value_or(Memory::kVram);
    }
    r.Number("address", expected.address);
    r.Object("matrix", [&](ObjectReader& m) { Matrix(m, expected); });
    if (expected.matrix && expected.space != Memory::kVram) {
      values_.findings().Report(r.object(), r.PathOf("matrix"), "only vram holds matrices",
                                "MF007");
    }
    r.Items("values", [&](const JsonValue& item, const std::string& path) {
      if (item.kind != JsonValue::Kind::kInteger && item.kind != JsonValue::Kind::kReal) {
        return values_.findings().Report(item, path, "must be a number", "MF004");
      }
      expected.values.push_back(item.real);
    });
    values_.Path(r, "file", expected.file);
    if (expected.values.empty() == expected.file.empty()) {
      values_.findings().Report(r.object(), r.PathOf("values"), "give either values or a file",
                                "MF007");
    }
    if (const JsonValue* compare = r.Find("compare"))
      Compare(*compare, r.PathOf("compare"), expected.compare);
    expect_.memory.push_back(std::move(expected));
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
      values_.findings().Report(
          r.object(), r.PathOf("rows"),
          "need 1 <= rows <= physical_rows, 1 <= columns, base below 2^32 and at most "
          "2^24 elements",
          "MF005");
    }
  }

  void Compare(const JsonValue& value, const std::string& path, Comparison& compare) {
    if (value.kind == JsonValue::Kind::kText && value.text == "exact") return;
    if (value.kind != JsonValue::Kind::kObject) {
      return values_.findings().Report(value, path, "must be \"exact\" or an object", "MF004");
    }
    ObjectReader r(value, path, values_.findings());
    std::optional<std::uint64_t> ulp;
    std::string rms;
    r.Number("ulp", ulp);
    r.Text("rel_rms", rms);
    const bool absolute = Real(r, "absolute", compare.absolute);
    const bool relative = Real(r, "relative", compare.relative);
    if (int{ulp.has_value()} + int{!rms.empty()} + int{absolute || relative} != 1) {
      values_.findings().Report(value, path, "give one of ulp, rel_rms, or absolute with relative",
                                "MF007");
    }
    if (ulp) compare.kind = Comparison::Kind::kUlp, compare.ulp = *ulp;
    if (absolute || relative) compare.kind = Comparison::Kind::kAbsolute;
    if (!rms.empty()) {
      compare.kind = Comparison::Kind::kRelativeRms;
      const absl::StatusOr<std::uint32_t> ppm = ParsePercentPpm(rms);
      if (ppm.ok()) {
        compare.rel_rms_ppm = *ppm;
      } else {
        values_.findings().Report(*r.Find("rel_rms"), r.PathOf("rel_rms"), "must be a percentage",
                                  "MF005");
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
      values_.findings().Report(*value, r.PathOf(key), "must be a number of at least 0", "MF005");
    } else {
      target = value->real;
    }
    return true;
  }

  ManifestValues& values_;
  Expectations& expect_;
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

void ReadExpectations(ObjectReader& r, ManifestValues& values, Expectations& expect) {
  ExpectationReader(values, expect).Read(r);
}

}  // namespace moescope::session
