#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "base/rule.h"
#include "isa/instruction_set.h"
#include "isa/program.h"
#include "stages/stage_table.h"
#include "stages/vocabulary.h"

namespace moescope::assembler {

// -D NAME=value: .equ from the command line; the value is an expression.
struct Definition {
  std::string name;
  std::string value = "1";
};

// Bounds on what .include, .macro and .rept may make of an input. The input files themselves are
// not bounded.
struct ExpansionLimits {
  std::size_t depth = 64;           // nested includes, macros and repetitions
  std::uint64_t lines = 1u << 21;   // lines read from macros, repetitions and included files
  std::uint64_t bytes = 64u << 20;  // of those lines
};

// Reads an included file: NotFound lets the search go on, other errors end it.
using FileReader = std::function<absl::StatusOr<std::string>(const std::string& path)>;

struct AssembleOptions {
  const isa::InstructionSet* instruction_set = &isa::InstructionSet::Builtin();
  const stages::Vocabulary* vocabulary = nullptr;  // null: the built-in stages
  stages::UnknownStage unknown_stage = stages::UnknownStage::kError;
  std::vector<std::string> include_folders;  // -I, searched after the folder of the including file
  std::vector<Definition> definitions;
  RuleLevels rules;             // of the AS1xx findings
  std::size_t max_errors = 20;  // reported; 0 = all (of the first 100,000)
  FileReader read_file = ReadFile;
  ExpansionLimits limits;
};

struct SourceText {
  std::string path;  // "-" = standard input; only for messages and the folder of .include
  std::string text;
};

// How a line came to be assembled: written in the input, or through an include, a macro or a
// repetition that stands in a line with an origin of its own.
struct Origin {
  enum class Kind : std::uint8_t { kInput, kInclude, kMacro, kRepetition };
  Kind kind = Kind::kInput;
  std::uint32_t parent = 0;  // index of the origin of the line `at`; smaller than one's own
  std::uint32_t name = 0;    // of a macro: index into Assembly::macro_names
  isa::SourcePosition at;    // the .include, the use of the macro, the .rept

  friend bool operator==(const Origin&, const Origin&) = default;
};

struct EquValue {
  std::string name;
  std::int64_t value = 0;
  isa::SourcePosition defined;  // line 0: on the command line
};

// A program and what its listing tells about it.
struct Assembly {
  isa::Program program;
  std::vector<Diagnostic> findings;          // warnings and notes, in text order
  std::vector<EquValue> symbols;             // in order of definition
  std::vector<SourceText> sources;           // index = index into Program::files
  std::vector<Origin> origins;               // the first is the input
  std::vector<std::uint32_t> word_origins;   // one per word: index into `origins`
  std::vector<std::uint32_t> range_origins;  // one per stage range: where its marker came from
  std::vector<std::string> macro_names;
};

// Assembles one input, or several as if pasted one after the other. On any error an
// InvalidArgument status carries all diagnostics (DiagnosticsOf), ordered by position; texts and
// IDs are those of isa.md 3.4 and profile.md 2.4.
absl::StatusOr<Assembly> Assemble(std::string_view text, const std::string& path,
                                  const AssembleOptions& options = {});
absl::StatusOr<Assembly> Assemble(std::vector<SourceText> inputs,
                                  const AssembleOptions& options = {});

// The IDs that AssembleOptions::rules can set: AS101 to AS108.
std::span<const std::string_view> AssemblerRules();

}  // namespace moescope::assembler
