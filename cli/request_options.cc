#include "cli/request_options.h"

#include "cli/session/program.h"

namespace moescope::cli {

void ReadProgramOptions(const Arguments& arguments, session::ProgramRequest& program) {
  for (const std::string& folder : arguments.All("include")) {
    program.include_folders.push_back(folder);
  }
  for (const std::string& definition : arguments.All("define")) {
    program.definitions.push_back(session::ParseDefinition(definition));
  }
  for (const std::string& file : arguments.All("stage-vocabulary")) {
    program.stage_vocabulary.push_back(file);
  }
  if (const std::optional<std::string> level = arguments.Text("stage-errors")) {
    program.stage_errors =
        *level == "warn" ? stages::UnknownStage::kWarning : stages::UnknownStage::kError;
  }
}

ExitCode Fail(const Console& console, const absl::Status& status) {
  console.Error(status);
  return session::ExitCodeOf(status);
}

}  // namespace moescope::cli
