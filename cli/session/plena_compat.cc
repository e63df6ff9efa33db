#include "cli/session/plena_compat.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "asm/assembler.h"
#include "base/file.h"
#include "base/status.h"
#include "stages/annotate.h"
#include "stages/strip.h"

namespace moescope::session {

void ApplyPlenaDefaults(RunRequest& request) {
  MachineRequest& machine = request.machine;
  const char* settings = std::getenv("PLENA_SETTINGS_TOML");
  if (machine.file.empty() && settings != nullptr) machine.file = settings;
  if (!machine.timing) machine.timing = "serial";
  if (machine.dialect.empty()) machine.reference_dialect = true;
  if (request.outputs.dumps.empty()) {
    for (const Memory memory : {Memory::kVram, Memory::kMram, Memory::kFpSram, Memory::kIntSram}) {
      request.outputs.dumps.push_back({memory, std::nullopt});
    }
  }
  request.plena_lines = true;
}

std::string PlenaTopologyLine(const emulator::MachineDescription& machine) {
  const emulator::Shape& shape = machine.shape;
  return absl::StrCat("topology mlen=", shape.mlen, " vlen=", shape.vlen, " hlen=", shape.hlen,
                      " blen=", shape.blen, " broadcast_amount=", shape.broadcast, "\n");
}

std::string PlenaClosingLines(const profiler::Profile& profile) {
  const profiler::CounterBlock& totals = profile.totals.counters;
  const double seconds = static_cast<double>(profile.totals.time_ps) * 1e-12;
  const auto bytes = static_cast<double>(totals.read.physical_bytes + totals.write.physical_bytes);
  return absl::StrFormat(
      "HBM Statistics - Bytes read: %d | Bytes written: %d | Utilization: %.2e bytes/sec\n"
      "Simulation completed. Latency %d.%03dns cycles %d\n",
      totals.read.physical_bytes, totals.write.physical_bytes, seconds > 0 ? bytes / seconds : 0.0,
      profile.totals.time_ps / 1000, profile.totals.time_ps % 1000, totals.cycles);
}

absl::StatusOr<std::string> TakeStagesFrom(const std::string& assembly_file,
                                           const stages::Vocabulary& vocabulary,
                                           const isa::InstructionSet& set, isa::Program& program) {
  ASSIGN_OR_RETURN(std::string text, ReadFile(assembly_file));
  std::string note;
  const bool annotated = stages::FirstMarkerLine(text) == 0;
  if (annotated) {
    ASSIGN_OR_RETURN(stages::Annotated result,
                     stages::Annotate(text, assembly_file, stages::AnnotateRules::Shipped()));
    note = absl::StrCat("note: ", assembly_file,
                        " has no stage markers; its comments were read by the annotate rules\n");
    text = std::move(result.text);
  }
  assembler::AssembleOptions options;
  options.vocabulary = &vocabulary;
  options.instruction_set = &set;
  ASSIGN_OR_RETURN(assembler::Assembly assembly, assembler::Assemble(text, assembly_file, options));
  isa::Program& source = assembly.program;
  if (source.words.size() != program.words.size()) {
    return absl::InvalidArgumentError(absl::StrCat(assembly_file, " has ", source.words.size(),
                                                   " instructions, the program has ",
                                                   program.words.size(), " words"));
  }
  std::size_t differing = 0;
  for (std::size_t pc = 0; pc < program.words.size(); ++pc) {
    if (program.words[pc] != source.words[pc]) ++differing;
  }
  if (differing > 0) {
    absl::StrAppend(&note, "note: ", assembly_file, ": ", differing, " of ", program.words.size(),
                    " words differ from the program's\n");
  }
  program.names = std::move(source.names);
  program.ranges = std::move(source.ranges);
  program.unresolved_markers = std::move(source.unresolved_markers);
  program.files = std::move(source.files);
  program.attribution =
      annotated ? isa::AttributionSource::kAnnotated : isa::AttributionSource::kMarkers;
  program.positions = std::move(source.positions);
  if (annotated) {
    // Lines of the annotated text are no lines of the file.
    program.positions.clear();
    for (isa::StageRange& range : program.ranges) range.line = 0;
  }
  return note;
}

}  // namespace moescope::session
