#include "stages/annotate_rules.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "stages/annotate_toml.h"
#include "stages/marker.h"
#include "stages/shipped.h"

namespace moescope::stages {

namespace {

std::optional<std::uint32_t> ValueOf(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || value > kMaximumAttribute) return std::nullopt;
  return value;
}

// The number that the first pattern with a match gives; nothing when it occurs with different
// values.
std::optional<std::uint32_t> FindAttribute(const std::vector<ProsePattern>& patterns,
                                           std::string_view text) {
  for (const ProsePattern& pattern : patterns) {
    std::optional<std::uint32_t> value;
    Captures captures;
    for (std::string_view rest = text; pattern.Search(rest, captures);) {
      const std::string_view digits = captures.number();
      const std::optional<std::uint32_t> found = ValueOf(digits);
      if (!found || (value && value != found)) return std::nullopt;
      value = found;
      rest.remove_prefix(static_cast<std::size_t>(digits.data() - rest.data()) + digits.size());
    }
    if (value) return value;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<AnnotateRules> AnnotateRules::Parse(std::string_view toml, const std::string& path,
                                                   const Vocabulary& vocabulary) {
  ASSIGN_OR_RETURN(Content content, ParseAnnotateRules(toml, path, vocabulary));
  return AnnotateRules(std::move(content));
}

const AnnotateRules& AnnotateRules::Shipped() {
  static const AnnotateRules rules = [] {
    absl::StatusOr<AnnotateRules> parsed =
        Parse(ShippedAnnotateRules(), "plena_prose.toml", Vocabulary());
    CHECK_BECAUSE(parsed.ok(), parsed.status().ToString().c_str());
    return *std::move(parsed);
  }();
  return rules;
}

AnnotateRules::AnnotateRules(Content content) : ids_(content.ids), content_(std::move(content)) {}

std::optional<ProseMatch> AnnotateRules::Match(std::string_view comment,
                                               std::string_view stage_in_force) const {
  const std::size_t begin = comment.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view text = comment.substr(begin, kLongestComment);
  for (std::size_t i = 0; i < content_.rules.size(); ++i) {
    for (const ProsePattern& pattern : content_.rules[i].patterns) {
      Captures captures;
      if (!pattern.MatchesBeginOf(text, captures)) continue;
      ProseMatch match{.rule = i, .verdict = Decide(content_.rules[i], captures, stage_in_force)};
      if (match.verdict.action != ProseAction::kKeep) {
        const std::string searched = WithoutIgnoredWords(text);
        match.pair = FindAttribute(content_.pair, searched);
        match.expert = FindAttribute(content_.expert, searched);
      }
      return match;
    }
  }
  return std::nullopt;
}

// Of a name like "step6_router_logits"; an index behind it was cut off by the pattern.
std::string_view AnnotateRules::ClassOf(std::string_view name) const {
  for (const NameClass& candidate : content_.classes) {
    for (const ProsePattern& pattern : candidate.patterns) {
      if (pattern.MatchesAllOf(name)) return candidate.name;
    }
  }
  return "";
}

bool AnnotateRules::Holds(const Case& candidate, const Captures& captures,
                          std::string_view stage_in_force) const {
  if (candidate.stage_in_force && *candidate.stage_in_force != stage_in_force) return false;
  return std::all_of(candidate.conditions.begin(), candidate.conditions.end(),
                     [&](const Condition& condition) {
                       const std::string_view name = captures.Name(condition.letter);
                       if (condition.shape) return condition.shape->MatchesAllOf(name);
                       return ClassOf(name) == *condition.name_class;
                     });
}

Verdict AnnotateRules::Decide(const Rule& rule, const Captures& captures,
                              std::string_view stage_in_force) const {
  for (const Case& candidate : rule.cases) {
    if (Holds(candidate, captures, stage_in_force)) return candidate.verdict;
  }
  return {};
}

std::string AnnotateRules::WithoutIgnoredWords(std::string_view comment) const {
  std::string text(comment);
  for (const std::string& prefix : content_.ignore) {
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
      const bool begins_word = at == 0 || text[at - 1] == ' ' || text[at - 1] == ',';
      if (!begins_word) {
        at += prefix.size();
        continue;
      }
      const std::size_t end = std::min(text.find_first_of(" ,", at), text.size());
      text.erase(at, end - at);
    }
  }
  return text;
}

}  // namespace moescope::stages
