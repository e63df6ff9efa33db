#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "cli/session/json_pointer_json.h"
#include "cli/session/verify.h"
#include "cli/shared_options.h"

namespace moescope::cli {

namespace {

constexpr Positional kFiles[] = {{"FILE", "A profile; '-' is standard input.", 1, kAnyNumber}};

constexpr Option kVerifyOptions[] = {
    FormatOption("text|json", "moescope profile verify p.json --format=json"),
};

ExitCode Verify(const Arguments& arguments, Console& console) {
  const std::vector<std::string>& inputs = arguments.positionals();
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    return Fail(console, session::UsageError("at most one input may be '-'"));
  }
  const bool json = arguments.TextOr("format", "text") == "json";
  ExitCode code = ExitCode::kSuccess;
  std::vector<session::VerifiedFile> files;
  for (const std::string& path : inputs) {
    absl::StatusOr<session::VerifiedFile> file = session::VerifyProfileFile(path);
    if (!file.ok()) {
      code = session::Worse(code, Fail(console, file.status()));
      continue;
    }
    if (!file->failures.empty()) code = session::Worse(code, ExitCode::kCheckFailed);
    files.push_back(*std::move(file));
  }
  if (json) {
    console.Out(session::VerificationJson(files));
    return code;
  }
  for (const session::VerifiedFile& file : files) console.Out(session::VerificationText(file));
  return code;
}

constexpr Positional kShowPositionals[] = {
    {"FILE", "A profile; '-' is standard input."},
    {"POINTER", "JSON pointer of the part to print; the default is everything.", 0, 1}};

ExitCode Show(const Arguments& arguments, Console& console) {
  const std::string& path = arguments.positionals().front();
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return Fail(console, text.status());
  const bool all = arguments.positionals().size() == 1;
  const absl::StatusOr<std::string> part =
      session::AtPointer(*text, path, all ? "" : arguments.positionals()[1]);
  if (!part.ok()) return Fail(console, part.status());
  console.Out(*part);
  return ExitCode::kSuccess;
}

}  // namespace

const Command kProfileVerifyCommand = {
    .name = "profile verify",
    .summary = "Checks the structure, sums and hashes of profiles.",
    .details = "Prints one line per broken invariant: FILE: PVnn: what differs.",
    .positionals = kFiles,
    .options = kVerifyOptions,
    .exit_codes = "0; 1 when an invariant is broken; 3 when a file is no profile.",
    .run = Verify,
};

const Command kProfileShowCommand = {
    .name = "profile show",
    .summary = "Prints a part of a profile, named by a JSON pointer.",
    .details = "'moescope profile show p.json /totals/cycles' prints one number.",
    .positionals = kShowPositionals,
    .options = {},
    .exit_codes = "0; 3 when the file is no JSON or has no such part.",
    .run = Show,
};

}  // namespace moescope::cli
