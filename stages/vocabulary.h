#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "isa/instruction.h"
#include "stages/group_set.h"
#include "stages/stage.h"

namespace moescope::stages {

// Most stages that the extension files of one vocabulary may define together.
inline constexpr std::size_t kMaximumExtensionStages = 10'000;

// Whether `name` has the form [a-z][a-z0-9_]{0,63}.
bool IsStageName(std::string_view name);

// What a stage is for, and what may stand in it.
struct StageRules {
  std::string summary;    // ends with a full stop
  std::string elsewhere;  // what does not belong; empty for extension stages
  GroupSet plausible = GroupSet::All();
  std::vector<GroupSet> must;  // one of them has to occur completely; empty = no demand
};

// One [[stage]] of an extension file, its names checked for form only.
struct ExtensionStage {
  isa::StageName name;
  StageRules rules;
  std::string after;  // empty = at the end
};

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

  // Adds the stages of an extension file (TOML text; `path` is for messages). On error nothing is
  // added. A stage may name, in `after` and `parent`, built-in stages, those of earlier files, and
  // those above it in its own file.
  absl::Status Extend(std::string_view toml, const std::string& path);

  // InvalidArgument with the text of MS001 (without place and id) when unknown.
  absl::StatusOr<Stage> Find(std::string_view name) const;
  // Index into names().
  std::optional<std::uint32_t> Index(std::string_view name) const;

  // All stages in display order, as plain data; the bucket is not among them.
  const std::vector<isa::StageName>& names() const { return names_; }
  // By index into names().
  const StageRules& rules(std::uint32_t index) const { return entries_[order_[index]].rules; }

  // "sha256:..." over the names, origins, scopes and parents in display order.
  std::string Hash() const;

 private:
  struct Entry {
    std::string_view name;  // in kBuiltinStages or owned_names_
    isa::StageName definition;
    StageRules rules;
    std::vector<std::uint32_t> followers;  // entries that say `after` this one, in file order
    bool has_predecessor = false;
    std::uint32_t position = 0;  // in display order
  };

  void Add(Entry entry, std::string_view after);
  void UpdateDisplayOrder();

  std::vector<Entry> entries_;  // in order of definition
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::vector<std::uint32_t> order_;   // display position -> entry
  std::vector<isa::StageName> names_;  // in display order
  std::deque<std::string> owned_names_;
};

}  // namespace moescope::stages
