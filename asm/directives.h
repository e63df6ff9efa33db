#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "asm/expander.h"
#include "asm/instruction_parser.h"
#include "asm/lexer.h"
#include "asm/reporter.h"

namespace moescope::assembler {

// The names of the directives, with their dots.
std::span<const std::string_view> DirectiveNames();

// Executes the directives that change what is read: .equ, .include, .macro, .rept, and the uses of
// macros. Problems go to the reporter.
class Directives {
 public:
  Directives(const AssembleOptions& options, const InstructionParser& parser, Sources& sources,
             Expander& expander, Reporter& reporter);

  // Lets .include recognise an input.
  void KnowInput(std::uint32_t file);
  // A directive other than .word; `lexer` stands after its name `token`. `line` becomes the last
  // line that was read.
  void Execute(const Token& token, Lexer& lexer, Line& line, std::uint64_t order);
  // Null when there is no such macro.
  const Macro* FindMacro(std::string_view name) const;
  void Use(const Macro& macro, const Token& name, const Line& line, std::uint64_t order);

  // A -D option.
  void Define(const Definition& definition);

  const SymbolTable& symbols() const { return symbols_; }
  std::vector<EquValue> TakeSymbols() { return std::move(definitions_); }
  std::vector<std::string_view> MacroNames() const;

 private:
  struct Statement {
    const Token& directive;
    Lexer& lexer;
    Line& line;
    std::uint64_t order;
  };

  void Equ(Statement& statement);
  void Include(Statement& statement);
  void DefineMacro(Statement& statement);
  void Repeat(Statement& statement);

  bool AcceptName(std::string_view name, Problem& problem) const;
  bool ReadParameters(Statement& statement, Macro& macro, Problem& problem);
  bool CollectBlock(Statement& statement, std::vector<Line>& body);
  void CheckBody(Macro& macro, const std::vector<Line>& body, std::uint64_t order);
  bool ReadArguments(const Macro& macro, const Token& name, const Line& line,
                     std::vector<std::string>& arguments, Problem& problem) const;
  bool FindFile(const std::string& name, const Line& line, std::uint32_t& file,
                std::string& message);
  bool ExpectEnd(Lexer& lexer, Problem& problem) const;
  void Report(const Problem& problem, const Line& line, std::uint64_t order,
              std::vector<DiagnosticNote> notes = {});
  DiagnosticNote FirstDefinition(const isa::SourcePosition& at) const;

  const AssembleOptions& options_;
  const InstructionParser& parser_;
  Sources& sources_;
  Expander& expander_;
  Reporter& reporter_;
  SymbolTable symbols_;
  std::vector<EquValue> definitions_;
  std::map<std::string, Macro, std::less<>> macros_;
  std::map<std::string, std::uint32_t> included_;  // path -> file number
};

// Reports `problem`, which lies in `line`.
void ReportProblem(Reporter& reporter, const Sources& sources, const Problem& problem,
                   const Line& line, std::uint64_t order, std::vector<DiagnosticNote> notes = {});

}  // namespace moescope::assembler
