#include "asm/assembler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "asm/directives.h"
#include "asm/expander.h"
#include "asm/instruction_parser.h"
#include "asm/program_check.h"
#include "asm/reporter.h"
#include "asm/sources.h"
#include "base/string_view.h"

namespace moescope::assembler {

namespace {

constexpr std::string_view kRules[] = {"AS101", "AS102", "AS103", "AS104",
                                       "AS105", "AS106", "AS107", "AS108"};
constexpr std::size_t kMostWords = 0xFFFFFFFE;
// A program with so many bad markers is wrong whatever follows.
constexpr std::size_t kMostMarkerFindings = 10'000;

const stages::Vocabulary& BuiltinVocabulary() {
  static const stages::Vocabulary* const kBuiltin = new stages::Vocabulary();
  return *kBuiltin;
}

// One run of the assembler over its inputs.
class Run {
 public:
  Run(std::vector<SourceText> inputs, const AssembleOptions& options)
      : options_(options),
        parser_(*options.instruction_set),
        reporter_(sources_, options.rules, options.max_errors),
        expander_(sources_, options.limits),
        directives_(options, parser_, sources_, expander_, reporter_),
        stage_table_(options.vocabulary != nullptr ? *options.vocabulary : BuiltinVocabulary(),
                     options.unknown_stage),
        check_(reporter_, sources_) {
    for (SourceText& input : inputs) {
      const std::uint32_t file = sources_.Add(std::move(input.path), std::move(input.text));
      expander_.AddInput(file);
      directives_.KnowInput(file);
    }
  }

  absl::StatusOr<Assembly> Execute() {
    for (const Definition& definition : options_.definitions) directives_.Define(definition);
    Line line;
    while (expander_.Next(line)) {
      ++order_;
      Statement(line);
    }
    if (expander_.exceeded()) {
      reporter_.Report("AS018", *expander_.exceeded(), PlaceOf(line, {}, order_));
    }
    return Finish();
  }

 private:
  void Statement(Line& line) {
    Lexer lexer(line.text);
    const Token first = lexer.Take();
    switch (first.kind) {
      case TokenKind::kEnd:
        if (first.span.begin < line.text.size()) Comment(line, first.span.begin, true);
        return;
      case TokenKind::kIdentifier:
        return Named(first, lexer, line);
      case TokenKind::kDirective:
        return Directive(first, lexer, line);
      case TokenKind::kProblem:
        return Report(lexer.problem(), line);
      default:
        return Report({"AS001",
                       absl::StrCat("expected a mnemonic, found ", Describe(lexer, first)),
                       first.span,
                       {}},
                      line);
    }
  }

  void Named(const Token& name, Lexer& lexer, const Line& line) {
    if (const InstructionForm* const form = parser_.Find(lexer.TextOf(name))) {
      return Instruction(*form, name, lexer, line);
    }
    if (lexer.Peek().kind == TokenKind::kColon) return Label(name, lexer, line);
    if (const Macro* const macro = directives_.FindMacro(lexer.TextOf(name))) {
      TrailingComment(line, FindComment(line.text));
      return directives_.Use(*macro, name, line, order_);
    }
    Report(parser_.UnknownMnemonic(lexer.TextOf(name), name.span,
                                   [this] { return directives_.MacroNames(); }),
           line);
  }

  void Label(const Token& name, const Lexer& lexer, const Line& line) {
    Report({"AS001",
            absl::StrCat("labels do not exist ('", Absl(lexer.TextOf(name)),
                         ":'); write a loop with C_LOOP_START and C_LOOP_END"),
            {name.span.begin, lexer.Peek().span.end() - name.span.begin},
            {}},
           line);
  }

  void Instruction(const InstructionForm& form, const Token& name, Lexer& lexer, const Line& line) {
    ParsedInstruction parsed;
    if (!parser_.Parse(form, lexer, directives_.symbols(), parsed, problem_)) {
      return Report(problem_, line);
    }
    const std::size_t end = lexer.Peek().span.begin;
    TrailingComment(line, end);
    const std::string_view text = Trim(line.text.substr(name.span.begin, end - name.span.begin));
    Emit(form, parsed, line, {name.span.begin, text.size()});
  }

  void Directive(const Token& name, Lexer& lexer, Line& line) {
    const std::string_view text = lexer.TextOf(name);
    if (absl::EqualsIgnoreCase(Absl(text), ".word")) return Word(name, lexer, line);
    TrailingComment(line, FindComment(line.text));
    const std::uint32_t before = line.number;
    directives_.Execute(name, lexer, line, order_);
    if (line.number != before) TrailingComment(line, FindComment(line.text));
  }

  void Word(const Token& name, Lexer& lexer, const Line& line) {
    std::int64_t value = 0;
    Span span;
    if (!EvaluateExpression(lexer, directives_.symbols(), value, problem_, &span)) {
      return Report(problem_, line);
    }
    const Token next = lexer.Peek();
    if (next.kind == TokenKind::kProblem) return Report(lexer.problem(), line);
    if (next.kind != TokenKind::kEnd) {
      return Report({"AS004", ".word takes 1 value, found more", next.span, {}}, line);
    }
    if (value < 0 || value > 0xFFFFFFFF) {
      return Report(
          {"AS008", absl::StrCat("word ", value, " is out of range (0..4294967295)"), span, {}},
          line);
    }
    TrailingComment(line, next.span.begin);
    RawWord(static_cast<std::uint32_t>(value), line,
            {name.span.begin, span.end() - name.span.begin});
  }

  void RawWord(std::uint32_t word, const Line& line, Span statement) {
    const isa::Decoded decoded = options_.instruction_set->Decode(word);
    ParsedInstruction parsed;
    parsed.word = word;
    parsed.operands = decoded.operands;
    if (decoded.problem == isa::DecodeProblem::kNone) {
      return Emit(parser_.FormOf(decoded.instruction), parsed, line, statement);
    }
    AppendWord(word, line, statement);
  }

  void Emit(const InstructionForm& form, const ParsedInstruction& parsed, const Line& line,
            Span statement) {
    const std::uint32_t pc = Pc();
    AppendWord(parsed.word, line, statement);
    check_.OnWord({form, parsed, line, statement, order_}, pc);
    if (form.role != InstructionRole::kLoopStart && form.role != InstructionRole::kLoopEnd) return;
    const SourceLocation location = sources_.LocationOf(PlaceOf(line, statement, order_));
    if (form.role == InstructionRole::kLoopStart) {
      stage_table_.OnLoopStart(location, pc);
    } else {
      stage_table_.OnLoopEnd(location, pc);
    }
    AdoptMarkerFindings(line.origin);
  }

  void AppendWord(std::uint32_t word, const Line& line, Span statement) {
    assembly_.program.words.push_back(word);
    assembly_.program.positions.push_back(PlaceOf(line, {statement.begin, 0}, order_).at);
    assembly_.word_origins.push_back(line.origin);
  }

  void TrailingComment(const Line& line, std::size_t begin) {
    if (begin < line.text.size()) Comment(line, begin, false);
  }

  void Comment(const Line& line, std::size_t begin, bool stands_alone) {
    if (adopted_ >= kMostMarkerFindings) return;
    const bool is_semicolon = line.text[begin] == ';';
    stages::Comment comment;
    comment.text = line.text.substr(begin + (is_semicolon ? 1 : 2));
    comment.is_semicolon = is_semicolon;
    comment.stands_alone = stands_alone;
    if (comment.text.find('@') == std::string_view::npos) return;
    const Place place = PlaceOf(line, {begin, 1}, order_);
    comment.location = sources_.LocationOf(place);
    comment.source_line = sources_.LineText(line.file, line.number);
    comment.origin = line.origin;
    stage_table_.OnComment(comment, Pc());
    AdoptMarkerFindings(line.origin);
    const std::string_view text = Trim(comment.text);
    if (stands_alone && text.starts_with("@stage")) {
      check_.OnMarker(place, text.starts_with("@stage=") || text.starts_with("@stage_push="));
    }
  }

  void AdoptMarkerFindings(std::uint32_t origin) {
    for (; adopted_ < stage_table_.diagnostics().size(); ++adopted_) {
      reporter_.Adopt(stage_table_.diagnostics()[adopted_], order_, origin);
    }
  }

  void Report(const Problem& problem, const Line& line) {
    ReportProblem(reporter_, sources_, problem, line, order_);
  }

  std::uint32_t Pc() const { return static_cast<std::uint32_t>(assembly_.program.words.size()); }

  absl::StatusOr<Assembly> Finish() {
    isa::Program& program = assembly_.program;
    assembly_.symbols = directives_.TakeSymbols();
    for (std::uint32_t i = 0; i < sources_.size(); ++i) program.files.push_back(sources_.PathOf(i));
    ++order_;
    if (program.words.empty() && !reporter_.has_errors()) {
      reporter_.ReportWithoutPlace("AS017", "no instruction in the input",
                                   program.files.empty() ? "" : program.files[0], order_);
    }
    if (program.words.size() > kMostWords) {
      reporter_.ReportWithoutPlace("AS018", "more than 2^32 - 2 words", program.files[0], order_);
    }
    stage_table_.Finish(program);
    AdoptMarkerFindings(0);
    if (!reporter_.has_errors()) check_.Finish(program);
    const bool failed = reporter_.has_errors();
    assembly_.findings = reporter_.Take();
    if (failed) return ToStatus(assembly_.findings);
    assembly_.sources = sources_.TakeFiles();
    assembly_.origins = sources_.TakeOrigins();
    assembly_.range_origins = stage_table_.range_origins();
    assembly_.macro_names = sources_.TakeMacroNames();
    return std::move(assembly_);
  }

  const AssembleOptions& options_;
  InstructionParser parser_;
  Sources sources_;
  Reporter reporter_;
  Expander expander_;
  Directives directives_;
  stages::StageTableBuilder stage_table_;
  ProgramCheck check_;
  Assembly assembly_;
  Problem problem_;
  std::size_t adopted_ = 0;  // of the findings of stage_table_
  std::uint64_t order_ = 0;
};

}  // namespace

absl::StatusOr<Assembly> Assemble(std::string_view text, const std::string& path,
                                  const AssembleOptions& options) {
  return Assemble({SourceText{path, std::string(text)}}, options);
}

absl::StatusOr<Assembly> Assemble(std::vector<SourceText> inputs, const AssembleOptions& options) {
  return Run(std::move(inputs), options).Execute();
}

std::span<const std::string_view> AssemblerRules() { return kRules; }

}  // namespace moescope::assembler
