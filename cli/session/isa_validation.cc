#include "cli/session/isa_validation.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/session/isa_corpus.h"
#include "cli/session/isa_side.h"
#include "isa/document_check.h"

namespace moescope::session {

namespace {

using isa::InstructionSet;
__extension__ using Wide = unsigned __int128;

std::string FirstLine(const absl::Status& status) {
  const std::vector<Diagnostic> diagnostics = DiagnosticsOf(status);
  const Diagnostic& first = diagnostics.front();
  // The place of a source is seen from wherever the corpus lies; the line is enough here.
  std::string text =
      first.location.line > 0 ? absl::StrCat("line ", first.location.line, ": ") : "";
  absl::StrAppend(&text, first.message);
  if (!first.id.empty()) absl::StrAppend(&text, " [", first.id, "]");
  return text;
}

// "NAME: line N", or "NAME: pc N" without source.
std::string PlaceText(const std::string& name, const isa::Program& program, std::uint32_t pc) {
  if (program.positions.empty()) return absl::StrCat(name, ": pc ", pc);
  return absl::StrCat(name, ": line ", program.positions[pc].line);
}

class Validator {
 public:
  Validator(const IsaValidationRequest& request, isa::Document before, isa::Document after)
      : request_(request), before_(std::move(before)), after_(std::move(after)) {}

  absl::StatusOr<IsaValidation> Run() {
    out_.before_version = before_.version;
    out_.after_version = after_.version;
    out_.diff = isa::DiffDocuments(before_, after_);
    ASSIGN_OR_RETURN(old_set_, isa::MakeInstructionSet(before_, request_.before));
    isa::DocumentFindings findings = isa::CheckDocument(after_, request_.after);
    out_.findings = std::move(findings.diagnostics);
    out_.problems = findings.errors;
    if (out_.problems == 0) {
      RETURN_IF_ERROR(JudgeSets());
      ASSIGN_OR_RETURN(const std::vector<CorpusEntry> corpus, FindCorpus(request_.corpus));
      for (const CorpusEntry& entry : corpus) RETURN_IF_ERROR(JudgeProgram(entry));
      ListInstructions();
      ListNotJudged();
    }
    Conclude();
    return std::move(out_);
  }

 private:
  absl::Status JudgeSets() {
    ASSIGN_OR_RETURN(new_set_, isa::MakeInstructionSet(after_, request_.after));
    out_.before_coverage = isa::CoverDocument(before_).total;
    out_.after_coverage = isa::CoverDocument(after_).total;
    out_.meanings = isa::CompareMeanings(before_, after_);
    for (const isa::MeaningChange& change : out_.meanings) {
      out_.witnesses.push_back(Changed(change.witness));
    }
    parts_ = isa::TouchedParts(before_, after_);
    exercised_.assign(parts_.size(), false);
    return absl::OkStatus();
  }

  ChangedWord Changed(std::uint32_t word) const {
    return {word, old_set_->Text(word), new_set_->Text(word)};
  }

  absl::Status JudgeProgram(const CorpusEntry& entry) {
    ProgramValidation& result = out_.programs.emplace_back();
    result.name = entry.name;
    result.is_binary = !entry.has_text;
    absl::StatusOr<isa::Program> before = ProgramUnder(entry, *old_set_);
    absl::StatusOr<isa::Program> after = entry.has_text ? ProgramUnder(entry, *new_set_) : before;
    if (!before.ok() && !after.ok()) return before.status();
    if (!before.ok()) result.before_error = FirstLine(before.status());
    if (!after.ok()) result.after_error = FirstLine(after.status());
    result.only_after = !before.ok();
    if (before.ok()) JudgeWords(*before, result);
    if (before.ok() && after.ok()) CountReassembled(*before, *after, result);
    if (!entry.can_run || !after.ok()) return absl::OkStatus();
    return before.ok() ? RunBoth(entry, *std::move(before), *std::move(after), result)
                       : RunNew(entry, *std::move(after), result);
  }

  // Step 2.
  void JudgeWords(const isa::Program& program, ProgramValidation& result) {
    result.words = program.words.size();
    for (std::uint32_t pc = 0; pc < program.words.size(); ++pc) {
      const std::uint32_t word = program.words[pc];
      const isa::Decoded before = old_set_->Decode(word);
      const isa::Decoded after = new_set_->Decode(word);
      if (isa::HaveSameMeaning(before, after)) {
        ++result.same;
        continue;
      }
      const bool is_undefined = after.problem != isa::DecodeProblem::kNone;
      ++(is_undefined ? result.undefined : result.different);
      const std::size_t row = before.problem == isa::DecodeProblem::kNone
                                  ? old_set_->IndexOf(before.instruction)
                                  : old_set_->instructions().size();
      const auto [found, is_new] = changed_.try_emplace(row);
      ChangedInstruction& changed = found->second;
      ++(is_undefined ? changed.undefined : changed.different);
      if (!is_new) continue;
      changed.mnemonic = row < old_set_->instructions().size()
                             ? std::string(before.instruction->mnemonic)
                             : "(undefined)";
      changed.first = PlaceText(result.name, program, pc);
      changed.word = Changed(word);
    }
  }

  // Step 3.
  static void CountReassembled(const isa::Program& before, const isa::Program& after,
                               ProgramValidation& result) {
    const std::size_t common = std::min(before.words.size(), after.words.size());
    for (std::size_t pc = 0; pc < common; ++pc) {
      if (before.words[pc] != after.words[pc]) ++result.reassembled;
    }
    result.reassembled += std::max(before.words.size(), after.words.size()) - common;
  }

  // Steps 4 and 5.
  absl::Status RunBoth(const CorpusEntry& entry, isa::Program before, isa::Program after,
                       ProgramValidation& result) {
    ASSIGN_OR_RETURN(const SideRun old_run, RunUnder(entry, std::move(before), *old_set_));
    ASSIGN_OR_RETURN(const SideRun new_run, RunUnder(entry, std::move(after), *new_set_));
    MarkExecuted(old_run, *old_set_, /*removed=*/true);
    MarkExecuted(new_run, *new_set_, /*removed=*/false);
    result.instructions = new_run.end.instructions;
    result.before_cycles = old_run.end.cycles;
    result.after_cycles = new_run.end.cycles;
    result.difference = DifferenceOf(old_run, new_run);
    result.run = ProgramValidation::Run::kEqual;
    if (!result.difference.empty()) {
      result.run = ProgramValidation::Run::kDifferent;
      ASSIGN_OR_RETURN(const std::string where,
                       FirstDivergence(entry, old_run, *old_set_, new_run, *new_set_));
      if (!where.empty()) absl::StrAppend(&result.difference, "; first at ", where);
    }
    CompareCycles(old_run.profile, new_run.profile, result);
    return absl::OkStatus();
  }

  absl::Status RunNew(const CorpusEntry& entry, isa::Program program, ProgramValidation& result) {
    result.words = program.words.size();
    ASSIGN_OR_RETURN(const SideRun run, RunUnder(entry, std::move(program), *new_set_));
    MarkExecuted(run, *new_set_, /*removed=*/false);
    result.run = ProgramValidation::Run::kNewOnly;
    result.instructions = run.end.instructions;
    result.after_cycles = run.end.cycles;
    return absl::OkStatus();
  }

  void MarkExecuted(const SideRun& run, const InstructionSet& set, bool removed) {
    for (std::size_t pc = 0; pc < run.executed.size(); ++pc) {
      if (run.executed[pc] == 0) continue;
      const isa::Decoded decoded = set.Decode(run.program.words[pc]);
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (parts_[i].removed != removed || parts_[i].mnemonic != decoded.instruction->mnemonic) {
          continue;
        }
        if (parts_[i].field != '\0' &&
            isa::OperandValue(decoded.operands, parts_[i].field) != parts_[i].value) {
          continue;
        }
        exercised_[i] = true;
      }
    }
  }

  static void CompareCycles(const profiler::Profile& before, const profiler::Profile& after,
                            ProgramValidation& result) {
    std::map<std::string, std::uint64_t> stages;
    for (const profiler::StageEntry& stage : before.stages) {
      stages[stage.name] = stage.counters.cycles;
    }
    for (const profiler::StageEntry& stage : after.stages) {
      if (stages[stage.name] == stage.counters.cycles) continue;
      result.stages.push_back({stage.name, stages[stage.name], stage.counters.cycles});
    }
    std::map<std::string, CyclesChange> opcodes;
    for (const profiler::OpcodeEntry& opcode : before.opcodes) {
      opcodes[opcode.mnemonic] = {opcode.mnemonic, opcode.cycles, 0};
    }
    for (const profiler::OpcodeEntry& opcode : after.opcodes) {
      CyclesChange& change = opcodes[opcode.mnemonic];
      change.name = opcode.mnemonic;
      change.after = opcode.cycles;
    }
    for (const auto& [mnemonic, change] : opcodes) {
      if (change.before == change.after) continue;
      if (!result.most_changed || Size(change) > Size(*result.most_changed)) {
        result.most_changed = change;
      }
    }
  }

  static std::uint64_t Size(const CyclesChange& change) {
    return change.before > change.after ? change.before - change.after
                                        : change.after - change.before;
  }

  void ListInstructions() {
    for (auto& [row, changed] : changed_) out_.instructions.push_back(std::move(changed));
  }

  void ListNotJudged() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (exercised_[i]) continue;
      out_.not_judged.push_back(
          isa::TouchedPartText(parts_[i], parts_[i].removed ? before_ : after_));
    }
  }

  void Conclude() {
    if (out_.problems > 0) {
      Break(absl::StrCat("the new document has ", out_.problems,
                         out_.problems == 1 ? " problem" : " problems"));
    }
    std::uint64_t changed = 0;
    for (const ProgramValidation& program : out_.programs) {
      changed += program.different + program.undefined;
      if (!program.after_error.empty()) {
        Break(program.name + ": does not assemble: " + program.after_error);
      }
      if (program.run == ProgramValidation::Run::kDifferent) {
        Break(program.name + ": " + program.difference);
      }
      if (program.is_binary && program.different + program.undefined > 0) {
        Break(program.name + ": has no source, and its words change meaning");
      }
      const bool ran_both = program.run == ProgramValidation::Run::kEqual ||
                            program.run == ProgramValidation::Run::kDifferent;
      if (ran_both && program.before_cycles != program.after_cycles) out_.timing_changed = true;
      if (ran_both) CheckSlowdown(program);
    }
    if (out_.verdict == IsaVerdict::kCompatible && changed > 0) {
      out_.verdict = IsaVerdict::kReassemble;
      out_.reasons.push_back(absl::StrCat(changed, changed == 1
                                                       ? " word of the corpus changes meaning"
                                                       : " words of the corpus change meaning"));
    }
    const bool accepted = out_.verdict == IsaVerdict::kCompatible ||
                          (out_.verdict == IsaVerdict::kReassemble && request_.accept_reassembly);
    if (!accepted) {
      out_.failures.push_back(absl::StrCat("the verdict is ", Absl(IsaVerdictName(out_.verdict))));
    }
    if (request_.require_coverage && !out_.not_judged.empty()) {
      out_.failures.push_back(absl::StrCat(out_.not_judged.size(),
                                           out_.not_judged.size() == 1 ? " part" : " parts",
                                           " of the change not judged"));
    }
  }

  void Break(std::string reason) {
    out_.verdict = IsaVerdict::kBreaking;
    out_.reasons.push_back(std::move(reason));
  }

  void CheckSlowdown(const ProgramValidation& program) {
    if (!request_.max_slowdown_ppm || program.after_cycles <= program.before_cycles) return;
    // In parts per million of the cycles before, rounded up, without overflow.
    const auto more = static_cast<Wide>(program.after_cycles - program.before_cycles) * 1'000'000u;
    const auto allowed = static_cast<Wide>(program.before_cycles) * *request_.max_slowdown_ppm;
    if (more <= allowed) return;
    out_.failures.push_back(
        absl::StrFormat("%s: %d cycles became %d, more than %d.%04d%% slower", program.name,
                        program.before_cycles, program.after_cycles,
                        *request_.max_slowdown_ppm / 10'000, *request_.max_slowdown_ppm % 10'000));
  }

  const IsaValidationRequest& request_;
  isa::Document before_;
  isa::Document after_;
  std::unique_ptr<const InstructionSet> old_set_;
  std::unique_ptr<const InstructionSet> new_set_;
  std::vector<isa::TouchedPart> parts_;
  std::vector<bool> exercised_;                        // by part
  std::map<std::size_t, ChangedInstruction> changed_;  // by row of the old set
  IsaValidation out_;
};

}  // namespace

std::string_view IsaVerdictName(IsaVerdict verdict) {
  switch (verdict) {
    case IsaVerdict::kCompatible:
      return "compatible";
    case IsaVerdict::kReassemble:
      return "re-assemble";
    case IsaVerdict::kBreaking:
      break;
  }
  return "breaking";
}

absl::StatusOr<IsaValidation> ValidateIsaChange(const IsaValidationRequest& request) {
  ASSIGN_OR_RETURN(isa::Document before, isa::OpenDocument(request.before));
  ASSIGN_OR_RETURN(isa::Document after, isa::OpenDocument(request.after));
  return Validator(request, std::move(before), std::move(after)).Run();
}

}  // namespace moescope::session
