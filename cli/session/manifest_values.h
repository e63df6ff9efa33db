#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/session/json_reader.h"
#include "cli/session/run_request.h"

// What the parts of a run manifest have in common: values, and paths that start at its folder.

namespace moescope::session {

class ManifestValues {
 public:
  ManifestValues(std::string_view text, const std::string& path);

  JsonFindings& findings() { return findings_; }

  // One of the memories in `allowed`, separated by '|'; reports anything else.
  std::optional<Memory> MemoryOf(const JsonValue& value, const std::string& key_path,
                                 std::string_view allowed);
  std::optional<Memory> MemoryNamed(const JsonValue::Member& member, const std::string& key_path,
                                    std::string_view allowed);
  std::string TextOf(const JsonValue& value, const std::string& key_path);
  // A text, number or truth value as the text that a flag would have.
  std::string ScalarText(const JsonValue& value, const std::string& key_path);
  // Sets `target` to the path that a key names.
  void Path(ObjectReader& r, std::string_view key, std::string& target);

  // A path as the process opens it.
  std::string Resolve(const std::string& path) const;
  // The same; what is no file there and may be the name of something shipped stays as it is.
  std::string FileOrName(const std::string& name) const;

 private:
  JsonFindings findings_;
  std::string folder_;  // of the manifest, with its final '/'
};

// The object `expect` of a manifest.
void ReadExpectations(ObjectReader& r, ManifestValues& values, Expectations& expect);

}  // namespace moescope::session
