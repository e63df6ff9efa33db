#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "asm/directives.h"
#include "base/string_view.h"
#include "base/suggestion.h"

// Definition and use of macros.

namespace moescope::assembler {

namespace {

// Argument texts are split at commas outside of parentheses and strings.
std::vector<Span> SplitArguments(std::string_view line, Span all) {
  std::vector<Span> parts;
  if (Trim(line.substr(all.begin, all.length)).empty()) return parts;
  std::size_t begin = all.begin;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = all.begin; i < all.end(); ++i) {
    const char c = line[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c != ',' || depth > 0) continue;
    parts.push_back({begin, i - begin});
    begin = i + 1;
  }
  parts.push_back({begin, all.end() - begin});
  return parts;
}

std::string CountText(std::size_t count, std::string_view noun) {
  return absl::StrCat(count, " ", Absl(noun), count == 1 ? "" : "s");
}

}  // namespace

const Macro* Directives::FindMacro(std::string_view name) const {
  const auto found = macros_.find(name);
  return found == macros_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> Directives::MacroNames() const {
  std::vector<std::string_view> names;
  for (const auto& [name, macro] : macros_) names.push_back(name);
  return names;
}

bool Directives::ReadParameters(Statement& statement, Macro& macro, Problem& problem) {
  Lexer& lexer = statement.lexer;
  bool is_first = true;
  while (lexer.Peek().kind != TokenKind::kEnd) {
    if (!is_first && !lexer.TakeIf(TokenKind::kComma)) {
      problem = {"AS004",
                 absl::StrCat("missing ',' before ", Describe(lexer, lexer.Peek())),
                 lexer.Peek().span,
                 {}};
      if (lexer.Peek().kind == TokenKind::kProblem) problem = lexer.problem();
      return false;
    }
    is_first = false;
    const Token token = lexer.Take();
    if (token.kind != TokenKind::kIdentifier) {
      problem = {"AS004",
                 absl::StrCat("expected a parameter, found ", Describe(lexer, token)),
                 token.span,
                 {}};
      if (token.kind == TokenKind::kProblem) problem = lexer.problem();
      return false;
    }
    const std::string name(lexer.TextOf(token));
    if (!macro.parameters.emplace(name, macro.parameters.size()).second) {
      problem = {"AS012", absl::StrCat("parameter '", name, "' is given twice"), token.span, {}};
      return false;
    }
  }
  return true;
}

void Directives::DefineMacro(Statement& statement) {
  Lexer& lexer = statement.lexer;
  const Line opening = statement.line;
  const Token name = lexer.Take();
  Macro macro;
  Problem problem;
  problem.span = name.span;
  bool good = true;
  if (name.kind != TokenKind::kIdentifier) {
    problem = {
        "AS004", absl::StrCat("expected a name, found ", Describe(lexer, name)), name.span, {}};
    if (name.kind == TokenKind::kProblem) problem = lexer.problem();
    good = false;
  } else {
    macro.name = std::string(lexer.TextOf(name));
    good = AcceptName(macro.name, problem) && ReadParameters(statement, macro, problem);
  }
  if (!good) Report(problem, opening, statement.order);
  const Place place = PlaceOf(opening, name.span, statement.order);
  std::vector<Line> body;
  if (!CollectBlock(statement, body)) good = false;
  if (macro.name.empty()) return;
  macro.is_broken = !good;
  macro.defined = place.at;
  macro.name_number = sources_.InternMacroName(macro.name);
  CheckBody(macro, body, statement.order);
  for (const Line& line : body) {
    macro.body.push_back({std::string(line.text), line.file, line.number, line.columns != nullptr});
  }
  const std::string key = macro.name;
  const auto [existing, is_new] = macros_.try_emplace(key, std::move(macro));
  if (is_new) return;
  reporter_.Report("AS012", absl::StrCat("macro '", key, "' is already defined"), place,
                   {FirstDefinition(existing->second.defined)});
}

void Directives::CheckBody(Macro& macro, const std::vector<Line>& body, std::uint64_t order) {
  int inner = 0;
  for (const Line& line : body) {
    const std::string directive = DirectiveOf(line.text);
    if (directive == ".macro") ++inner;
    if (directive == ".endm") --inner;
    if (inner > 0) continue;
    const std::string_view code = line.text.substr(0, FindComment(line.text));
    for (std::size_t at = code.find('\\'); at != std::string_view::npos;
         at = code.find('\\', at + 1)) {
      std::size_t end = at + 1;
      while (end < code.size() && IsNameCharacter(code[end])) ++end;
      const std::string_view name = code.substr(at + 1, end - at - 1);
      if (macro.parameters.find(name) != macro.parameters.end()) continue;
      macro.is_broken = true;
      Problem problem{"AS011",
                      absl::StrCat("macro '", macro.name, "' has no parameter '", Absl(name), "'"),
                      {at, end - at},
                      {}};
      problem.suggestion = [&macro, name] {
        std::vector<std::string_view> known;
        for (const auto& [parameter, index] : macro.parameters) known.push_back(parameter);
        return DidYouMean(name, known);
      };
      Report(problem, line, order);
    }
  }
}

bool Directives::ReadArguments(const Macro& macro, const Token& name, const Line& line,
                               std::vector<std::string>& arguments, Problem& problem) const {
  const std::size_t begin = name.span.end();
  const std::size_t comment = FindComment(line.text);
  const std::vector<Span> parts = SplitArguments(line.text, {begin, comment - begin});
  if (parts.size() != macro.parameters.size()) {
    problem = {"AS004",
               absl::StrCat("macro '", macro.name, "' takes ",
                            CountText(macro.parameters.size(), "argument"), ", not ", parts.size()),
               name.span,
               {}};
    return false;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view text = Trim(line.text.substr(parts[i].begin, parts[i].length));
    if (text.empty()) {
      problem = {"AS004", absl::StrCat("argument ", i + 1, " is missing"), parts[i], {}};
      return false;
    }
    arguments.emplace_back(text);
  }
  return true;
}

void Directives::Use(const Macro& macro, const Token& name, const Line& line, std::uint64_t order) {
  if (macro.is_broken) return;
  std::vector<std::string> arguments;
  Problem problem;
  const Place place = PlaceOf(line, name.span, order);
  if (!ReadArguments(macro, name, line, arguments, problem)) {
    return Report(problem, line, order,
                  {{"defined here", sources_.LocationOf({.at = macro.defined})}});
  }
  if (!expander_.EnterMacro(macro, std::move(arguments), place.at, line.origin)) {
    Report({"AS014",
            absl::StrCat("macro '", macro.name, "' nests deeper than ", options_.limits.depth,
                         " includes, macros and repetitions"),
            name.span,
            {}},
           line, order);
  }
}

}  // namespace moescope::assembler
