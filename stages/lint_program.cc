#include "stages/lint_program.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace moescope::stages {

namespace {

std::vector<std::size_t> LineStarts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    starts.push_back(at + 1);
  }
  return starts;
}

}  // namespace

LintProgram::LintProgram(const LintInput& input) : input_(input) {
  const isa::InstructionSet& set = isa::InstructionSet::Builtin();
  decoded_.reserve(size());
  for (const std::uint32_t word : program().words) decoded_.push_back(set.Decode(word));
  range_of_.resize(size());
  for (std::uint32_t i = 0; i < ranges().size(); ++i) {
    std::fill(range_of_.begin() + ranges()[i].begin_pc, range_of_.begin() + ranges()[i].end_pc, i);
  }
  for (const isa::StageName& name : program().names) {
    const std::optional<std::uint32_t> index = input.vocabulary->Index(name.name);
    rules_.push_back(index ? input.vocabulary->rules(*index) : StageRules());
  }
  for (const std::string& source : input.sources) line_starts_.push_back(LineStarts(source));
  FindLoops();
}

void LintProgram::FindLoops() {
  innermost_loop_.assign(size(), kNone);
  outermost_loop_.assign(size(), kNone);
  std::vector<std::uint32_t> open;
  for (std::uint32_t pc = 0; pc < size(); ++pc) {
    if (!open.empty()) {
      innermost_loop_[pc] = open.back();
      outermost_loop_[pc] = open.front();
    }
    if (Is(pc, "C_LOOP_START")) open.push_back(pc);
    if (Is(pc, "C_LOOP_END") && !open.empty()) open.pop_back();
  }
}

bool LintProgram::IsPush(std::uint32_t range) const {
  return range > 0 && ranges()[range].parent == range - 1;
}

bool LintProgram::IsPop(std::uint32_t range) const {
  if (range == 0 || IsPush(range)) return false;
  // A region that opened outside every stage has no parent; its pop looks like @stage_end.
  return ranges()[range - 1].parent.has_value();
}

bool LintProgram::HasSameTriple(std::uint32_t a, std::uint32_t b) const {
  const isa::StageRange& x = ranges()[a];
  const isa::StageRange& y = ranges()[b];
  return x.name == y.name && x.pair == y.pair && x.expert == y.expert;
}

bool LintProgram::HasMarkers() const {
  return std::any_of(ranges().begin(), ranges().end(),
                     [](const isa::StageRange& range) { return range.line > 0; });
}

bool LintProgram::HasMnemonic(std::string_view mnemonic) const {
  for (std::uint32_t pc = 0; pc < size(); ++pc) {
    if (Is(pc, mnemonic)) return true;
  }
  return false;
}

const isa::StageName& LintProgram::NameOf(std::uint32_t range) const {
  return program().names[ranges()[range].name];
}

const StageRules& LintProgram::RulesOf(std::uint32_t range) const {
  return rules_[ranges()[range].name];
}

std::optional<std::uint32_t> LintProgram::LoopAround(std::uint32_t pc) const {
  if (pc >= size() || innermost_loop_[pc] == kNone) return std::nullopt;
  return innermost_loop_[pc];
}

std::optional<std::uint32_t> LintProgram::OutermostLoopAround(std::uint32_t pc) const {
  if (pc >= size() || outermost_loop_[pc] == kNone) return std::nullopt;
  return outermost_loop_[pc];
}

SourceLocation LintProgram::PlaceOf(const isa::SourcePosition& position) const {
  SourceLocation place;
  if (position.file < program().files.size()) place.file = program().files[position.file];
  place.line = position.line;
  place.column = position.column;
  return place;
}

SourceLocation LintProgram::PlaceOf(std::uint32_t pc) const {
  if (pc >= program().positions.size()) return {};
  return PlaceOf(program().positions[pc]);
}

SourceLocation LintProgram::PlaceOfMarker(std::uint32_t range) const {
  const isa::StageRange& marker = ranges()[range];
  if (marker.line == 0) return {};
  return PlaceOf(isa::SourcePosition{marker.file, marker.line, 1});
}

std::string LintProgram::SourceLineOf(const SourceLocation& location) const {
  const auto file = std::find(program().files.begin(), program().files.end(), location.file);
  const auto index = static_cast<std::size_t>(file - program().files.begin());
  if (index >= input_.sources.size() || location.line == 0) return "";
  const std::vector<std::size_t>& starts = line_starts_[index];
  if (location.line > starts.size()) return "";
  std::string_view text = std::string_view(input_.sources[index]).substr(starts[location.line - 1]);
  text = text.substr(0, std::min<std::size_t>(text.find('\n'), 1000));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return std::string(text);
}

RawFinding& LintProgram::ReportPlace(std::string_view id, const SourceLocation& place,
                                     std::string message) {
  RawFinding& raw = findings_.emplace_back();
  raw.id = id;
  Diagnostic& diagnostic = raw.finding.diagnostic;
  diagnostic.id = std::string(id);
  diagnostic.message = std::move(message);
  diagnostic.location = place;
  return raw;
}

RawFinding& LintProgram::ReportAt(std::string_view id, std::uint32_t pc, std::string message) {
  RawFinding& raw = ReportPlace(id, PlaceOf(pc), std::move(message));
  const std::uint32_t range = RangeOf(pc);
  raw.range = range;
  raw.finding.pc = pc;
  raw.finding.stage = NameOf(range).name;
  if (IsMarked(range)) {
    raw.finding.diagnostic.notes.push_back(
        {absl::StrCat("the marker in force (", NameOf(range).name, ")"), PlaceOfMarker(range)});
  }
  return raw;
}

RawFinding& LintProgram::ReportMarker(std::string_view id, std::uint32_t range,
                                      std::string message) {
  RawFinding& raw = ReportPlace(id, PlaceOfMarker(range), std::move(message));
  raw.range = range;
  raw.finding.pc = ranges()[range].begin_pc;
  raw.finding.stage = NameOf(range).name;
  return raw;
}

}  // namespace moescope::stages
