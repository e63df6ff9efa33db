#include "stages/vocabulary_toml.h"

#include <optional>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/string_view.h"
#include "stages/builtin_stages.h"
#include "stages/document_toml.h"

namespace moescope::stages {

namespace {

class Reader {
 public:
  Reader(TomlDocument& document, const Vocabulary& known) : document_(document), known_(known) {}

  std::vector<ExtensionStage> Read() {
    document_.CheckKeys(document_.root(), "", {"schema", "version", "stage"});
    const std::vector<const toml::table*> tables = document_.Tables(document_.root(), "stage");
    if (tables.empty() && document_.ok()) {
      document_.Report(document_.root(), "stage", "defines no stage", "MS022");
    }
    const std::size_t before = known_.names().size() - kBuiltinStages.size();
    std::vector<ExtensionStage> stages;
    for (std::size_t i = 0; i < tables.size() && !document_.full(); ++i) {
      if (before + i == kMaximumExtensionStages) {
        document_.Report(*tables[i], absl::StrCat("stage[", i, "]"),
                         absl::StrCat("more than ", kMaximumExtensionStages, " extension stages"),
                         "MS025");
        break;
      }
      stages.push_back(ReadStage(*tables[i], absl::StrCat("stage[", i, "]")));
    }
    return stages;
  }

 private:
  ExtensionStage ReadStage(const toml::table& table, const std::string& path) {
    document_.CheckKeys(table, path,
                        {"name", "summary", "scope", "after", "parent", "plausible", "must"});
    ExtensionStage stage;
    stage.name.origin = isa::StageOrigin::kExtension;
    stage.name.scope = ReadScope(table, path);
    stage.name.parent = ReadReference(table, path, "parent");
    stage.after = ReadReference(table, path, "after");
    stage.name.name = ReadName(table, path);
    stage.rules.summary = ReadSummary(table, path);
    if (const auto groups = ReadGroups(table, path, "plausible")) {
      stage.rules.plausible = {isa::Group::kInt};
      for (const GroupSet& set : *groups) stage.rules.plausible.Add(set);
    }
    if (const auto groups = ReadGroups(table, path, "must")) {
      stage.rules.must = *groups;
    }
    return stage;
  }

  std::string ReadName(const toml::table& table, const std::string& path) {
    std::string name = document_.Text(table, path, "name");
    if (!table.contains("name") || !table.get("name")->is_string()) return "";
    const auto refuse = [&](std::string_view problem) {
      document_.Report(*table.get("name"), path + ".name", problem, "MS023");
    };
    const std::optional<std::uint32_t> index = known_.Index(name);
    if (!IsStageName(name)) {
      refuse("must match [a-z][a-z0-9_]{0,63}");
    } else if (IsReservedStageName(name)) {
      refuse("is reserved");
    } else if (index && known_.names()[*index].origin == isa::StageOrigin::kBuiltin) {
      refuse("is a built-in stage and cannot be redefined");
    } else if (index || !here_.insert(name).second) {
      refuse("is defined already");
    }
    return name;
  }

  std::string ReadSummary(const toml::table& table, const std::string& path) {
    std::string summary = document_.Text(table, path, "summary");
    const toml::node* node = table.get("summary");
    if (node != nullptr && node->is_string() && !summary.ends_with('.')) {
      document_.Report(*node, path + ".summary", "must end with a full stop", "MS022");
    }
    return summary;
  }

  isa::StageScope ReadScope(const toml::table& table, const std::string& path) {
    const std::string scope = document_.Text(table, path, "scope");
    if (scope == "pair") return isa::StageScope::kPair;
    const toml::node* node = table.get("scope");
    if (scope != "layer" && node != nullptr && node->is_string()) {
      document_.Report(*node, path + ".scope", "must be \"layer\" or \"pair\"", "MS022");
    }
    return isa::StageScope::kLayer;
  }

  // A stage that is defined already, in another file or above in this one.
  std::string ReadReference(const toml::table& table, const std::string& path,
                            std::string_view key) {
    std::string name = document_.Text(table, path, key, /*optional=*/true);
    const toml::node* node = table.get(key);
    if (node == nullptr || !node->is_string()) return "";
    if (known_.Index(name) || here_.contains(name)) return name;
    document_.Report(*node, absl::StrCat(path, ".", Absl(key)),
                     std::string(known_.Find(name).status().message()), "MS024");
    return "";
  }

  // Group names, each a single one or several that belong together ("VRD+SFP").
  std::optional<std::vector<GroupSet>> ReadGroups(const toml::table& table, const std::string& path,
                                                  std::string_view key) {
    const auto texts = document_.Texts(table, path, key);
    if (!texts) return std::nullopt;
    std::vector<GroupSet> groups;
    for (const std::string& text : *texts) {
      GroupSet set;
      for (const absl::string_view part : absl::StrSplit(text, '+')) {
        if (const auto group = FindGroup({part.data(), part.size()})) {
          set.Add(*group);
        } else {
          document_.Report(*table.get(key), absl::StrCat(path, ".", Absl(key)),
                           absl::StrCat("unknown instruction group '", part,
                                        "'; known: ", ToString(GroupSet::All(), ", ")),
                           "MS024");
        }
      }
      groups.push_back(set);
    }
    return groups;
  }

  TomlDocument& document_;
  const Vocabulary& known_;
  std::unordered_set<std::string> here_;
};

}  // namespace

absl::StatusOr<std::vector<ExtensionStage>> ParseVocabulary(std::string_view toml,
                                                            const std::string& path,
                                                            const Vocabulary& known) {
  ASSIGN_OR_RETURN(TomlDocument document, TomlDocument::Parse(toml, path, "moescope.stages", 1));
  std::vector<ExtensionStage> stages = Reader(document, known).Read();
  if (!document.ok()) return document.ToStatus();
  return stages;
}

}  // namespace moescope::stages
