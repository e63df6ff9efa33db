#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "isa/instruction.h"
#include "stages/stage.h"

namespace moescope::stages {

// The stages that a program may name: the fourteen built-in ones and those of extension files
// (profile.md, 1.3), in display order.
class Vocabulary {
 public:
  // The built-in stages only.
  Vocabulary();
  Vocabulary(const Vocabulary&) = delete;  // stages point into it
  Vocabulary& operator=(const Vocabulary&) = delete;
  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;

  // Adds the stages of an extension file (TOML text; `path` is for messages). On error nothing is added.
  absl::Status Extend(std::string_view toml, const std::string& path);

  // InvalidArgument with the text of MS001 (without place and id) when unknown.
  absl::StatusOr<Stage> Find(std::string_view name) const;

  // All stages in display order, as plain data; the bucket is not among them.
  const std::vector<isa::StageName>& names() const { return names_; }

  // "sha256:..." over the names, origins, scopes and parents in display order.
  std::string Hash() const;

 private:
  std::vector<isa::StageName> names_;
  std::deque<std::string> owned_names_;
};

}  // namespace moescope::stages
