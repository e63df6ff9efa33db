#include "base/sha256.h"
#include "profiler/profile_json.h"
#include "profiler/verify/families.h"

namespace moescope::profiler {

namespace {

// Hash of the file with `host` left out and an empty profile_sha256.
std::string OwnHash(const Json& tree) {
  Json copy = Json::object();
  for (const auto& [key, value] : tree.get_ref<const Json::object_t&>()) {
    if (key == "host") continue;
    AppendMember(copy, key) = key == "profile_sha256" ? Json("") : value;
  }
  return Sha256Name(PrettyText(copy));
}

}  // namespace

void CheckHashes(const Json& tree, const Profile& profile, Findings& findings) {
  findings.Equal("PV15", "program.vocabulary_sha256", profile.program.vocabulary_sha256,
                 VocabularyHash(profile.program.vocabulary));
  findings.Equal("PV15", "machine.sha256", profile.machine.sha256,
                 EffectiveHash(profile.machine.effective));
  findings.Equal("PV15", "profile_sha256", profile.profile_sha256, OwnHash(tree));
}

}  // namespace moescope::profiler
