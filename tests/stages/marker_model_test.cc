// Markers against plain second readings of profile.md: the grammar as regular expressions, the
// stage of every word as a walk over the lines with a stack.

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <regex>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "asm/assembler.h"
#include "asm/disassembler.h"
#include "stages/marker.h"
#include "stages/strip.h"

namespace moescope::stages {
namespace {

// ---- The grammar --------------------------------------------------------------------------------

// What the strict grammar of section 2.1 says: a marker with its parts, or none.
struct ModelMarker {
  std::string directive, name, pair, expert;
};

std::optional<ModelMarker> ParseByGrammar(const std::string& text) {
  static const std::regex kStage(
      "[ \t]*@(stage|stage_push)=([a-z][a-z0-9_]{0,63})((?:[ \t]+(?:pair|expert)=[0-9]+)*)[ \t]*");
  static const std::regex kBare("[ \t]*@(stage_end|stage_pop)[ \t]*");
  static const std::regex kAttribute("(pair|expert)=([0-9]+)");
  std::smatch match;
  if (std::regex_match(text, match, kBare)) return ModelMarker{match[1], "", "", ""};
  if (!std::regex_match(text, match, kStage)) return std::nullopt;
  ModelMarker marker{match[1], match[2], "", ""};
  const std::string attributes = match[3];
  for (std::sregex_iterator it(attributes.begin(), attributes.end(), kAttribute), end; it != end;
       ++it) {
    std::string& target = (*it)[1] == "pair" ? marker.pair : marker.expert;
    if (!target.empty()) return std::nullopt;  // given twice
    std::string digits = (*it)[2];
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
    if (digits.size() > 10 || std::stoull(digits) > 2147483647) return std::nullopt;
    target = digits;
  }
  return marker;
}

TEST(MarkerModelTest, TheGrammarAsRegularExpressions) {
  constexpr const char* kPieces[] = {
      " ",          "\t",  "@",  "stage", "@stage=", "@stage_push=", "@stage_end", "@stage_pop",
      "gather",     "x9_", "9",  "G",     " pair=",  " expert=",     "3",          "2147483647",
      "2147483648", "007", "-1", "=",     ";",       "layer=2",      "\xC3\xA4"};
  std::mt19937 random(1);
  int markers = 0;
  int others = 0;
  for (int round = 0; round < 60'000; ++round) {
    std::string text = random() % 3 == 0 ? "" : " ";
    if (random() % 2 == 0) text += random() % 2 == 0 ? "@stage=gather" : "@stage_push=x9";
    for (std::size_t left = random() % 5; left > 0; --left) {
      text += kPieces[random() % std::size(kPieces)];
    }
    const ParsedComment parsed = ParseMarker(text);
    const Marker* marker = std::get_if<Marker>(&parsed);
    const std::optional<ModelMarker> expected = ParseByGrammar(text);
    ASSERT_EQ(marker != nullptr, expected.has_value()) << "'" << text << "'";
    ++(marker != nullptr ? markers : others);
    if (marker == nullptr) continue;
    constexpr const char* kNames[] = {"stage", "stage_end", "stage_push", "stage_pop"};
    EXPECT_EQ(kNames[static_cast<int>(marker->kind)], expected->directive);
    EXPECT_EQ(marker->name, expected->name);
    EXPECT_EQ(marker->pair ? absl::StrCat(*marker->pair) : "", expected->pair);
    EXPECT_EQ(marker->expert ? absl::StrCat(*marker->expert) : "", expected->expert);
    // The canonical text is a marker that says the same, and is its own canonical text.
    const std::string canonical = MarkerText(*marker);
    ASSERT_TRUE(canonical.starts_with("; ")) << canonical;
    const ParsedComment again = ParseMarker(std::string_view(canonical).substr(1));
    ASSERT_TRUE(std::holds_alternative<Marker>(again));
    EXPECT_EQ(MarkerText(std::get<Marker>(again)), canonical);
  }
  EXPECT_GT(markers, 5'000);
  EXPECT_GT(others, 5'000);
}

// ---- The stage of every word --------------------------------------------------------------------

struct Triple {
  std::string stage = "unattributed";
  std::string pair;
  std::string expert;

  std::string Text() const {
    return absl::StrCat(stage, " ", pair.empty() ? "-" : pair, " ", expert.empty() ? "-" : expert);
  }
};

// A random program with markers and regions, and the triple in force at each word.
class RandomMarkers {
 public:
  explicit RandomMarkers(std::uint32_t seed) : random_(seed) {
    for (std::size_t left = 3 + Below(30); left > 0; --left) Any();
    while (!open_.empty()) Pop();
    Word();
  }

  std::string text;
  std::vector<std::string> expected;  // by word
  std::size_t markers = 0;

 private:
  std::size_t Below(std::size_t limit) { return random_() % limit; }

  void Any() {
    switch (Below(7)) {
      case 0:
        return open_.empty() ? Stage() : Word();
      case 1:
        if (!open_.empty()) return Word();
        Line("; @stage_end");
        now_ = {};
        return;
      case 2:
        return open_.size() < 4 && now_.stage != "unattributed" ? Push() : Word();
      case 3:
        return open_.empty() ? Word() : Pop();
      case 4:
        text += "; prose about @stage things\n";
        return;
      default:
        return Word();
    }
  }

  void Word() {
    absl::StrAppend(&text, "S_EXP_FP f1, f", 1 + Below(7), Below(4) == 0 ? " ; why" : "", "\n");
    expected.push_back(now_.Text());
  }

  void Line(const std::string& line) {
    absl::StrAppend(&text, line, "\n");
    ++markers;
  }

  std::string Attributes(Triple& triple) {
    std::string attributes;
    if (Below(2) == 0) {
      triple.pair = absl::StrCat(Below(4));
      absl::StrAppend(&attributes, " pair=", triple.pair);
    }
    if (Below(3) == 0) {
      triple.expert = absl::StrCat(Below(60));
      absl::StrAppend(&attributes, " expert=", triple.expert);
    }
    return attributes;
  }

  void Stage() {
    constexpr const char* kNames[] = {"gather", "expert_projection", "router_topk",
                                      "scatter_combine", "shared_expert"};
    Triple next{kNames[Below(std::size(kNames))], "", ""};
    const std::string attributes = Attributes(next);
    Line(absl::StrCat("; @stage=", next.stage, attributes));
    now_ = next;  // nothing of the old triple stays
  }

  // A region takes over pair and expert; another pair does not keep the expert. No stage may be
  // open twice.
  void Push() {
    constexpr const char* kNames[] = {"expert_bias", "expert_activation", "shared_gate",
                                      "accumulator_init", "shared_combine"};
    Triple inner{kNames[Below(std::size(kNames))], "", ""};
    for (const Triple& open : open_) {
      if (open.stage == inner.stage) return Word();
    }
    if (now_.stage == inner.stage) return Word();
    const std::string attributes = Attributes(inner);
    const bool same_pair = inner.pair.empty() || inner.pair == now_.pair;
    if (inner.expert.empty() && same_pair) inner.expert = now_.expert;
    if (inner.pair.empty()) inner.pair = now_.pair;
    Line(absl::StrCat("; @stage_push=", inner.stage, attributes));
    open_.push_back(now_);
    now_ = inner;
  }

  void Pop() {
    Line("; @stage_pop");
    now_ = open_.back();
    open_.pop_back();
  }

  std::mt19937 random_;
  Triple now_;
  std::vector<Triple> open_;
};

std::vector<std::string> TriplesOf(const isa::Program& program) {
  std::vector<std::string> triples(program.words.size());
  for (const isa::StageRange& range : program.ranges) {
    for (std::uint32_t pc = range.begin_pc; pc < range.end_pc; ++pc) {
      triples[pc] = absl::StrCat(program.names[range.name].name, " ",
                                 range.pair ? absl::StrCat(*range.pair) : "-", " ",
                                 range.expert ? absl::StrCat(*range.expert) : "-");
    }
  }
  return triples;
}

assembler::Assembly Assembled(const std::string& text) {
  assembler::AssembleOptions options;
  for (const std::string_view rule : assembler::AssemblerRules()) {
    options.rules.Set(rule, RuleLevel::kOff);
  }
  absl::StatusOr<assembler::Assembly> assembly = assembler::Assemble(text, "a.asm", options);
  EXPECT_TRUE(assembly.ok()) << assembly.status() << text;
  return assembly.ok() ? *std::move(assembly) : assembler::Assembly{};
}

TEST(MarkerModelTest, TheTripleOfEveryWord) {
  std::map<std::string, int> seen;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const RandomMarkers source(seed);
    const assembler::Assembly assembly = Assembled(source.text);
    ASSERT_EQ(TriplesOf(assembly.program), source.expected) << source.text;
    EXPECT_TRUE(isa::Validate(assembly.program).ok());
    for (const std::string& triple : source.expected) ++seen[triple];
  }
  EXPECT_GT(seen.size(), 100u);
}

// The markers of the disassembly say the same as those of the source, word for word.
TEST(MarkerModelTest, TheDisassemblySaysTheSame) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const RandomMarkers source(seed);
    const assembler::Assembly assembly = Assembled(source.text);
    const std::string text = assembler::Disassemble(assembly.program);
    EXPECT_EQ(TriplesOf(Assembled(text).program), source.expected) << text;
  }
}

// Stripping takes the markers and nothing else: the same words, none of them in a stage.
TEST(MarkerModelTest, StrippingTakesTheMarkersAlone) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const RandomMarkers source(seed);
    const Stripped stripped = StripMarkers(source.text);
    EXPECT_EQ(stripped.markers, source.markers);
    EXPECT_EQ(FirstMarkerLine(stripped.text), 0u);
    EXPECT_EQ(StripMarkers(stripped.text).text, stripped.text);
    const assembler::Assembly before = Assembled(source.text);
    const assembler::Assembly after = Assembled(stripped.text);
    EXPECT_EQ(after.program.words, before.program.words);
    EXPECT_EQ(TriplesOf(after.program),
              std::vector<std::string>(source.expected.size(), "unattributed - -"));
    EXPECT_EQ(after.program.attribution, isa::AttributionSource::kNone);
  }
}

}  // namespace
}  // namespace moescope::stages
