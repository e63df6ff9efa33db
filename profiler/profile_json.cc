#include "profiler/profile_json.h"

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/status.h"
#include "profiler/document_json.h"
#include "profiler/json_archive_json.h"
#include "profiler/profile_tree_json.h"
#include "profiler/verify.h"

namespace moescope::profiler {

std::string ProfileText(const Profile& profile) {
  Profile copy = profile;
  copy.host.reset();
  copy.profile_sha256.clear();
  copy.profile_sha256 = Sha256Name(PrettyText(JsonWriter::ToJson(copy)));
  copy.host = profile.host;
  return PrettyText(JsonWriter::ToJson(copy));
}

absl::StatusOr<std::string> WriteProfile(const Profile& profile) {
  std::string text = ProfileText(profile);
  ASSIGN_OR_RETURN(const Verification verification, VerifyProfile(text));
  if (verification.failures.empty()) return text;
  std::string message = "the profile breaks its invariants:";
  for (const Failure& failure : verification.failures) {
    absl::StrAppend(&message, "\n", failure.id, ": ", failure.text);
  }
  return absl::InternalError(message);
}

absl::StatusOr<Profile> ReadProfile(std::string_view text) {
  ASSIGN_OR_RETURN(const ParsedJson parsed, ParseJson(text));
  return ReadProfileTree(parsed.value);
}

absl::Status CheckIsProfile(const Json& tree) {
  std::string error;
  JsonReader head(tree, "", error);
  std::uint64_t version = 0;
  head.Constant("schema", "moescope.profile");
  head("schema_version", version);
  if (!error.empty()) return absl::InvalidArgumentError(absl::StrCat("not a profile: ", error));
  if (version > kProfileSchemaVersion) {
    return absl::InvalidArgumentError(absl::StrCat("schema_version ", version, " is newer than ",
                                                   kProfileSchemaVersion,
                                                   ", the latest that this tool reads"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Profile> ReadProfileTree(const Json& tree) {
  RETURN_IF_ERROR(CheckIsProfile(tree));
  std::string error;
  Profile profile;
  JsonReader reader(tree, "", error);
  Fields(reader, profile);
  if (!error.empty()) return absl::InvalidArgumentError(error);
  return profile;
}

std::string EffectiveHash(const std::vector<ConfigurationValue>& effective) {
  return Sha256Name(CompactText(JsonWriter::ToJson(effective)));
}

std::string VocabularyHash(const std::vector<VocabularyEntry>& vocabulary) {
  return Sha256Name(CompactText(JsonWriter::ToJson(vocabulary)));
}

}  // namespace moescope::profiler
