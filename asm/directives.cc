#include "asm/directives.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/string_view.h"
#include "base/suggestion.h"

namespace moescope::assembler {

namespace {

constexpr std::string_view kDirectiveNames[] = {".equ",  ".include", ".macro", ".endm",
                                                ".rept", ".endr",    ".word"};

constexpr std::uint64_t kCommandLineOrder = 0;
constexpr std::size_t kMostSuggestions = 100;
constexpr char kCommandLine[] = "<command line>";

Problem TooDeep(std::string_view what, std::size_t depth, Span span) {
  return {
      "AS014",
      absl::StrCat(Absl(what), " nests deeper than ", depth, " includes, macros and repetitions"),
      span,
      {}};
}

}  // namespace

std::span<const std::string_view> DirectiveNames() { return kDirectiveNames; }

void ReportProblem(Reporter& reporter, const Sources& sources, const Problem& problem,
                   const Line& line, std::uint64_t order, std::vector<DiagnosticNote> notes) {
  const Place place = PlaceOf(line, problem.span, order);
  std::vector<DiagnosticNote> all;
  for (const std::string& hint : problem.hints) {
    all.push_back({hint, sources.LocationOf(place)});
  }
  for (DiagnosticNote& note : notes) all.push_back(std::move(note));
  std::string message = problem.message;
  if (problem.suggestion && reporter.errors() < kMostSuggestions) message += problem.suggestion();
  reporter.Report(problem.id, std::move(message), place, std::move(all));
}

Directives::Directives(const AssembleOptions& options, const InstructionParser& parser,
                       Sources& sources, Expander& expander, Reporter& reporter)
    : options_(options),
      parser_(parser),
      sources_(sources),
      expander_(expander),
      reporter_(reporter) {}

void Directives::Report(const Problem& problem, const Line& line, std::uint64_t order,
                        std::vector<DiagnosticNote> notes) {
  ReportProblem(reporter_, sources_, problem, line, order, std::move(notes));
}

DiagnosticNote Directives::FirstDefinition(const isa::SourcePosition& at) const {
  if (at.line == 0) return {"first defined on the command line", {}};
  return {"first defined here", sources_.LocationOf({.at = at})};
}

bool Directives::ExpectEnd(Lexer& lexer, Problem& problem) const {
  const Token token = lexer.Peek();
  if (token.kind == TokenKind::kEnd) return true;
  if (token.kind == TokenKind::kProblem) {
    problem = lexer.problem();
  } else {
    problem = {"AS004",
               absl::StrCat("unexpected ", Describe(lexer, token), " after the statement"),
               token.span,
               {}};
  }
  return false;
}

void Directives::Execute(const Token& token, Lexer& lexer, Line& line, std::uint64_t order) {
  const std::string name = absl::AsciiStrToLower(Absl(lexer.TextOf(token)));
  Statement statement{token, lexer, line, order};
  if (name == ".equ") return Equ(statement);
  if (name == ".include") return Include(statement);
  if (name == ".macro") return DefineMacro(statement);
  if (name == ".rept") return Repeat(statement);
  if (name == ".endm" || name == ".endr") {
    return Report(
        {"AS015",
         absl::StrCat("'", name, "' without its '", name == ".endm" ? ".macro" : ".rept", "'"),
         token.span,
         {}},
        line, order);
  }
  Problem unknown{
      "AS003", absl::StrCat("unknown directive '", Absl(lexer.TextOf(token)), "'"), token.span, {}};
  unknown.suggestion = [&name] { return DidYouMean(name, DirectiveNames()); };
  Report(unknown, line, order);
}

bool Directives::AcceptName(std::string_view name, Problem& problem) const {
  std::string what;
  if (ParseRegisterName(name).file != isa::RegisterFile::kNone) what = "a register";
  if (parser_.Find(name) != nullptr) what = "an instruction";
  if (name == "hi" || name == "lo") what = "a function";
  if (what.empty()) return true;
  problem.id = "AS012";
  problem.message = absl::StrCat("'", Absl(name), "' is ", what, " and cannot be defined");
  return false;
}

void Directives::Equ(Statement& statement) {
  Lexer& lexer = statement.lexer;
  const Token name = lexer.Peek();
  Problem problem;
  if (name.kind != TokenKind::kIdentifier) {
    problem = {
        "AS004", absl::StrCat("expected a name, found ", Describe(lexer, name)), name.span, {}};
    if (name.kind == TokenKind::kProblem) problem = lexer.problem();
    return Report(problem, statement.line, statement.order);
  }
  const std::string text(lexer.TextOf(lexer.Take()));
  problem.span = name.span;
  if (!AcceptName(text, problem)) return Report(problem, statement.line, statement.order);
  if (!lexer.TakeIf(TokenKind::kComma)) {
    problem = {"AS004",
               absl::StrCat("missing ',' before ", Describe(lexer, lexer.Peek())),
               lexer.Peek().span,
               {}};
    if (lexer.Peek().kind == TokenKind::kProblem) problem = lexer.problem();
    return Report(problem, statement.line, statement.order);
  }
  std::int64_t value = 0;
  if (!EvaluateExpression(lexer, symbols_, value, problem) || !ExpectEnd(lexer, problem)) {
    return Report(problem, statement.line, statement.order);
  }
  const Place place = PlaceOf(statement.line, name.span, statement.order);
  const auto [symbol, is_new] = symbols_.try_emplace(text, Symbol{value, place.at});
  if (is_new) {
    definitions_.push_back({text, value, place.at});
    return;
  }
  reporter_.Report("AS012", absl::StrCat("symbol '", text, "' is already defined"), place,
                   {FirstDefinition(symbol->second.defined)});
}

void Directives::Define(const Definition& definition) {
  const std::string file =
      absl::StrCat(kCommandLine, ": -D ", definition.name, "=", definition.value);
  Lexer name(definition.name);
  Problem problem;
  problem.id = "AS013";
  problem.message = absl::StrCat("'", definition.name, "' is not a name");
  const Token token = name.Take();
  const bool is_name = token.kind == TokenKind::kIdentifier &&
                       token.span.length == definition.name.size() &&
                       AcceptName(definition.name, problem);
  Lexer value_text(definition.value);
  std::int64_t value = 0;
  if (!is_name || !EvaluateExpression(value_text, symbols_, value, problem) ||
      !ExpectEnd(value_text, problem)) {
    return reporter_.ReportWithoutPlace(problem.id, problem.message, file, kCommandLineOrder);
  }
  if (!symbols_.try_emplace(definition.name, Symbol{value, {}}).second) {
    return reporter_.ReportWithoutPlace(
        "AS012", absl::StrCat("symbol '", definition.name, "' is already defined"), file,
        kCommandLineOrder);
  }
  definitions_.push_back({definition.name, value, {}});
}

void Directives::KnowInput(std::uint32_t file) {
  included_.emplace(std::filesystem::path(sources_.PathOf(file)).lexically_normal().string(), file);
}

bool Directives::FindFile(const std::string& name, const Line& line, std::uint32_t& file,
                          std::string& message) {
  namespace fs = std::filesystem;
  std::vector<fs::path> candidates;
  const fs::path wanted(name);
  if (wanted.is_absolute()) {
    candidates.push_back(wanted);
  } else {
    candidates.push_back(fs::path(sources_.PathOf(line.file)).parent_path() / wanted);
    for (const std::string& folder : options_.include_folders) {
      candidates.push_back(fs::path(folder) / wanted);
    }
  }
  std::vector<std::string> tried;
  for (const fs::path& candidate : candidates) {
    const std::string path = candidate.lexically_normal().string();
    tried.push_back(absl::StrCat("'", path, "'"));
    if (const auto known = included_.find(path); known != included_.end()) {
      file = known->second;
      return true;
    }
    absl::StatusOr<std::string> text = options_.read_file(path);
    if (text.ok()) {
      file = sources_.Add(path, *std::move(text));
      included_.emplace(path, file);
      return true;
    }
    if (!absl::IsNotFound(text.status())) {
      message = std::string(text.status().message());
      return false;
    }
  }
  message = absl::StrCat("cannot find '", name, "'; looked for ", absl::StrJoin(tried, ", "));
  return false;
}

void Directives::Include(Statement& statement) {
  Lexer& lexer = statement.lexer;
  const Token token = lexer.Take();
  Problem problem;
  if (token.kind != TokenKind::kString || token.span.length <= 2) {
    problem = {"AS004",
               absl::StrCat("expected a path in quotes, found ", Describe(lexer, token)),
               token.span,
               {}};
    if (token.kind == TokenKind::kProblem) problem = lexer.problem();
    return Report(problem, statement.line, statement.order);
  }
  if (!ExpectEnd(lexer, problem)) return Report(problem, statement.line, statement.order);
  const std::string name(lexer.line().substr(token.span.begin + 1, token.span.length - 2));
  problem = {"AS014", "", token.span, {}};
  std::uint32_t file = 0;
  if (!FindFile(name, statement.line, file, problem.message)) {
    return Report(problem, statement.line, statement.order);
  }
  if (expander_.IsOpen(file)) {
    problem.message = absl::StrCat("'", sources_.PathOf(file), "' includes itself");
    return Report(problem, statement.line, statement.order);
  }
  const Place place = PlaceOf(statement.line, statement.directive.span, statement.order);
  if (!expander_.EnterFile(file, place.at, statement.line.origin)) {
    Report(TooDeep(absl::StrCat("'", name, "'"), options_.limits.depth, token.span), statement.line,
           statement.order);
  }
}

void Directives::Repeat(Statement& statement) {
  Problem problem;
  std::int64_t count = 0;
  Span span;
  const Line opening = statement.line;
  bool good = EvaluateExpression(statement.lexer, symbols_, count, problem, &span) &&
              ExpectEnd(statement.lexer, problem);
  if (good && count < 0) {
    problem = {"AS008", absl::StrCat("repetition count ", count, " is negative"), span, {}};
    good = false;
  }
  if (!good) Report(problem, opening, statement.order);
  std::vector<Line> body;
  const Span name = statement.directive.span;
  if (!CollectBlock(statement, body) || !good) return;
  const Place place = PlaceOf(opening, name, statement.order);
  if (!expander_.EnterRepetition(std::move(body), static_cast<std::uint64_t>(count), place.at,
                                 opening.origin)) {
    Report(TooDeep("'.rept'", options_.limits.depth, name), opening, statement.order);
  }
}

bool Directives::CollectBlock(Statement& statement, std::vector<Line>& body) {
  const Line opening = statement.line;
  const std::string opener =
      absl::AsciiStrToLower(Absl(statement.lexer.TextOf(statement.directive)));
  const std::string_view closer = opener == ".macro" ? ".endm" : ".endr";
  Line end;
  const Expander::BlockEnd found = expander_.CollectBlock(opener, body, end);
  if (found == Expander::BlockEnd::kMissing) {
    if (!expander_.exceeded()) {
      Report({"AS015",
              absl::StrCat("'", opener, "' without its '", Absl(closer), "'"),
              statement.directive.span,
              {}},
             opening, statement.order);
    }
    return false;
  }
  statement.line = end;
  Lexer lexer(end.text);
  const Token token = lexer.Take();
  if (found == Expander::BlockEnd::kCrossed) {
    Report({"AS015",
            absl::StrCat(Describe(lexer, token), " crosses the block opened by the last '",
                         Describe(lexer, token) == "'.endm'" ? ".rept" : ".macro", "'"),
            token.span,
            {}},
           end, statement.order);
    return false;
  }
  Problem problem;
  if (ExpectEnd(lexer, problem)) return true;
  Report(problem, end, statement.order);
  return false;
}

}  // namespace moescope::assembler
