#include "cli/session/repeat_json.h"

#include "base/file.h"
#include "base/json.h"
#include "base/status.h"
#include "cli/session/repeat.h"

namespace moescope::session {

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadDumpHashes(
    const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  ASSIGN_OR_RETURN(const Json manifest, ParseJson(text, path, "IM012"));
  std::vector<std::pair<std::string, std::string>> hashes;
  for (const Json& dump : manifest["dumps"]) {
    hashes.emplace_back(dump["file"].get<std::string>(), dump["sha256"].get<std::string>());
  }
  return hashes;
}

std::string RepeatJson(const std::vector<RunFingerprint>& runs) {
  Json document;
  document["schema"] = "moescope.repeat";
  document["schema_version"] = 1;
  document["equal"] = RepeatDifferences(runs).empty();
  document["runs"] = Json::array();
  for (const RunFingerprint& run : runs) {
    Json entry;
    entry["process"] = run.fresh_process ? "fresh" : "same";
    entry["end"] = run.end;
    entry["profile_sha256"] = run.profile_sha256;
    entry["instructions"] = run.instructions;
    entry["cycles"] = run.cycles;
    entry["hbm_read_bytes"] = run.hbm_read_bytes;
    entry["hbm_write_bytes"] = run.hbm_write_bytes;
    entry["dumps"] = Json::object();
    for (const auto& [file, sha256] : run.dumps) entry["dumps"][file] = sha256;
    document["runs"].push_back(std::move(entry));
  }
  document["differences"] = RepeatDifferences(runs);
  return JsonText(document);
}

}  // namespace moescope::session
