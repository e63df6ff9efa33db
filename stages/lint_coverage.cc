#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "stages/annotate_rules.h"
#include "stages/lint_rules.h"
#include "stages/source_text.h"

namespace moescope::stages {

namespace {

void LintNeverExecuted(LintProgram& program) {
  if (!program.input().executed) return;
  using Key = std::pair<std::string, std::optional<std::uint32_t>>;
  std::map<Key, std::uint64_t> executed;
  for (const ExecutedStage& stage : *program.input().executed) {
    executed[{stage.stage, stage.pair}] += stage.instructions;
  }
  std::set<Key> seen;
  for (std::uint32_t i = 0; i < program.ranges().size(); ++i) {
    if (program.IsBucket(i) || program.IsEmpty(i)) continue;
    const isa::StageRange& range = program.ranges()[i];
    const Key key{program.NameOf(i).name, range.pair};
    const auto found = executed.find(key);
    if ((found != executed.end() && found->second > 0) || !seen.insert(key).second) continue;
    program.ReportMarker(
        "MS111", i,
        absl::StrCat("'", key.first, "'",
                     range.pair ? absl::StrCat(" of pair ", *range.pair) : std::string(),
                     " executed no instruction in the profile"));
  }
}

// "12.3 %", rounded down.
std::string Percent(std::uint64_t ppm) {
  return absl::StrCat(ppm / 10'000, ".", ppm % 10'000 / 1'000, " %");
}

void LintUnattributed(LintProgram& program, std::uint32_t max_ppm) {
  std::uint64_t bucket = 0;
  std::optional<std::uint32_t> first;
  for (std::uint32_t i = 0; i < program.ranges().size(); ++i) {
    if (!program.IsBucket(i) || program.IsEmpty(i)) continue;
    if (!first) first = program.ranges()[i].begin_pc;
    bucket += program.ranges()[i].end_pc - program.ranges()[i].begin_pc;
  }
  if (bucket * 1'000'000 <= std::uint64_t{max_ppm} * program.size()) return;
  const std::string message =
      program.HasMarkers()
          ? absl::StrCat(bucket, " of ", program.size(), " instructions (",
                         Percent(bucket * 1'000'000 / program.size()),
                         ") belong to no stage; the limit is ", Percent(max_ppm))
          : absl::StrCat("the program has no stage marker, so its ", program.size(),
                         " instructions belong to no stage; write '; @stage=<name>' in front of "
                         "each part");
  RawFinding& finding = program.ReportAt("MS112", *first, message);
  finding.range.reset();  // it is about the program
}

void LintProseOnly(LintProgram& program) {
  if (program.HasMarkers()) return;
  std::uint64_t known = 0;
  SourceLocation first;
  for (std::size_t file = 0; file < program.input().sources.size(); ++file) {
    SourceReader reader(program.input().sources[file]);
    for (SourceLine line; reader.Next(line);) {
      if (!line.HasOnlyComment() || !line.is_semicolon) continue;
      if (!AnnotateRules::Shipped().Match(line.comment, "")) continue;
      if (known++ == 0) {
        first = program.PlaceOf(
            isa::SourcePosition{static_cast<std::uint32_t>(file), line.number,
                                static_cast<std::uint32_t>(line.comment_start + 1)});
      }
    }
  }
  if (known == 0) return;
  program.ReportPlace(
      "MS115", first,
      absl::StrCat("no stage marker, but ", known, known == 1 ? " comment" : " comments",
                   " that the rules of 'moescope annotate' know; run it to make markers of them"));
}

}  // namespace

void LintCoverage(LintProgram& program, const LintOptions& options) {
  LintNeverExecuted(program);
  LintUnattributed(program, options.max_unattributed_ppm);
  LintProseOnly(program);
}

}  // namespace moescope::stages
