#include "cli/session/explanations.h"

#include <algorithm>
#include <span>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "asm/explanations.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "cli/session/exit_code.h"
#include "emulator/explanations.h"
#include "isa/explanations.h"
#include "moe/explanations.h"
#include "profiler/explanations.h"
#include "stages/explanations.h"

namespace moescope::session {

namespace {

// Findings of manifests, of --config files, of dumps, and of the run itself.
constexpr Explanation kOwn[] = {
    {"CF501", "configuration file is not TOML",
     "The file named by --config or MOESCOPE_CONFIG does not follow the TOML grammar.",
     "[run]\nlimit = ", "Complete the line that the message points at."},
    {"CF502", "unknown table in the configuration file",
     "A configuration file holds one table per command and nothing else.",
     "[rnu]\ntiming = \"serial\"",
     "Name the table after a command: [run], [asm], [profile.verify]."},
    {"CF503", "unknown option in the configuration file",
     "A key of a command's table must be the long name of one of the command's options.",
     "[run]\ntimng = \"serial\"", "See 'moescope COMMAND --help' for the options of the command."},
    {"CF504", "value of the wrong type in the configuration file",
     "A flag is true or false; every other option is a text, an integer, or an array of them.",
     "[run]\nsparse = 1", "Write true or false for a flag, and quotes around texts."},
    {"CF510", "program compiled for another machine",
     "A container may state the tile parameters that its program was compiled for. They must be "
     "those of the machine, or its addresses mean something else.",
     "a program compiled for MLEN = 64 on a machine with MLEN = 128",
     "Run it on a machine of that shape, or compile it again."},
    {"IM013", "a folder's dump_manifest.json cannot be used",
     "The file that 'run --dump' writes beside its dumps is not JSON, has another version, or "
     "describes a dump incompletely.",
     "{\"schema\": \"moescope.dump_manifest\", \"schema_version\": 2}",
     "Write the dumps anew, or compare single files with 'diff dump --element'."},
    {"MF001", "the manifest is not JSON",
     "A run manifest is one JSON object without comments, nested at most 64 levels deep.",
     "{\"schema\": \"moescope.run\",}", "Correct the place that the message points at."},
    {"MF002", "the manifest has another schema or version",
     "The keys schema and schema_version say what the file is. This build reads moescope.run "
     "version 1.",
     "{\"schema\": \"moescope.run\", \"schema_version\": 2}",
     "Write \"schema\": \"moescope.run\" and \"schema_version\": 1."},
    {"MF003", "unknown key in the manifest",
     "Every key must be one that this build knows, so that a typing error is not silently ignored.",
     "{\"progam\": {\"file\": \"layer.asm\"}}", "Use the suggested key, or remove the line."},
    {"MF004", "a manifest key is missing or has the wrong type",
     "The message names the key and what it must be.", "{\"program\": {\"file\": 3}}",
     "Give the key a value of the type that the message asks for."},
    {"MF005", "a manifest value is not allowed",
     "The value has the right type but is none of the allowed ones, or out of range.",
     "{\"outputs\": {\"dumps\": [\"vrma\"]}}", "Use one of the values in the message."},
    {"MF006", "a key is given twice in one object of the manifest",
     "JSON readers disagree about which of the two counts, so neither is taken.",
     "{\"hot\": 3, \"hot\": 4}", "Remove one of the two."},
    {"MF007", "keys of the manifest exclude each other",
     "Some keys say the same thing in two ways; exactly one of them may be given.",
     "{\"space\": \"vram\", \"values\": [1], \"file\": \"golden.f32\"}",
     "Keep the one that you mean."},
};

}  // namespace

std::vector<Explanation> AllExplanations() {
  std::vector<Explanation> all(std::begin(kOwn), std::end(kOwn));
  for (const std::span<const Explanation> folder :
       {assembler::Explanations(), emulator::Explanations(), isa::Explanations(),
        moe::Explanations(), profiler::Explanations(), stages::Explanations()}) {
    all.insert(all.end(), folder.begin(), folder.end());
  }
  std::sort(all.begin(), all.end(),
            [](const Explanation& a, const Explanation& b) { return a.id < b.id; });
  return all;
}

std::vector<Explanation> ExplanationsOf(std::span<const std::string_view> ids) {
  std::vector<Explanation> some = AllExplanations();
  std::erase_if(some, [&](const Explanation& explanation) {
    return std::ranges::find(ids, explanation.id) == ids.end();
  });
  return some;
}

absl::StatusOr<std::string> Explain(std::string_view id) {
  const std::string wanted = absl::AsciiStrToUpper(Absl(id));
  std::vector<std::string_view> ids;
  for (const Explanation& explanation : AllExplanations()) {
    if (explanation.id == wanted) return RenderExplanation(explanation);
    ids.push_back(explanation.id);
  }
  return UsageError(
      absl::StrCat("no finding has the ID '", Absl(id), "'", DidYouMean(wanted, ids)));
}

}  // namespace moescope::session
