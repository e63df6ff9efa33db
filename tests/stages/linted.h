#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "asm/assembler.h"
#include "stages/lint.h"

// Lint on text: assembles and hands everything over as plain data, as the command does.

namespace moescope::test {

inline std::vector<stages::LintFinding> LintAssembly(
    const assembler::Assembly& assembly, const stages::Vocabulary& vocabulary,
    const stages::LintOptions& options = {},
    std::optional<std::vector<stages::ExecutedStage>> executed = std::nullopt) {
  std::vector<std::string> sources;
  for (const assembler::SourceText& source : assembly.sources) sources.push_back(source.text);
  std::vector<stages::Expansion> expansions;
  for (const assembler::Origin& origin : assembly.origins) {
    expansions.push_back(
        {static_cast<stages::Expansion::Kind>(origin.kind), origin.parent, origin.at});
  }
  stages::LintInput input;
  input.program = &assembly.program;
  input.sources = sources;
  input.expansions = expansions;
  input.word_origins = assembly.word_origins;
  input.range_origins = assembly.range_origins;
  input.vocabulary = &vocabulary;
  input.executed = std::move(executed);
  return stages::Lint(input, options);
}

struct Linted {
  std::vector<stages::LintFinding> findings;

  // "12 MS104" for every finding, in order.
  std::vector<std::string> Short() const {
    std::vector<std::string> texts;
    for (const stages::LintFinding& f : findings) {
      texts.push_back(absl::StrCat(f.diagnostic.location.line, " ", f.diagnostic.id));
    }
    return texts;
  }
  std::string Text() const {
    std::string text;
    for (const Diagnostic& d : stages::ToDiagnostics(findings)) text += RenderText(d);
    return text;
  }
};

inline Linted LintText(const std::string& text, const stages::LintOptions& options = {},
                       const stages::Vocabulary& vocabulary = stages::Vocabulary(),
                       assembler::FileReader reader = ReadFile) {
  const auto assembly =
      assembler::Assemble(text, "a.asm", {.vocabulary = &vocabulary, .read_file = reader});
  EXPECT_TRUE(assembly.ok()) << assembly.status();
  if (!assembly.ok()) return {};
  return {LintAssembly(*assembly, vocabulary, options)};
}

}  // namespace moescope::test
