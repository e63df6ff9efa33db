#pragma once

#include <string_view>

#include "profiler/document_json.h"
#include "profiler/profile.h"
#include "profiler/verify/findings.h"

// The invariants of profile.md 5.7, by family. Each function checks the ids it names.

namespace moescope::profiler {

void CheckStructure(const ParsedJson& parsed, std::string_view text, Findings& findings);  // PV01
void CheckNames(const Profile& profile, Findings& findings);          // PV01: names and their order
void CheckStageSums(const Profile& profile, Findings& findings);      // PV02, PV03, PV05
void CheckReasons(const Profile& profile, Findings& findings);        // PV04
void CheckOpcodes(const Profile& profile, Findings& findings);        // PV06
void CheckPairs(const Profile& profile, Findings& findings);          // PV07
void CheckExperts(const Profile& profile, Findings& findings);        // PV08
void CheckUnits(const Profile& profile, Findings& findings);          // PV09
void CheckBytes(const Profile& profile, Findings& findings);          // PV10
void CheckPaths(const Profile& profile, Findings& findings);          // PV11
void CheckTimeline(const Profile& profile, Findings& findings);       // PV12
void CheckCycleRanges(const Profile& profile, Findings& findings);    // PV13
void CheckDerivedValues(const Profile& profile, Findings& findings);  // PV14
void CheckHashes(const Json& tree, const Profile& profile, Findings& findings);  // PV15
void CheckStatements(const Profile& profile, Findings& findings);                // PV16, PV17
void CheckRest(const Profile& profile, Findings& findings);                      // PV18

// Whether `listed` names appear in the order of `order` (strictly), which is distinct.
bool InOrder(const std::vector<std::string>& listed, const std::vector<std::string>& order);

}  // namespace moescope::profiler
