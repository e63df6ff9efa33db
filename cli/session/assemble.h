#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "asm/assembler.h"
#include "asm/emit.h"
#include "base/diagnostic.h"
#include "cli/session/run_request.h"

namespace moescope::session {

// What `moescope asm` is asked to do.
struct AssembleRequest {
  std::vector<std::string> inputs;  // as if pasted one behind the other
  std::string stdin_name = "-";     // what messages call standard input
  std::vector<std::string> include_folders;
  std::vector<KeyValue> definitions;
  std::vector<std::string> rules;  // "AS101=error"
  bool warnings_are_errors = false;
  std::size_t max_errors = 20;
  std::vector<std::string> stage_vocabulary;
  stages::UnknownStage stage_errors = stages::UnknownStage::kError;

  std::vector<assembler::OutputFormat> formats = {assembler::OutputFormat::kContainer};
  std::string isa;          // ISA document; empty = the built-in set
  std::string output;       // empty: named after the first input
  std::string listing;      // empty = none
  bool stages_out = false;  // also write the sidecar beside the output
  bool check = false;       // write nothing
};

// Assembles and writes the outputs. The result holds warnings and notes; errors are the status, and
// then nothing was written.
absl::StatusOr<std::vector<Diagnostic>> AssembleFiles(const AssembleRequest& request);

// The name of the output of one format: `output` itself when it is the only format, else with the
// format's suffix instead of its own; without `output` the first input's name with that suffix, or
// "-" when the input is "-".
std::string OutputName(const AssembleRequest& request, assembler::OutputFormat format);

}  // namespace moescope::session
