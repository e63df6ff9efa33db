#include "stages/lint_idioms.h"

#include <array>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/string_view.h"

namespace moescope::stages {

namespace {

bool IsMatrix(const LintProgram& program, std::uint32_t pc) {
  return program.At(pc).instruction != nullptr &&
         program.At(pc).instruction->group == isa::Group::kMat;
}

bool IsWriteOut(const LintProgram& program, std::uint32_t pc) {
  return IsMatrix(program, pc) && program.At(pc).instruction->mnemonic.ends_with("_WO");
}

// One finding per loop nest, or per write-out outside loops.
void LintProjections(LintProgram& program) {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::uint32_t multiply = kNone;  // the first M_* since the last write-out
  std::optional<std::uint32_t> reported_loop;
  for (std::uint32_t pc = 0; pc < program.size(); ++pc) {
    if (!IsMatrix(program, pc)) continue;
    if (!IsWriteOut(program, pc)) {
      if (multiply == kNone) multiply = pc;
      continue;
    }
    const std::uint32_t range = program.RangeOf(pc);
    const std::optional<std::uint32_t> loop = program.OutermostLoopAround(pc);
    const bool is_seen = loop && loop == reported_loop;
    const bool is_misplaced =
        !program.IsBucket(range) && !program.RulesOf(range).plausible.Contains(isa::Group::kMat);
    if (multiply != kNone && is_misplaced && !is_seen) {
      const std::uint32_t begin = loop && program.RangeOf(*loop) == range ? *loop : multiply;
      program.ReportAt(
          "MS105", begin,
          absl::StrCat("this is a projection (M_* to ", Absl(program.At(pc).instruction->mnemonic),
                       "), but the stage in force is '", program.NameOf(range).name, "'"));
      reported_loop = loop;
    }
    multiply = kNone;
  }
}

// Follows, along the text, which integer registers hold a loaded value or a product with one.
class AddressTracker {
 public:
  explicit AddressTracker(LintProgram& program) : program_(program) {}

  void Run() {
    for (std::uint32_t pc = 0; pc < program_.size(); ++pc) {
      if (program_.At(pc).instruction != nullptr) Step(pc);
    }
  }

 private:
  enum class Content { kOther, kLoaded, kProduct };

  void Step(std::uint32_t pc) {
    Content read = Content::kOther;
    std::optional<std::uint32_t> written;
    for (const isa::Operand& operand : program_.At(pc).instruction->operands) {
      const isa::OperandTraits traits = isa::TraitsOf(operand.kind);
      if (traits.file != isa::RegisterFile::kGp) continue;
      const std::uint32_t index = isa::OperandValue(program_.At(pc).operands, operand.field);
      if (traits.reads && index > 0) read = std::max(read, registers_[index]);
      if (traits.writes) written = index;
    }
    if (program_.Is(pc, "C_SET_ADDR_REG") && read == Content::kProduct) Judge(pc);
    if (!written || *written == 0) return;
    Content content = Content::kOther;
    if (program_.Is(pc, "S_LD_INT")) content = Content::kLoaded;
    if (program_.Is(pc, "S_MUL_INT") && read != Content::kOther) content = Content::kProduct;
    const bool carries = program_.Is(pc, "S_ADD_INT") || program_.Is(pc, "S_ADDI_INT") ||
                         program_.Is(pc, "S_SUB_INT");
    if (carries) content = read;
    registers_[*written] = content;
  }

  void Judge(std::uint32_t pc) {
    const std::uint32_t range = program_.RangeOf(pc);
    const isa::StageName& stage = program_.NameOf(range);
    const bool is_at_home =
        stage.origin != isa::StageOrigin::kBuiltin || stage.name == kRouterTopk.name() ||
        stage.name == kExpertWeightAddress.name() || stage.name == kSharedExpert.name();
    if (is_at_home) return;
    program_.ReportAt("MS105", pc,
                      absl::StrCat("this is the address of an expert's weights (S_LD_INT, "
                                   "S_MUL_INT, C_SET_ADDR_REG), but the stage in force is '",
                                   stage.name, "'"));
  }

  LintProgram& program_;
  std::array<Content, 16> registers_{};
};

void LintZeroRows(LintProgram& program) {
  std::optional<std::uint32_t> zero_store;  // in a loop, not yet followed by a map
  for (std::uint32_t pc = 0; pc < program.size(); ++pc) {
    if (program.Is(pc, "S_ST_FP")) {
      const bool is_zero = isa::OperandValue(program.At(pc).operands, 'd') == 0;
      zero_store = is_zero && program.LoopAround(pc) ? std::optional(pc) : std::nullopt;
    }
    if (!program.Is(pc, "S_MAP_V_FP")) continue;
    const std::uint32_t range = program.RangeOf(pc);
    const bool is_misplaced =
        !program.IsBucket(range) && !program.RulesOf(range).plausible.Contains(isa::Group::kMap);
    if (zero_store && is_misplaced) {
      program.ReportAt("MS105", pc,
                       absl::StrCat("this zeroes rows (a loop of S_ST_FP f0, then S_MAP_V_FP), but "
                                    "the stage in force is '",
                                    program.NameOf(range).name, "'"));
    }
    zero_store.reset();
  }
}

}  // namespace

void LintIdioms(LintProgram& program) {
  LintProjections(program);
  AddressTracker(program).Run();
  LintZeroRows(program);
}

}  // namespace moescope::stages
