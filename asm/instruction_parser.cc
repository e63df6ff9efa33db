#include "asm/instruction_parser.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "asm/operand_check.h"
#include "base/string_view.h"
#include "base/suggestion.h"

namespace moescope::assembler {

namespace {

constexpr std::size_t kMostOperands = isa::OperandList::kCapacity;

InstructionRole RoleOf(const isa::Instruction& row) {
  if (row.timing == isa::TimingClass::kLoopStart) return InstructionRole::kLoopStart;
  if (row.timing == isa::TimingClass::kLoopEnd) return InstructionRole::kLoopEnd;
  if (row.mnemonic == "C_BREAK") return InstructionRole::kBreak;
  if (row.mnemonic == "S_LUI_INT") return InstructionRole::kLoadUpper;
  return InstructionRole::kOther;
}

InstructionForm MakeForm(const isa::Instruction& row) {
  InstructionForm form;
  form.row = &row;
  form.role = RoleOf(row);
  form.match = isa::FixedBitsOf(row.encoding).match;
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    const isa::Operand& operand = row.operands[i];
    form.shifts[i] = operand.field == '\0' ? -1 : isa::FieldOf(row.encoding, operand.field).shift;
    if (operand.presence == isa::Presence::kRequired) ++form.fewest;
  }
  return form;
}

// The operands as written, before the row is consulted.
struct OperandTexts {
  std::array<WrittenOperand, kMostOperands> items{};
  std::size_t count = 0;  // may exceed kMostOperands; the items beyond are not kept
};

bool StartsOperand(TokenKind kind) {
  return kind == TokenKind::kIdentifier || kind == TokenKind::kInteger ||
         kind == TokenKind::kOpen || kind == TokenKind::kMinus || kind == TokenKind::kTilde;
}

bool ReadRegister(const Lexer& lexer, const Token& token, const RegisterName& name,
                  WrittenOperand& operand, Problem& problem) {
  operand.file = name.file;
  operand.value = name.index;
  operand.span = token.span;
  operand.text = lexer.TextOf(token);
  if (!name.leading_zero) return true;
  problem = {"AS007",
             absl::StrCat("'", Absl(operand.text), "' is not a register name; write '",
                          Absl(RegisterPrefix(name.file)), name.index, "'"),
             token.span,
             {}};
  return false;
}

bool ReadOperand(Lexer& lexer, const SymbolTable& symbols, WrittenOperand& operand,
                 Problem& problem) {
  const Token first = lexer.Peek();
  if (first.kind == TokenKind::kIdentifier) {
    const RegisterName name = ParseRegisterName(lexer.TextOf(first));
    if (name.file != isa::RegisterFile::kNone) {
      lexer.Take();
      return ReadRegister(lexer, first, name, operand, problem);
    }
  }
  return EvaluateExpression(lexer, symbols, operand.value, problem, &operand.span);
}

// What may stand between operands: a comma. Anything else is a problem.
bool RejectRest(Lexer& lexer, const WrittenOperand& before, Problem& problem) {
  const Token token = lexer.Peek();
  const std::string found = Describe(lexer, token);
  if (token.kind == TokenKind::kProblem) {
    problem = lexer.problem();
  } else if (before.file != isa::RegisterFile::kNone && !StartsOperand(token.kind)) {
    problem = {"AS005",
               absl::StrCat("a register cannot be part of an expression: found ", found),
               token.span,
               {}};
  } else if (StartsOperand(token.kind)) {
    problem = {"AS004", absl::StrCat("missing ',' before ", found), token.span, {}};
  } else {
    problem = {"AS013", absl::StrCat("unexpected ", found, " after an operand"), token.span, {}};
  }
  return false;
}

bool ReadOperands(Lexer& lexer, const SymbolTable& symbols, OperandTexts& texts, Problem& problem) {
  if (lexer.Peek().kind == TokenKind::kEnd) return true;
  for (;;) {
    const Token first = lexer.Peek();
    ++texts.count;
    if (first.kind == TokenKind::kComma || first.kind == TokenKind::kEnd) {
      problem = {"AS004", absl::StrCat("operand ", texts.count, " is missing"), first.span, {}};
      return false;
    }
    WrittenOperand operand;
    if (!ReadOperand(lexer, symbols, operand, problem)) return false;
    if (texts.count <= kMostOperands) texts.items[texts.count - 1] = operand;
    if (lexer.TakeIf(TokenKind::kComma)) continue;
    if (lexer.Peek().kind == TokenKind::kEnd) return true;
    return RejectRest(lexer, operand, problem);
  }
}

struct OldSpelling {
  std::string_view name;
  std::string_view advice;
};

// Names of public programs and documents that are not instructions here.
constexpr OldSpelling kOldSpellings[] = {
    {"V_SHIFT_V", "did you mean 'V_SHFT_V'?"},
    {"S_MV_FP", "write S_ADD_FP with f0 as one source"},
    {"S_LUI_FIX", "did you mean 'S_LUI_INT'?"},
    {"S_SLLI_INT", "write S_MUL_INT with a power of two"},
    {"NOP", "write S_ADDI_INT gp0, gp0, 0"},
};

constexpr std::string_view kNotImplemented[] = {"V_PS_V", "C_HADAMARD_TRANSFORM"};

}  // namespace

InstructionParser::InstructionParser(const isa::InstructionSet& set) : set_(set) {
  for (const isa::Instruction& row : set.instructions()) {
    by_name_.emplace(absl::AsciiStrToUpper(Absl(row.mnemonic)), forms_.size());
    forms_.push_back(MakeForm(row));
  }
}

const InstructionForm* InstructionParser::Find(std::string_view mnemonic) const {
  char upper[64];
  if (mnemonic.size() > sizeof upper) return nullptr;
  for (std::size_t i = 0; i < mnemonic.size(); ++i) {
    const char c = mnemonic[i];
    upper[i] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  const auto found = by_name_.find(absl::string_view(upper, mnemonic.size()));
  return found == by_name_.end() ? nullptr : &forms_[found->second];
}

bool InstructionParser::Parse(const InstructionForm& form, Lexer& lexer, const SymbolTable& symbols,
                              ParsedInstruction& parsed, Problem& problem) const {
  const isa::Instruction& row = *form.row;
  const std::size_t name_begin = lexer.line().find_first_not_of(" \t");
  OperandTexts texts;
  if (!ReadOperands(lexer, symbols, texts, problem)) return false;
  if (texts.count < form.fewest || texts.count > row.operands.size()) {
    const std::string_view statement =
        Trim(lexer.line().substr(name_begin, lexer.Peek().span.begin - name_begin));
    problem = WrongCount(row, texts.count, {name_begin, statement.size()});
    return false;
  }
  std::size_t skippable = texts.count - form.fewest;  // optional operands that were written
  std::size_t next = 0;
  parsed.word = form.match;
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    if (row.operands[i].presence != isa::Presence::kRequired) {
      if (skippable == 0) continue;
      --skippable;
    }
    const WrittenOperand& written = texts.items[next++];
    if (!CheckOperand(row, i, written, texts.items.data(), problem)) return false;
    parsed.spans[i] = written.span;
    if (form.shifts[i] < 0) continue;
    const auto value = static_cast<std::uint32_t>(written.value);
    isa::SetOperandValue(parsed.operands, row.operands[i].field, value);
    parsed.word |= value << form.shifts[i];
  }
  return true;
}

Problem InstructionParser::UnknownMnemonic(
    std::string_view name, Span span,
    const std::function<std::vector<std::string_view>()>& also_known) const {
  const std::string upper = absl::AsciiStrToUpper(Absl(name));
  for (const std::string_view known : kNotImplemented) {
    if (upper == known) {
      return {"AS002",
              absl::StrCat("'", Absl(known), "' is a known name but no instruction of ISA ",
                           set_.version().major, ".", set_.version().minor),
              span,
              {}};
    }
  }
  const std::string start = absl::StrCat("unknown mnemonic '", Absl(name), "'");
  if (const isa::Instruction* known = isa::InstructionSet::Builtin().Find(name)) {
    const isa::Version version = set_.version();
    const std::string here = absl::StrCat(start, " in ISA ", version.major, ".", version.minor);
    if (known->since <= version) return {"AS001", here + "; the built-in set has it", span, {}};
    return {"AS001",
            absl::StrCat(here, ": ", Absl(known->mnemonic), " exists since ", known->since.major,
                         ".", known->since.minor),
            span,
            {}};
  }
  for (const OldSpelling& old : kOldSpellings) {
    if (upper == old.name) return {"AS001", absl::StrCat(start, "; ", Absl(old.advice)), span, {}};
  }
  Problem problem{"AS001", start, span, {}};
  problem.suggestion = [this, name, also_known] {
    std::vector<std::string_view> candidates = also_known();
    for (const isa::Instruction& row : set_.instructions()) candidates.push_back(row.mnemonic);
    return DidYouMean(name, candidates);
  };
  return problem;
}

}  // namespace moescope::assembler
