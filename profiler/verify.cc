#include "profiler/verify.h"

#include <algorithm>

#include "base/status.h"
#include "profiler/profile_tree_json.h"
#include "profiler/verify/families.h"

namespace moescope::profiler {

absl::StatusOr<Verification> VerifyProfile(std::string_view text) {
  ASSIGN_OR_RETURN(const ParsedJson parsed, ParseJson(text));
  RETURN_IF_ERROR(CheckIsProfile(parsed.value));
  Verification result;
  Findings findings(result);
  CheckStructure(parsed, text, findings);
  const absl::StatusOr<Profile> profile = ReadProfileTree(parsed.value);
  if (!profile.ok()) {
    // The schema has said the same, unless it is more lenient than the reader.
    if (result.failures.empty()) findings.Fail("PV01", std::string(profile.status().message()));
    return result;
  }
  CheckNames(*profile, findings);
  CheckStageSums(*profile, findings);
  CheckReasons(*profile, findings);
  CheckOpcodes(*profile, findings);
  CheckPairs(*profile, findings);
  CheckExperts(*profile, findings);
  CheckUnits(*profile, findings);
  CheckBytes(*profile, findings);
  CheckPaths(*profile, findings);
  CheckTimeline(*profile, findings);
  CheckCycleRanges(*profile, findings);
  CheckDerivedValues(*profile, findings);
  CheckHashes(parsed.value, *profile, findings);
  CheckStatements(*profile, findings);
  CheckRest(*profile, findings);
  std::stable_sort(result.failures.begin(), result.failures.end(),
                   [](const Failure& a, const Failure& b) { return a.id < b.id; });
  return result;
}

}  // namespace moescope::profiler
