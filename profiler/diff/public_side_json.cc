#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_view.h"
#include "profiler/diff/side.h"
#include "profiler/document_json.h"

namespace moescope::profiler {

namespace {

// Largest number of seconds whose nanoseconds are still exact integers.
constexpr double kMaximumSeconds = 9e6;

const Json* Member(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  for (const auto& [name, value] : object.get_ref<const Json::object_t&>()) {
    if (name == key) return &value;
  }
  return nullptr;
}

// Reads the metrics of the total or of one stage.
class PublicScopeReader {
 public:
  PublicScopeReader(const Json& object, std::string path, Scope& scope)
      : object_(object), path_(std::move(path)), scope_(scope) {}

  void Count(std::string_view key, const char* metric) {
    const Json* member = Member(object_, key);
    if (member == nullptr || member->is_null()) return;
    if (!member->is_number_unsigned()) return Fail(key, "is not a count");
    scope_.metrics.push_back({metric, member->get<std::uint64_t>()});
  }

  void Nanoseconds(std::string_view key) {
    const Json* member = Member(object_, key);
    if (member == nullptr || !member->is_number()) return Fail(key, "is not a number of seconds");
    const double seconds = member->get<double>();
    if (!(seconds >= 0 && seconds <= kMaximumSeconds)) return Fail(key, "is out of range");
    scope_.metrics.push_back({"cycles", static_cast<std::uint64_t>(std::llround(seconds * 1e9))});
  }

  const absl::Status& status() const { return status_; }

 private:
  void Fail(std::string_view key, const char* problem) {
    if (status_.ok()) {
      status_ = absl::InvalidArgumentError(absl::StrCat(path_, "/", Absl(key), " ", problem));
    }
  }

  const Json& object_;
  std::string path_;
  Scope& scope_;
  absl::Status status_;
};

absl::StatusOr<Scope> StageOf(const std::string& name, const Json& json, bool in_ns) {
  Scope scope{name, {}};
  PublicScopeReader reader(json, "/stages/" + name, scope);
  if (in_ns) {
    reader.Nanoseconds("seconds");
  } else {
    reader.Count("wall_cycles", "cycles");
  }
  reader.Count("instructions", "instructions");
  reader.Count("logical_bytes_read", "bytes:hbm.read.logical_bytes");
  reader.Count("hbm_bytes_read", "bytes:hbm.read.physical_bytes");
  reader.Count("logical_bytes_written", "bytes:hbm.write.logical_bytes");
  reader.Count("hbm_bytes_written", "bytes:hbm.write.physical_bytes");
  if (!reader.status().ok()) return reader.status();
  return scope;
}

absl::Status SetTotal(const Json& tree, bool in_ns, Side& side) {
  PublicScopeReader reader(tree, "", side.total);
  if (in_ns) {
    reader.Nanoseconds("total_profiled_seconds");
  } else {
    reader.Count("total_profiled_cycles", "cycles");
  }
  reader.Count("total_instructions_executed", "instructions");
  reader.Count("total_hbm_bytes_read", "bytes:hbm.read.physical_bytes");
  reader.Count("total_hbm_bytes_written", "bytes:hbm.write.physical_bytes");
  return reader.status();
}

}  // namespace

absl::StatusOr<Side> PublicSideOf(std::string_view json, std::string label, bool in_ns) {
  ASSIGN_OR_RETURN(const ParsedJson parsed, ParseJson(json));
  Side side;
  side.label = std::move(label);
  side.total.name = "total";
  RETURN_IF_ERROR(SetTotal(parsed.value, in_ns, side));
  const Json* stages = Member(parsed.value, "stages");
  if (stages == nullptr || !stages->is_object()) {
    return absl::InvalidArgumentError("/stages is not an object");
  }
  for (const auto& [name, stage] : stages->get_ref<const Json::object_t&>()) {
    ASSIGN_OR_RETURN(Scope scope, StageOf(name, stage, in_ns));
    side.stages.push_back(std::move(scope));
  }
  const Json* status = Member(parsed.value, "cycle_accounting_status");
  side.complete = status == nullptr || *status != "total_simulation_cycles_unset";
  return side;
}

bool IsPublicStageProfile(std::string_view json, bool& all_stages) {
  // Most inputs are profiles, which say so in their first member: no need to parse them twice.
  if (json.substr(0, 100).find("\"moescope.profile\"") != std::string_view::npos) return false;
  const absl::StatusOr<ParsedJson> parsed = ParseJson(json);
  if (!parsed.ok() || Member(parsed->value, "schema") != nullptr) return false;
  const Json* stages = Member(parsed->value, "stages");
  all_stages = stages != nullptr && Member(*stages, "shared_expert") != nullptr;
  return stages != nullptr && Member(parsed->value, "total_profiled_seconds") != nullptr;
}

}  // namespace moescope::profiler
