// Comparisons of files: diff, and diff profile, log, dump and stages.

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/diff_options.h"
#include "cli/request_options.h"
#include "cli/session/diff.h"
#include "cli/shared_options.h"

namespace moescope::cli {

namespace {

using session::DiffKind;
using session::UsageError;

// Options of one kind of file, where they are not for all.
struct Meant {
  std::string_view option;
  DiffKind kind;
};
constexpr Meant kMeant[] = {
    {"tolerance", DiffKind::kProfile}, {"direction", DiffKind::kProfile},
    {"allow", DiffKind::kProfile},     {"unit", DiffKind::kProfile},
    {"stages", DiffKind::kProfile},    {"stage", DiffKind::kProfile},
    {"pair", DiffKind::kProfile},      {"expert", DiffKind::kProfile},
    {"pairs", DiffKind::kProfile},     {"ignore", DiffKind::kLog},
    {"context", DiffKind::kLog},       {"program", DiffKind::kLog},
    {"element", DiffKind::kDump},
};

bool HasOption(const Command& command, std::string_view name) {
  for (const Option& option : command.options) {
    if (option.name == name) return true;
  }
  return false;
}

// Fills a request from the options that the command has.
class RequestReader {
 public:
  explicit RequestReader(const Arguments& arguments) : arguments_(arguments) {}

  absl::StatusOr<session::DiffRequest> Read() {
    request_.format = arguments_.TextOr("format", "text");
    for (const Meant& meant : kMeant) {
      if (!HasOption(arguments_.command(), meant.option)) continue;
      if (arguments_.IsOnCommandLine(meant.option)) {
        request_.used_options.emplace_back(meant.option, meant.kind);
      }
    }
    if (Has("tolerance")) RETURN_IF_ERROR(Profile());
    if (Has("stage")) RETURN_IF_ERROR(Filter());
    if (Has("ignore")) RETURN_IF_ERROR(Log());
    if (Has("element")) request_.element = arguments_.TextOr("element", "");
    return std::move(request_);
  }

 private:
  bool Has(std::string_view option) const { return HasOption(arguments_.command(), option); }

  absl::Status Profile() {
    profiler::DiffOptions& options = request_.profile;
    for (const std::string& text : arguments_.All("tolerance")) {
      const absl::StatusOr<profiler::Tolerance> tolerance = profiler::ParseTolerance(text);
      if (!tolerance.ok()) return UsageError(std::string(tolerance.status().message()));
      options.tolerances.push_back(*tolerance);
    }
    for (const std::string& what : arguments_.List("allow")) options.allow.insert(what);
    options.in_ns = arguments_.TextOr("unit", "cycles") == "ns";
    options.only_regressions = arguments_.TextOr("direction", "any") == "regress";
    return absl::OkStatus();
  }

  absl::Status Filter() {
    profiler::DiffOptions& options = request_.profile;
    options.filter.stage_glob = arguments_.TextOr("stage", "*");
    ASSIGN_OR_RETURN(options.filter.pair, arguments_.Number("pair"));
    ASSIGN_OR_RETURN(options.filter.expert, arguments_.Number("expert"));
    options.filter.with_pairs = arguments_.Has("pairs");
    const std::vector<std::string>& stages = arguments_.All("stages");
    if (!stages.empty()) options.stages = {stages[0], stages[1]};
    return absl::OkStatus();
  }

  absl::Status Log() {
    for (const std::string& column : arguments_.List("ignore")) {
      request_.ignored_columns.insert(column);
    }
    ASSIGN_OR_RETURN(const std::optional<std::uint64_t> context, arguments_.Number("context"));
    if (context) request_.context = *context;
    request_.program = arguments_.TextOr("program", "");
    return absl::OkStatus();
  }

  const Arguments& arguments_;
  session::DiffRequest request_;
};

// Compares, writes the result, and gives the exit code.
ExitCode Compare(const Arguments& arguments, Console& console,
                 const absl::StatusOr<session::DiffRequest>& request) {
  if (!request.ok()) return Fail(console, request.status());
  if (request->a == "-" && request->b == "-") {
    return Fail(console, UsageError("at most one input may be '-'"));
  }
  const absl::StatusOr<session::DiffResult> result = session::Diff(*request);
  if (!result.ok()) return Fail(console, result.status());
  const std::string output = arguments.TextOr("output", "-");
  if (output == "-") {
    console.Out(result->text);
  } else if (const absl::Status written = WriteFile(output, result->text); !written.ok()) {
    return Fail(console, written);
  }
  return result->is_equal ? ExitCode::kSuccess : ExitCode::kCheckFailed;
}

// A and B, or with --stages one profile that is both.
ExitCode CompareTwo(const Arguments& arguments, Console& console, std::optional<DiffKind> kind) {
  absl::StatusOr<session::DiffRequest> request = RequestReader(arguments).Read();
  if (!request.ok()) return Fail(console, request.status());
  const std::vector<std::string>& files = arguments.positionals();
  if (files.size() == 1 && !request->profile.stages) {
    return Fail(console, UsageError("missing argument B"));
  }
  request->a = files.front();
  request->b = files.back();
  request->kind = kind;
  return Compare(arguments, console, request);
}

ExitCode DiffAny(const Arguments& arguments, Console& console) {
  return CompareTwo(arguments, console, std::nullopt);
}
ExitCode DiffProfiles(const Arguments& arguments, Console& console) {
  return CompareTwo(arguments, console, DiffKind::kProfile);
}
ExitCode DiffLogs(const Arguments& arguments, Console& console) {
  return CompareTwo(arguments, console, DiffKind::kLog);
}
ExitCode DiffDumps(const Arguments& arguments, Console& console) {
  return CompareTwo(arguments, console, DiffKind::kDump);
}

ExitCode DiffStages(const Arguments& arguments, Console& console) {
  absl::StatusOr<session::DiffRequest> request = RequestReader(arguments).Read();
  if (!request.ok()) return Fail(console, request.status());
  const std::vector<std::string>& words = arguments.positionals();
  request->profile.stages = {words[0], words[1]};
  request->a = words[2];
  request->b = words.back();
  request->kind = DiffKind::kProfile;
  return Compare(arguments, console, request);
}

constexpr Positional kAnyTwo[] = {
    {"A", "A profile, a commit log, a dump, or a folder of dumps; '-' is standard input."},
    {"B", "The same kind of file; left out with --stages.", 0, 1}};
constexpr Option kAnyOptions[] = {
    ToleranceOption("moescope diff a.json b.json --tolerance=cycles=0.5%"),
    DirectionOption("moescope diff a.json b.json --direction=regress"),
    StagesPairOption("moescope diff p.json --stages shared_expert expert_projection"),
    StageOption("moescope diff a.json b.json --stage=expert_*"),
    PairOption("moescope diff a.json b.json --pair=3"),
    ExpertOption("moescope diff a.json b.json --expert=7"),
    PairsOption("moescope diff a.json b.json --pairs"),
    AllowOption("moescope diff a.json b.json --allow=machine,model"),
    UnitOption("moescope diff a.json b.json --unit=ns"),
    IgnoreOption("moescope diff a.log b.log --ignore=cycle"),
    ContextOption("moescope diff a.log b.log --context=20"),
    ProgramOption("moescope diff a.log b.log --program=layer.asm"),
    ElementOption("moescope diff a/vram_dump.bin b/vram_dump.bin --element=bf16"),
    FormatOption("text|json|markdown", "moescope diff a.json b.json --format=markdown"),
    OutputOption("Where to write; the default is standard output.",
                 "moescope diff a.json b.json -o difference.txt"),
};

constexpr Positional kTwoProfiles[] = {
    {"A", "A profile, or a stage profile of the public emulator; '-' is standard input."},
    {"B", "Another; left out with --stages.", 0, 1}};
constexpr Option kProfileOptions[] = {
    ToleranceOption("moescope diff profile a.json b.json --tolerance=cycles=0.5%"),
    DirectionOption("moescope diff profile a.json b.json --direction=regress"),
    StagesPairOption("moescope diff profile p.json --stages shared_expert expert_projection"),
    StageOption("moescope diff profile a.json b.json --stage=expert_*"),
    PairOption("moescope diff profile a.json b.json --pair=3"),
    ExpertOption("moescope diff profile a.json b.json --expert=7"),
    PairsOption("moescope diff profile a.json b.json --pairs"),
    AllowOption("moescope diff profile a.json b.json --allow=machine,model"),
    UnitOption("moescope diff profile a.json b.json --unit=ns"),
    FormatOption("text|json|markdown", "moescope diff profile a.json b.json --format=markdown"),
    OutputOption("Where to write; the default is standard output.",
                 "moescope diff profile a.json b.json -o difference.txt"),
};

constexpr Positional kTwoLogs[] = {
    {"A", "A commit log, plain or compressed by gzip; '-' is standard input."}, {"B", "Another."}};
constexpr Option kLogOptions[] = {
    IgnoreOption("moescope diff log a.log b.log --ignore=cycle,stage"),
    ContextOption("moescope diff log a.log b.log --context=20"),
    ProgramOption("moescope diff log a.log b.log --program=layer.asm"),
    FormatOption("text|json|markdown", "moescope diff log a.log b.log --format=json"),
    OutputOption("Where to write; the default is standard output.",
                 "moescope diff log a.log b.log -o divergence.txt"),
};

constexpr Positional kTwoDumps[] = {
    {"A", "A dump, or a folder with a dump_manifest.json; '-' is standard input."},
    {"B", "Another."}};
constexpr Option kDumpOptions[] = {
    ElementOption("moescope diff dump a/vram_dump.bin b/vram_dump.bin --element=bf16"),
    FormatOption("text|json|markdown", "moescope diff dump a b --format=markdown"),
    OutputOption("Where to write; the default is standard output.",
                 "moescope diff dump a b -o difference.txt"),
};

constexpr Positional kTwoStages[] = {
    {"X", "A stage of PROFILE."},
    {"Y", "A stage of the last PROFILE."},
    {"PROFILE", "One profile, or two; '-' is standard input.", 1, 2}};
constexpr Option kStagesOptions[] = {
    ToleranceOption("moescope diff stages gather expert_bias p.json --tolerance=cycles=10%"),
    DirectionOption("moescope diff stages gather expert_bias p.json --direction=regress"),
    AllowOption("moescope diff stages gather gather a.json b.json --allow=machine"),
    UnitOption("moescope diff stages gather gather a.json b.json --unit=ns"),
    FormatOption("text|json|markdown",
                 "moescope diff stages gather expert_bias p.json --format=json"),
    OutputOption("Where to write; the default is standard output.",
                 "moescope diff stages gather expert_bias p.json -o stages.txt"),
};

}  // namespace

const Command kDiffCommand = {
    .name = "diff",
    .summary = "Compares two profiles, commit logs or dumps, whichever the files are.",
    .details =
        "'diff profile', 'diff log', 'diff dump' and 'diff stages' take files of one kind only and "
        "explain what is compared.",
    .positionals = kAnyTwo,
    .options = kAnyOptions,
    .exit_codes =
        "0 when they are equal or within tolerance; 1 when not; 3 when a file cannot be read or "
        "the two must not be compared.",
    .run = DiffAny,
};

const Command kDiffProfileCommand = {
    .name = "diff profile",
    .summary = "Compares two profiles, metric by metric.",
    .details =
        "Profiles of another instruction set, timing model, machine or clock, and incomplete ones, "
        "are refused unless --allow names what may differ. A stage on one side only counts as a "
        "difference.",
    .positionals = kTwoProfiles,
    .options = kProfileOptions,
    .exit_codes =
        "0 when every judged metric is within its tolerance; 1 when not; 3 when a file is no "
        "profile or the comparison is refused.",
    .run = DiffProfiles,
};

const Command kDiffLogCommand = {
    .name = "diff log",
    .summary = "Finds the first instruction at which two commit logs differ.",
    .details =
        "Both logs are read once, in constant memory. Differences of program, machine and "
        "instruction set are noted, not refused: they may be what is looked for.",
    .positionals = kTwoLogs,
    .options = kLogOptions,
    .exit_codes = "0 when they are equal; 1 when they differ; 3 when one is no commit log.",
    .run = DiffLogs,
};

const Command kDiffDumpCommand = {
    .name = "diff dump",
    .summary = "Compares dumps of memories and registers, element by element.",
    .details =
        "Of each file the number of differing elements, the first of them and the largest "
        "difference are told. A dump in one folder only counts as a difference.",
    .positionals = kTwoDumps,
    .options = kDumpOptions,
    .exit_codes =
        "0 when they are equal; 1 when they differ; 3 when a file cannot be read, or holds other "
        "elements or another range on the two sides.",
    .run = DiffDumps,
};

const Command kDiffStagesCommand = {
    .name = "diff stages",
    .summary = "Compares two stages of a profile, or of two.",
    .details = "The same as 'diff profile --stages X Y'.",
    .positionals = kTwoStages,
    .options = kStagesOptions,
    .exit_codes =
        "0 when every judged metric is within its tolerance; 1 when not; 3 when a file is no "
        "profile or has no such stage.",
    .run = DiffStages,
};

}  // namespace moescope::cli
