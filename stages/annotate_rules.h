#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "isa/program.h"
#include "stages/prose_pattern.h"
#include "stages/vocabulary.h"

namespace moescope::stages {

enum class ProseAction : std::uint8_t {
  kStage,      // the instructions that follow belong to the stage
  kEnd,        // they belong to no stage
  kKeep,       // the comment decides nothing
  kDefer,      // they belong to what the next deciding comment says
  kUndecided,  // the rule has no case for the operand names of the comment
};

// What a rule says about a comment.
struct Verdict {
  ProseAction action = ProseAction::kUndecided;
  std::string stage;  // of kStage
  isa::StageScope scope = isa::StageScope::kLayer;
  std::string detail;  // region below the stage; empty = none
};

// The outcome for one comment: the rule, and what the comment says about pair and expert. An
// attribute that occurs with several values is not stated.
struct ProseMatch {
  std::size_t rule = 0;  // index into AnnotateRules::ids()
  Verdict verdict;
  std::optional<std::uint32_t> pair;
  std::optional<std::uint32_t> expert;
};

// The rule file of `moescope annotate` (profile.md, 4.1).
class AnnotateRules {
 public:
  // Reads TOML text; `path` is for messages (MS020 to MS022, MS030, MS031). Stages have to be in
  // `vocabulary`, details there or in the shipped plena_detail.
  static absl::StatusOr<AnnotateRules> Parse(std::string_view toml, const std::string& path,
                                             const Vocabulary& vocabulary);
  // The rules of this binary.
  static const AnnotateRules& Shipped();

  const std::vector<std::string>& ids() const { return ids_; }

  // The verdict on a comment, given as the text behind ';'. Nothing when no rule fits. Only the
  // first kLongestComment bytes are looked at.
  static constexpr std::size_t kLongestComment = 4096;
  std::optional<ProseMatch> Match(std::string_view comment, std::string_view stage_in_force) const;

  struct NameClass {
    std::string name;
    std::vector<ProsePattern> patterns;
  };
  // A demand on an operand name: its class, or its shape.
  struct Condition {
    char letter = 'm';
    std::optional<std::string> name_class;
    std::optional<ProsePattern> shape;
  };
  struct Case {
    std::vector<Condition> conditions;
    std::optional<std::string> stage_in_force;
    Verdict verdict;
  };
  struct Rule {
    std::vector<ProsePattern> patterns;
    std::vector<Case> cases;  // the first that holds
  };
  // What a rule file holds, checked.
  struct Content {
    std::vector<NameClass> classes;
    std::vector<std::string> ids;
    std::vector<Rule> rules;  // parallel to ids
    std::vector<ProsePattern> pair;
    std::vector<ProsePattern> expert;
    std::vector<std::string> ignore;
  };

 private:
  explicit AnnotateRules(Content content);

  std::string_view ClassOf(std::string_view name) const;
  bool Holds(const Case& candidate, const Captures& captures,
             std::string_view stage_in_force) const;
  Verdict Decide(const Rule& rule, const Captures& captures, std::string_view stage_in_force) const;
  std::string WithoutIgnoredWords(std::string_view comment) const;

  std::vector<std::string> ids_;
  Content content_;
};

}  // namespace moescope::stages
