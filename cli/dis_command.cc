#include <memory>

#include "asm/disassembler.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "cli/session/program.h"
#include "cli/shared_options.h"
#include "isa/document.h"

namespace moescope::cli {

namespace {

constexpr Positional kPositionals[] = {
    {"FILE", "A container, .mem words, or a binary of words; '-' is standard input."}};

constexpr Option kOptions[] = {
    OutputOption("Where to write; the default is standard output.",
                 "moescope dis layer.moe -o layer.asm"),
    {.name = "markers",
     .value = "WHEN",
     .description = "Whether stage markers are written.",
     .example = "moescope dis layer.moe --markers=off",
     .choices = "on|off"},
    {.name = "addresses",
     .description = "Writes pc and word in a comment behind each instruction.",
     .example = "moescope dis layer.moe --addresses"},
    {.name = "lenient",
     .description = "Prints words with unused bits set as instructions; the text then no longer "
                    "assembles to these words.",
     .example = "moescope dis layer.mem --lenient"},
    {.name = "raw",
     .description = "Takes the file for a binary of words, whatever it looks like.",
     .example = "moescope dis firmware.img --raw"},
    {.name = "range",
     .value = "PC..PC",
     .description = "Prints only the instructions from the first pc to before the second.",
     .example = "moescope dis layer.moe --range=16..32"},
    {.name = "stages",
     .value = "FILE",
     .description = "Takes the stage table of bare words from a .stages.json file.",
     .example = "moescope dis layer.mem --stages=layer.stages.json"},
    IsaOption("moescope dis layer.mem --isa=isa-1.0.json"),
    ForceIsaOption("moescope dis layer.moe --force-isa"),
};

absl::StatusOr<isa::Program> ProgramOf(const Arguments& arguments, const isa::InstructionSet& set) {
  session::ProgramRequest request;
  request.file = arguments.positionals().front();
  request.stages = arguments.TextOr("stages", "");
  request.is_raw = arguments.Has("raw");
  request.force_isa = arguments.Has("force-isa");
  const stages::Vocabulary vocabulary;
  ASSIGN_OR_RETURN(assembler::LoadedProgram loaded,
                   session::OpenProgram(request, vocabulary, 20, set));
  return std::move(loaded.program);
}

absl::StatusOr<std::string> TextOf(const Arguments& arguments) {
  assembler::DisassembleOptions options;
  options.markers = arguments.TextOr("markers", "on") == "on";
  options.addresses = arguments.Has("addresses");
  options.lenient = arguments.Has("lenient");
  if (const std::optional<std::string> text = arguments.Text("range")) {
    const std::optional<session::PcRange> range = session::ParsePcRange(*text);
    if (!range) {
      return session::UsageError("--range: write it as BEGIN..END with BEGIN <= END");
    }
    options.begin_pc = range->begin;
    options.end_pc = range->end;
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<const isa::InstructionSet> set,
                   session::LoadInstructionSet(arguments.TextOr("isa", "")));
  options.instruction_set = set.get();
  ASSIGN_OR_RETURN(const isa::Program program, ProgramOf(arguments, *set));
  return assembler::Disassemble(program, options);
}

ExitCode Run(const Arguments& arguments, Console& console) {
  const absl::StatusOr<std::string> text = TextOf(arguments);
  if (!text.ok()) return Fail(console, text.status());
  const std::string output = arguments.TextOr("output", "-");
  if (output == "-") {
    console.Out(*text);
    return ExitCode::kSuccess;
  }
  const absl::Status written = WriteFile(output, *text);
  return written.ok() ? ExitCode::kSuccess : Fail(console, written);
}

}  // namespace

const Command kDisCommand = {
    .name = "dis",
    .summary = "Disassembles a program.",
    .details =
        "Assembling the output gives the same words and the same stage table. A word that is "
        "no instruction, or that has unused bits set, is printed as .word with the reason.",
    .positionals = kPositionals,
    .options = kOptions,
    .exit_codes = "0; 3 when the file cannot be read or is no program.",
    .run = Run,
};

}  // namespace moescope::cli
