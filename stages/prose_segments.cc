#include "stages/prose_segments.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "stages/source_text.h"

namespace moescope::stages {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "; Tile row 7 of 12" -> "Tile row {n} of {n}".
std::string ShapeOf(std::string_view comment) {
  std::string shape;
  for (std::size_t i = 0; i < comment.size(); ++i) {
    if (!IsDigit(comment[i])) {
      shape += comment[i];
    } else if (i == 0 || !IsDigit(comment[i - 1])) {
      shape += "{n}";
    }
  }
  return shape;
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// A comment that says something: not a ruler, and not one of ours.
bool IsProse(std::string_view comment) {
  const bool has_word = std::any_of(comment.begin(), comment.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
  return has_word && !comment.starts_with("@lint");
}

class Segmenter {
 public:
  Segmenter(const AnnotateRules& rules, AnnotateReport& report) : rules_(rules), report_(report) {
    for (const std::string& id : rules.ids()) report_.rules.push_back({id, 0, 0});
  }

  ProseSegments Run(std::string_view text) {
    SourceReader reader(text);
    for (SourceLine line; reader.Next(line);) {
      if (result_.segments.empty()) Begin(line);
      if (HandleDirective(line)) continue;
      if (!line.statement.empty()) OnWord(line);
      if (line.HasOnlyComment() && line.is_semicolon) OnComment(line);
    }
    Finish();
    return std::move(result_);
  }

 private:
  ProseSegment& Current() { return result_.segments.back(); }

  // A new segment that says what the current one says.
  ProseSegment& Begin(const SourceLine& line) {
    if (!result_.segments.empty() && Current().words == 0) {
      ProseSegment& reused = Current();  // nothing came of it
      reused.offset = line.offset;
    } else {
      ProseSegment next;
      if (!result_.segments.empty()) {
        next = Current();
        next.must_restate = false;
        next.words = 0;
        next.loop_balance = next.loop_lowest = 0;
      }
      next.offset = line.offset;
      result_.segments.push_back(std::move(next));
    }
    Current().line_end = line.whole.ends_with("\r\n") ? "\r\n" : "\n";
    return Current();
  }

  // True for lines that are no instruction: macro bodies and directives.
  bool HandleDirective(const SourceLine& line) {
    const std::string_view word = line.FirstWord();
    if (is_in_macro_) {
      is_in_macro_ = !EqualsIgnoringCase(word, ".endm");
      return true;
    }
    if (!line.IsDirective()) return false;
    is_in_macro_ = EqualsIgnoringCase(word, ".macro");
    const bool breaks_text_order = EqualsIgnoringCase(word, ".include") ||
                                   EqualsIgnoringCase(word, ".rept") ||
                                   EqualsIgnoringCase(word, ".endr");
    if (is_in_macro_ || breaks_text_order) result_.is_flat = false;
    restate_ |= breaks_text_order;
    return !EqualsIgnoringCase(word, ".word");
  }

  void OnWord(const SourceLine& line) {
    if (restate_) {
      Begin(line).must_restate = true;
      restate_ = false;
    }
    ProseSegment& segment = Current();
    ++segment.words;
    if (EqualsIgnoringCase(line.FirstWord(), "C_LOOP_START")) ++segment.loop_balance;
    if (EqualsIgnoringCase(line.FirstWord(), "C_LOOP_END")) --segment.loop_balance;
    segment.loop_lowest = std::min(segment.loop_lowest, segment.loop_balance);
  }

  void OnComment(const SourceLine& line) {
    const std::string_view comment = Trimmed(line.comment);
    if (!IsProse(comment)) return;
    const std::optional<ProseMatch> match = rules_.Match(comment, InForce());
    if (!match) return OnUnmatched(line, comment);
    ++report_.rules[match->rule].comments;
    switch (match->verdict.action) {
      case ProseAction::kKeep:
        return;
      case ProseAction::kDefer:
        return OnDefer(line, *match);
      default:
        return OnDecision(line, comment, *match);
    }
  }

  // While a comment waits for the next one, what counts is the stage in front of it.
  std::string_view InForce() { return is_deferred_ ? before_.stage : Current().stage; }

  void OnUnmatched(const SourceLine& line, std::string_view comment) {
    const auto [position, is_new] = shapes_.try_emplace(ShapeOf(comment));
    if (is_new) position->second.first_line = line.number;
    ++position->second.count;
    if (is_deferred_) return;
    Begin(line).is_decided = false;
    Current().rule = ProseSegment::kNoRule;
  }

  void OnDefer(const SourceLine& line, const ProseMatch& match) {
    if (!is_deferred_) {
      before_ = Current();
      Begin(line);
      SendToBucket();
      is_deferred_ = true;
    }
    if (match.pair) deferred_pair_ = match.pair;
    if (match.expert) deferred_expert_ = match.expert;
  }

  void OnDecision(const SourceLine& line, std::string_view comment, const ProseMatch& match) {
    if (!is_deferred_) {
      before_ = Current();
      Begin(line);
    }
    ProseSegment& segment = Current();
    segment.is_decided = match.verdict.action != ProseAction::kUndecided;
    segment.rule = match.rule;
    segment.stage = match.verdict.stage;
    segment.detail = match.verdict.detail;
    SetAttributes(segment, match);
    if (!segment.is_decided) {
      report_.undecided.push_back({line.number, rules_.ids()[match.rule], std::string(comment)});
    }
    is_deferred_ = false;
    deferred_pair_.reset();
    deferred_expert_.reset();
  }

  void SetAttributes(ProseSegment& segment, const ProseMatch& match) const {
    segment.pair.reset();
    segment.expert.reset();
    if (segment.stage.empty() || match.verdict.scope == isa::StageScope::kLayer) return;
    const std::optional<std::uint32_t> pair = match.pair ? match.pair : deferred_pair_;
    const std::optional<std::uint32_t> expert = match.expert ? match.expert : deferred_expert_;
    const bool is_other_pair = pair && pair != before_.pair;
    const bool is_other_expert = expert && expert != before_.expert;
    segment.pair = pair || is_other_expert ? pair : before_.pair;
    segment.expert = expert || is_other_pair ? expert : before_.expert;
  }

  void SendToBucket() {
    Current().stage.clear();
    Current().detail.clear();
    Current().pair.reset();
    Current().expert.reset();
    Current().is_decided = false;
    Current().rule = ProseSegment::kNoRule;
  }

  void Finish() {
    std::erase_if(result_.segments, [](const ProseSegment& s) { return s.words == 0; });
    for (const ProseSegment& segment : result_.segments) {
      report_.words += segment.words;
      if (!segment.is_decided) continue;
      report_.decided_words += segment.words;
      report_.rules[segment.rule].words += segment.words;
    }
    for (auto& [shape, seen] : shapes_) {
      report_.unmatched.push_back({shape, seen.count, seen.first_line});
    }
    std::stable_sort(report_.unmatched.begin(), report_.unmatched.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
  }

  struct Seen {
    std::uint64_t count = 0;
    std::uint32_t first_line = 0;
  };

  const AnnotateRules& rules_;
  AnnotateReport& report_;
  ProseSegments result_;
  std::map<std::string, Seen> shapes_;
  bool is_in_macro_ = false;
  bool restate_ = false;
  bool is_deferred_ = false;
  ProseSegment before_;  // what was in force in front of the comment being decided
  std::optional<std::uint32_t> deferred_pair_;
  std::optional<std::uint32_t> deferred_expert_;
};

}  // namespace

ProseSegments SegmentProse(std::string_view text, const AnnotateRules& rules,
                           AnnotateReport& report) {
  return Segmenter(rules, report).Run(text);
}

}  // namespace moescope::stages
