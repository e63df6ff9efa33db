#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/string_view.h"
#include "cli/session/isa_validation.h"
#include "isa/names.h"

namespace moescope::session {

namespace {

using Run = ProgramValidation::Run;

// "1 word", "2 words".
std::string Count(std::uint64_t count, const char* what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

std::string WordText(const ChangedWord& word) {
  return absl::StrFormat("0x%08X '%s' became '%s'", word.word, word.before, word.after);
}

std::string VerdictText(const IsaValidation& v) {
  std::string text(IsaVerdictName(v.verdict));
  if (v.verdict == IsaVerdict::kCompatible && v.timing_changed) text += ", timing changed";
  return text;
}

std::string RunText(const ProgramValidation& program) {
  switch (program.run) {
    case Run::kNotRun:
      return "not run";
    case Run::kNewOnly:
      return "new only";
    case Run::kEqual:
      return "equal";
    case Run::kDifferent:
      break;
  }
  return "DIFFERENT";
}

std::string SourceText(const ProgramValidation& program) {
  if (program.is_binary) return "words only";
  if (!program.after_error.empty()) return "does not assemble";
  if (program.only_after) return "new";
  return program.reassembled == 0 ? "unchanged" : Count(program.reassembled, "word") + " changed";
}

std::string CyclesText(const ProgramValidation& program) {
  if (program.run == Run::kNotRun) return "-";
  if (program.run == Run::kNewOnly) return absl::StrCat(program.after_cycles);
  if (program.before_cycles == program.after_cycles) return absl::StrCat(program.after_cycles);
  return absl::StrCat(program.before_cycles, " -> ", program.after_cycles);
}

std::string ChangesText(const std::vector<CyclesChange>& changes) {
  return absl::StrJoin(changes, ", ", [](std::string* out, const CyclesChange& change) {
    absl::StrAppend(out, change.name, " ", change.before, " -> ", change.after);
  });
}

std::string CoverageLine(const isa::WordCounts& before, const isa::WordCounts& after) {
  return absl::StrFormat(
      "defined %d -> %d, reserved %d -> %d, unassigned %d -> %d of 4294967296 words",
      before.defined, after.defined, before.reserved, after.reserved, before.unassigned,
      after.unassigned);
}

struct Sums {
  std::uint64_t words = 0, same = 0, different = 0, undefined = 0;
  std::uint64_t runs = 0, equal = 0;
};

Sums SumsOf(const IsaValidation& v) {
  Sums sums;
  for (const ProgramValidation& program : v.programs) {
    if (!program.only_after) sums.words += program.words;
    sums.same += program.same;
    sums.different += program.different;
    sums.undefined += program.undefined;
    if (program.run == Run::kEqual || program.run == Run::kDifferent) ++sums.runs;
    if (program.run == Run::kEqual) ++sums.equal;
  }
  return sums;
}

std::string MeaningLine(const isa::MeaningChange& change, const ChangedWord& witness) {
  return absl::StrFormat("%s: of its words %d mean the same, %d something else, %d nothing; %s",
                         change.mnemonic, change.same, change.different, change.undefined,
                         WordText(witness));
}

std::string InstructionLine(const ChangedInstruction& changed) {
  return absl::StrFormat("%s: %d different, %d undefined; first %s: %s", changed.mnemonic,
                         changed.different, changed.undefined, changed.first,
                         WordText(changed.word));
}

std::string SumsLine(const Sums& sums) {
  return absl::StrFormat("%s: %d with equal, %d with different meaning, %d undefined",
                         Count(sums.words, "word"), sums.same, sums.different, sums.undefined);
}

void AppendVerdict(const IsaValidation& v, const char* bullet, std::string& text) {
  for (const std::string& reason : v.reasons) absl::StrAppend(&text, bullet, reason, "\n");
  for (const std::string& failure : v.failures) {
    absl::StrAppend(&text, bullet, "FAILED: ", failure, "\n");
  }
}

// A cell of a Markdown table.
std::string Cell(std::string_view text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

}  // namespace

std::string IsaValidationText(const IsaValidation& v) {
  std::string text = absl::StrCat("ISA ", isa::VersionText(v.before_version), " to ",
                                  isa::VersionText(v.after_version), "\n");
  for (const Diagnostic& finding : v.findings) text += RenderText(finding);
  absl::StrAppend(&text, "check: ", Count(v.problems, "problem"), "\n");
  if (v.problems == 0) {
    absl::StrAppend(&text, "coverage: ", CoverageLine(v.before_coverage, v.after_coverage), "\n");
  }
  text += "changes:\n";
  if (v.diff.equal()) text += "  none\n";
  for (const isa::InstructionChange& change : v.diff.changes) {
    absl::StrAppend(&text, "  ", change.mnemonic, ": ", Absl(isa::ChangeKindName(change.kind)),
                    ": ", change.text, "\n");
  }
  for (std::size_t i = 0; i < v.meanings.size(); ++i) {
    absl::StrAppend(&text, "  ", MeaningLine(v.meanings[i], v.witnesses[i]), "\n");
  }
  const Sums sums = SumsOf(v);
  absl::StrAppend(&text, "corpus: ", Count(v.programs.size(), "program"), ", ", SumsLine(sums),
                  "\n");
  for (const ChangedInstruction& changed : v.instructions) {
    absl::StrAppend(&text, "  ", InstructionLine(changed), "\n");
  }
  for (const ProgramValidation& program : v.programs) {
    absl::StrAppend(&text, "  ", program.name, ": ", Count(program.words, "word"), ", source ",
                    SourceText(program), ", run ", RunText(program), ", cycles ",
                    CyclesText(program), "\n");
    if (program.only_after) {
      absl::StrAppend(&text, "    under the old set: ", program.before_error, "\n");
    }
    if (!program.stages.empty()) {
      absl::StrAppend(&text, "    stages: ", ChangesText(program.stages), "\n");
    }
    if (program.most_changed) {
      absl::StrAppend(&text, "    most changed: ", ChangesText({*program.most_changed}), "\n");
    }
  }
  absl::StrAppend(&text, "runs: ", sums.equal, " of ", sums.runs, " equal\n");
  absl::StrAppend(&text, "not judged: ",
                  v.not_judged.empty() ? "nothing" : absl::StrJoin(v.not_judged, ", "), "\n");
  absl::StrAppend(&text, "verdict: ", VerdictText(v), "\n");
  AppendVerdict(v, "  ", text);
  return text;
}

std::string IsaValidationMarkdown(const IsaValidation& v) {
  std::string text =
      absl::StrCat("## Verdict: ", VerdictText(v), "\n\nISA ", isa::VersionText(v.before_version),
                   " to ", isa::VersionText(v.after_version), ".\n\n");
  AppendVerdict(v, "* ", text);
  if (!v.reasons.empty() || !v.failures.empty()) text += "\n";
  for (const Diagnostic& finding : v.findings) absl::StrAppend(&text, "    ", RenderText(finding));
  if (v.problems == 0) {
    absl::StrAppend(&text, "Coverage: ", CoverageLine(v.before_coverage, v.after_coverage),
                    ".\n\n");
  }
  absl::StrAppend(&text, "| instruction | what | change |\n|---|---|---|\n");
  for (const isa::InstructionChange& change : v.diff.changes) {
    absl::StrAppend(&text, "| ", change.mnemonic, " | ", Absl(isa::ChangeKindName(change.kind)),
                    " | ", Cell(change.text), " |\n");
  }
  if (!v.meanings.empty()) {
    absl::StrAppend(&text,
                    "\n| instruction | same words | other meaning | undefined | witness "
                    "|\n|---|---:|---:|---:|---|\n");
    for (std::size_t i = 0; i < v.meanings.size(); ++i) {
      const isa::MeaningChange& change = v.meanings[i];
      absl::StrAppend(&text, "| ", change.mnemonic, " | ", change.same, " | ", change.different,
                      " | ", change.undefined, " | ", Cell(WordText(v.witnesses[i])), " |\n");
    }
  }
  const Sums sums = SumsOf(v);
  absl::StrAppend(&text, "\nCorpus: ", Count(v.programs.size(), "program"), ", ", SumsLine(sums),
                  "; ", sums.equal, " of ", sums.runs, " runs equal. Not judged: ",
                  v.not_judged.empty() ? "nothing" : absl::StrJoin(v.not_judged, ", "), ".\n\n");
  for (const ChangedInstruction& changed : v.instructions) {
    absl::StrAppend(&text, "* ", InstructionLine(changed), "\n");
  }
  if (!v.instructions.empty()) text += "\n";
  absl::StrAppend(&text,
                  "| program | words | source | run | cycles | most changed "
                  "|\n|---|---:|---|---|---:|---|\n");
  for (const ProgramValidation& program : v.programs) {
    absl::StrAppend(&text, "| ", Cell(program.name), " | ", program.words, " | ",
                    SourceText(program), " | ", RunText(program), " | ", CyclesText(program), " | ",
                    program.most_changed ? ChangesText({*program.most_changed}) : "", " |\n");
  }
  return text;
}

}  // namespace moescope::session
