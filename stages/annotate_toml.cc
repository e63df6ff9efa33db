#include "stages/annotate_toml.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "stages/document_toml.h"
#include "stages/shipped.h"

namespace moescope::stages {

namespace {

using Content = AnnotateRules::Content;

// The shipped detail stages, which a rule may name without loading them.
const Vocabulary& DetailVocabulary() {
  static const Vocabulary vocabulary = [] {
    Vocabulary detail;
    CHECK(detail.Extend(*FindShippedVocabulary("plena_detail"), "plena_detail.toml").ok());
    return detail;
  }();
  return vocabulary;
}

class Reader {
 public:
  Reader(TomlDocument& document, const Vocabulary& vocabulary)
      : document_(document), vocabulary_(vocabulary) {}

  Content Read() {
    document_.CheckKeys(document_.root(), "", {"schema", "version", "attributes", "class", "rule"});
    ReadAttributes();
    ReadClasses();
    ReadRules();
    return std::move(content_);
  }

 private:
  void ReadAttributes() {
    const toml::node* node = document_.root().get("attributes");
    if (node == nullptr) return;
    const toml::table* table = node->as_table();
    if (table == nullptr) {
      document_.Report(*node, "attributes", "must be a table", "MS022");
      return;
    }
    document_.CheckKeys(*table, "attributes", {"pair", "expert", "ignore"});
    content_.pair = ReadPatterns(*table, "attributes", "pair");
    content_.expert = ReadPatterns(*table, "attributes", "expert");
    content_.ignore =
        document_.Texts(*table, "attributes", "ignore").value_or(std::vector<std::string>());
    for (const std::string& prefix : content_.ignore) {
      if (prefix.empty()) {
        document_.Report(*table->get("ignore"), "attributes.ignore", "an entry is empty", "MS022");
      }
    }
  }

  void ReadClasses() {
    const std::vector<const toml::table*> tables = document_.Tables(document_.root(), "class");
    for (std::size_t i = 0; i < tables.size() && !document_.full(); ++i) {
      const std::string path = absl::StrCat("class[", i, "]");
      const toml::table& table = *tables[i];
      document_.CheckKeys(table, path, {"name", "match", "ignore_case"});
      bool ignore_case = false;
      if (const toml::node* node = table.get("ignore_case")) {
        if (!node->is_boolean()) {
          document_.Report(*node, path + ".ignore_case", "must be true or false", "MS022");
        }
        ignore_case = node->value_or(false);
      }
      AnnotateRules::NameClass& added = content_.classes.emplace_back();
      added.name = document_.Text(table, path, "name");
      added.patterns = ReadPatterns(table, path, "match", ignore_case, /*required=*/true);
      if (!class_names_.insert(added.name).second && table.contains("name")) {
        document_.Report(*table.get("name"), path + ".name", "is defined already", "MS031");
      }
    }
  }

  void ReadRules() {
    const std::vector<const toml::table*> tables = document_.Tables(document_.root(), "rule");
    if (tables.empty() && document_.ok()) {
      document_.Report(document_.root(), "rule", "the file has no rule", "MS022");
    }
    std::set<std::string> ids;
    for (std::size_t i = 0; i < tables.size() && !document_.full(); ++i) {
      const std::string path = absl::StrCat("rule[", i, "]");
      const toml::table& table = *tables[i];
      document_.CheckKeys(table, path, {"id", "match", "stage", "action", "detail", "case"});
      const std::string& id = content_.ids.emplace_back(document_.Text(table, path, "id"));
      if (!ids.insert(id).second && table.contains("id")) {
        document_.Report(*table.get("id"), path + ".id", "is defined already", "MS031");
      }
      AnnotateRules::Rule& rule = content_.rules.emplace_back();
      rule.patterns = ReadPatterns(table, path, "match", false, /*required=*/true);
      if (!table.contains("case")) {
        rule.cases.push_back({{}, std::nullopt, ReadVerdict(table, path)});
        continue;
      }
      for (const char* other : {"stage", "action", "detail"}) {
        if (table.contains(other)) {
          document_.Report(*table.get(other), absl::StrCat(path, ".", other),
                           "cannot stand beside 'case'", "MS031");
        }
      }
      const std::vector<const toml::table*> cases = document_.Tables(table, "case");
      for (std::size_t c = 0; c < cases.size(); ++c) {
        rule.cases.push_back(
            ReadCase(*cases[c], absl::StrCat(path, ".case[", c, "]"), rule.patterns));
      }
    }
  }

  AnnotateRules::Case ReadCase(const toml::table& table, const std::string& path,
                               const std::vector<ProsePattern>& patterns) {
    AnnotateRules::Case read;
    for (const auto& [key, node] : table) {
      const std::string_view name = key.str();
      if (name == "stage" || name == "action" || name == "detail") continue;
      if (name == "in_force") {
        read.stage_in_force = document_.Text(table, path, name);
        CheckStage(node, path + ".in_force", *read.stage_in_force, vocabulary_);
        continue;
      }
      const bool is_shape = name.ends_with("_like");
      const std::string_view letter = is_shape ? name.substr(0, name.size() - 5) : name;
      const bool is_captured =
          letter.size() == 1 && letter[0] >= 'a' && letter[0] <= 'z' &&
          std::all_of(patterns.begin(), patterns.end(),
                      [&](const ProsePattern& p) { return p.HasName(letter[0]); });
      if (!is_captured) {
        document_.Report(node, absl::StrCat(path, ".", Absl(name)),
                         "is neither a key nor a name that every pattern of the rule captures",
                         "MS031");
        continue;
      }
      AnnotateRules::Condition& condition = read.conditions.emplace_back();
      condition.letter = letter[0];
      const std::string text = document_.Text(table, path, name);
      if (is_shape) {
        condition.shape = ReadPattern(node, absl::StrCat(path, ".", Absl(name)), text, false);
      } else {
        condition.name_class = text;
        CheckClass(node, absl::StrCat(path, ".", Absl(name)), text);
      }
      if (!condition.shape && !condition.name_class) read.conditions.pop_back();
    }
    read.verdict = ReadVerdict(table, path);
    return read;
  }

  // `stage`, or `action`, exactly one of them.
  Verdict ReadVerdict(const toml::table& table, const std::string& path) {
    Verdict verdict;
    if (table.contains("stage") == table.contains("action")) {
      document_.Report(table, path, "needs either 'stage' or 'action'", "MS031");
      return verdict;
    }
    if (const toml::node* node = table.get("action")) {
      const std::string action = document_.Text(table, path, "action");
      if (action == "end") verdict.action = ProseAction::kEnd;
      if (action == "keep") verdict.action = ProseAction::kKeep;
      if (action == "defer") verdict.action = ProseAction::kDefer;
      if (verdict.action == ProseAction::kUndecided && node->is_string()) {
        document_.Report(*node, path + ".action", "must be \"end\", \"keep\" or \"defer\"",
                         "MS022");
      }
      return verdict;
    }
    verdict.action = ProseAction::kStage;
    verdict.stage = document_.Text(table, path, "stage");
    if (CheckStage(*table.get("stage"), path + ".stage", verdict.stage, vocabulary_)) {
      verdict.scope = vocabulary_.names()[*vocabulary_.Index(verdict.stage)].scope;
    }
    if (const toml::node* node = table.get("detail")) {
      verdict.detail = document_.Text(table, path, "detail");
      if (!vocabulary_.Index(verdict.detail)) {
        CheckStage(*node, path + ".detail", verdict.detail, DetailVocabulary());
      }
    }
    return verdict;
  }

  bool CheckStage(const toml::node& node, const std::string& path, const std::string& name,
                  const Vocabulary& vocabulary) {
    if (!node.is_string()) return false;
    const absl::StatusOr<Stage> stage = vocabulary.Find(name);
    if (!stage.ok()) document_.Report(node, path, std::string(stage.status().message()), "MS031");
    return stage.ok();
  }

  void CheckClass(const toml::node& node, const std::string& path, const std::string& name) {
    if (!node.is_string() || class_names_.contains(name)) return;
    const std::vector<std::string_view> candidates(class_names_.begin(), class_names_.end());
    document_.Report(node, path,
                     absl::StrCat("unknown name class '", name, "'", DidYouMean(name, candidates)),
                     "MS031");
  }

  std::vector<ProsePattern> ReadPatterns(const toml::table& table, const std::string& path,
                                         std::string_view key, bool ignore_case = false,
                                         bool required = false) {
    const std::string key_path = absl::StrCat(path, ".", Absl(key));
    const std::optional<std::vector<std::string>> texts = document_.Texts(table, path, key);
    if (required && !table.contains(key)) document_.Report(table, key_path, "missing", "MS022");
    if (required && texts && texts->empty()) {
      document_.Report(*table.get(key), key_path, "is empty", "MS022");
    }
    std::vector<ProsePattern> patterns;
    for (const std::string& text : texts.value_or(std::vector<std::string>())) {
      if (auto pattern = ReadPattern(*table.get(key), key_path, text, ignore_case)) {
        patterns.push_back(*std::move(pattern));
      }
    }
    return patterns;
  }

  std::optional<ProsePattern> ReadPattern(const toml::node& node, const std::string& key_path,
                                          const std::string& text, bool ignore_case) {
    absl::StatusOr<ProsePattern> pattern = ProsePattern::Parse(text, ignore_case);
    if (pattern.ok()) return *std::move(pattern);
    document_.Report(node, key_path,
                     absl::StrCat("pattern \"", text, "\": ", pattern.status().message()), "MS030");
    return std::nullopt;
  }

  TomlDocument& document_;
  const Vocabulary& vocabulary_;
  Content content_;
  std::set<std::string> class_names_;
};

}  // namespace

absl::StatusOr<AnnotateRules::Content> ParseAnnotateRules(std::string_view toml,
                                                          const std::string& path,
                                                          const Vocabulary& vocabulary) {
  ASSIGN_OR_RETURN(TomlDocument document, TomlDocument::Parse(toml, path, "moescope.annotate", 1));
  Content content = Reader(document, vocabulary).Read();
  if (!document.ok()) return document.ToStatus();
  return content;
}

}  // namespace moescope::stages
