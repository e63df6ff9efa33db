#include "stages/vocabulary.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "stages/builtin_stages.h"
#include "stages/vocabulary_toml.h"

namespace moescope::stages {

namespace {

void HashField(Sha256& hash, std::string_view field) {
  hash.Update(absl::StrCat(field.size(), ":"));
  hash.Update(field);
}

std::string UnknownStageText(std::string_view name, const std::vector<isa::StageName>& known) {
  std::vector<std::string_view> candidates;
  candidates.reserve(known.size());
  for (const isa::StageName& stage : known) candidates.push_back(stage.name);
  const std::string suggestion = DidYouMean(name, candidates);
  return absl::StrCat("unknown stage '", Absl(name), "'",
                      suggestion.empty() ? "; run 'moescope stages list'" : suggestion);
}

}  // namespace

bool IsStageName(std::string_view name) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  if (name.empty() || name.size() > 64 || !is_lower(name[0])) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_'; });
}

Vocabulary::Vocabulary() {
  for (std::size_t i = 0; i < kBuiltinStages.size(); ++i) {
    const BuiltinRules& builtin = AllBuiltinRules()[i];
    Entry entry;
    entry.name = kBuiltinStages[i].name;
    entry.definition.name = std::string(entry.name);
    entry.definition.scope = kBuiltinStages[i].scope;
    entry.rules.summary = std::string(builtin.belongs);
    entry.rules.elsewhere = std::string(builtin.elsewhere);
    entry.rules.plausible = builtin.plausible;
    for (const GroupSet& must : builtin.must) {
      if (!must.empty()) entry.rules.must.push_back(must);
    }
    Add(std::move(entry), "");
  }
  UpdateDisplayOrder();
}

absl::Status Vocabulary::Extend(std::string_view toml, const std::string& path) {
  ASSIGN_OR_RETURN(std::vector<ExtensionStage> stages, ParseVocabulary(toml, path, *this));
  for (ExtensionStage& stage : stages) {
    Entry entry;
    entry.name = owned_names_.emplace_back(stage.name.name);
    entry.definition = std::move(stage.name);
    entry.rules = std::move(stage.rules);
    Add(std::move(entry), stage.after);
  }
  UpdateDisplayOrder();
  return absl::OkStatus();
}

std::optional<std::uint32_t> Vocabulary::Index(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return entries_[found->second].position;
}

absl::StatusOr<Stage> Vocabulary::Find(std::string_view name) const {
  if (const auto found = by_name_.find(name); found != by_name_.end()) {
    const Entry& entry = entries_[found->second];
    return Stage(entry.name, entry.definition.scope, entry.definition.origin);
  }
  return absl::InvalidArgumentError(UnknownStageText(name, names_));
}

std::string Vocabulary::Hash() const {
  Sha256 hash;
  for (const isa::StageName& name : names_) {
    HashField(hash, name.name);
    HashField(hash, name.origin == isa::StageOrigin::kBuiltin ? "builtin" : "extension");
    HashField(hash, name.scope == isa::StageScope::kLayer ? "layer" : "pair");
    HashField(hash, name.parent);
  }
  return hash.Name();
}

void Vocabulary::Add(Entry entry, std::string_view after) {
  const auto index = static_cast<std::uint32_t>(entries_.size());
  if (!after.empty()) {
    entries_[by_name_.at(after)].followers.push_back(index);
    entry.has_predecessor = true;
  }
  by_name_.emplace(entry.name, index);
  entries_.push_back(std::move(entry));
}

// A stage is followed by those that name it in `after`, each with its own followers.
void Vocabulary::UpdateDisplayOrder() {
  order_.clear();
  names_.clear();
  std::vector<std::uint32_t> pending;
  for (std::uint32_t root = 0; root < entries_.size(); ++root) {
    if (entries_[root].has_predecessor) continue;
    pending.push_back(root);
    while (!pending.empty()) {
      const std::uint32_t index = pending.back();
      pending.pop_back();
      Entry& entry = entries_[index];
      entry.position = static_cast<std::uint32_t>(order_.size());
      order_.push_back(index);
      names_.push_back(entry.definition);
      pending.insert(pending.end(), entry.followers.rbegin(), entry.followers.rend());
    }
  }
}

}  // namespace moescope::stages
