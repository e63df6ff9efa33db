// The commands on ISA documents: dump, check, coverage and diff.

#include "absl/strings/str_cat.h"
#include "base/diagnostic_json.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "cli/session/isa_usage.h"
#include "cli/shared_options.h"
#include "isa/document.h"
#include "isa/document_check.h"
#include "isa/document_coverage.h"
#include "isa/document_diff.h"
#include "isa/document_json.h"
#include "isa/reference.h"

namespace moescope::cli {

namespace {

constexpr std::string_view kDocumentText =
    "An ISA document (JSON, or TOML when its name ends in .toml), or 'builtin'.";

// Writes to -o, or to standard output.
ExitCode Deliver(const Arguments& arguments, Console& console, std::string_view text) {
  const std::string output = arguments.TextOr("output", "-");
  if (output == "-") {
    console.Out(text);
    return ExitCode::kSuccess;
  }
  const absl::Status written = WriteFile(output, text);
  return written.ok() ? ExitCode::kSuccess : Fail(console, written);
}

constexpr Positional kDumpPositionals[] = {
    {"SPEC", "The document to write; the default is 'builtin'.", 0, 1}};

constexpr Option kDumpOptions[] = {
    FormatOption("json|markdown", "moescope isa dump --format=markdown"),
    OutputOption("Where to write; the default is standard output.",
                 "moescope isa dump -o isa.json"),
};

ExitCode Dump(const Arguments& arguments, Console& console) {
  const std::string path =
      arguments.positionals().empty() ? "builtin" : arguments.positionals().front();
  const absl::StatusOr<isa::Document> document = isa::OpenDocument(path);
  if (!document.ok()) return Fail(console, document.status());
  if (arguments.TextOr("format", "json") == "json") {
    return Deliver(arguments, console, isa::WriteDocumentJson(*document));
  }
  return Deliver(arguments, console, isa::ReferenceMarkdown(*document));
}

constexpr Positional kSpec[] = {{"SPEC", kDocumentText}};

constexpr Option kCheckOptions[] = {
    FormatOption("text|json", "moescope isa check isa.json --format=json"),
    {.name = "warn",
     .description = "Reports findings without failing.",
     .example = "moescope isa check isa.json --warn"},
    {.name = "candidate",
     .value = "ENCODING",
     .description = "Checks one new encoding of 32 characters against all instead of the document.",
     .example = "moescope isa check builtin --candidate=----------------------dddd111001"},
};

std::string CheckText(const std::vector<Diagnostic>& findings) {
  std::string text;
  for (const Diagnostic& finding : findings) text += RenderText(finding);
  return text;
}

ExitCode Check(const Arguments& arguments, Console& console) {
  const std::string& path = arguments.positionals().front();
  const absl::StatusOr<isa::Document> document = isa::OpenDocument(path);
  if (!document.ok()) return Fail(console, document.status());
  isa::DocumentFindings findings;
  if (const std::optional<std::string> candidate = arguments.Text("candidate")) {
    findings.diagnostics = isa::CheckCandidate(*document, *candidate, path);
    findings.errors = findings.diagnostics.size();
  } else {
    findings = isa::CheckDocument(*document, path);
  }
  const bool warn = arguments.Has("warn");
  if (warn) {
    for (Diagnostic& finding : findings.diagnostics) {
      if (finding.severity == Severity::kError) finding.severity = Severity::kWarning;
    }
  }
  if (arguments.TextOr("format", "text") == "json") {
    console.Out(DiagnosticsJson(findings.diagnostics));
  } else {
    console.Out(CheckText(findings.diagnostics));
    console.Out(absl::StrCat(path, ": ", document->instructions.size(), " instructions, ",
                             findings.errors, findings.errors == 1 ? " problem\n" : " problems\n"));
  }
  return findings.errors == 0 || warn ? ExitCode::kSuccess : ExitCode::kCheckFailed;
}

constexpr Option kCoverageOptions[] = {
    {.name = "corpus",
     .value = "DIR",
     .description = "Adds which instructions and operand values the programs in a folder use.",
     .example = "moescope isa coverage builtin --corpus=programs",
     .repeatable = true},
    FormatOption("text|json", "moescope isa coverage builtin --format=json"),
    OutputOption("Where to write; the default is standard output.",
                 "moescope isa coverage builtin -o coverage.txt"),
};

ExitCode Coverage(const Arguments& arguments, Console& console) {
  const std::string& path = arguments.positionals().front();
  const absl::StatusOr<isa::Document> document = isa::OpenDocument(path);
  if (!document.ok()) return Fail(console, document.status());
  const isa::DocumentFindings findings = isa::CheckDocument(*document, path);
  if (findings.errors > 0) return Fail(console, ToStatus(findings.diagnostics));
  std::optional<session::CorpusUse> use;
  if (arguments.Has("corpus")) {
    const auto set = isa::MakeInstructionSet(*document, path);
    if (!set.ok()) return Fail(console, set.status());
    const absl::StatusOr<session::CorpusUse> used =
        session::UseOfCorpus(arguments.All("corpus"), **set);
    if (!used.ok()) return Fail(console, used.status());
    use = *used;
  }
  const isa::DocumentCoverage coverage = isa::CoverDocument(*document);
  return Deliver(arguments, console,
                 arguments.TextOr("format", "text") == "json"
                     ? session::CoverageJson(coverage, use)
                     : session::CoverageReport(coverage, use));
}

constexpr Positional kDiffPositionals[] = {{"OLD", kDocumentText}, {"NEW", kDocumentText}};

constexpr Option kDiffOptions[] = {
    FormatOption("text|json|markdown", "moescope isa diff old.json new.json --format=markdown"),
    OutputOption("Where to write; the default is standard output.",
                 "moescope isa diff old.json new.json -o changes.txt"),
};

ExitCode Diff(const Arguments& arguments, Console& console) {
  const absl::StatusOr<isa::Document> before = isa::OpenDocument(arguments.positionals()[0]);
  if (!before.ok()) return Fail(console, before.status());
  const absl::StatusOr<isa::Document> after = isa::OpenDocument(arguments.positionals()[1]);
  if (!after.ok()) return Fail(console, after.status());
  const isa::DocumentDiff diff = isa::DiffDocuments(*before, *after);
  const std::string format = arguments.TextOr("format", "text");
  const std::string text = format == "json"       ? isa::DiffJson(diff)
                           : format == "markdown" ? isa::DiffMarkdown(diff)
                                                  : isa::DiffText(diff);
  const ExitCode written = Deliver(arguments, console, text);
  if (written != ExitCode::kSuccess) return written;
  return diff.equal() ? ExitCode::kSuccess : ExitCode::kCheckFailed;
}

}  // namespace

const Command kIsaCoverageCommand = {
    .name = "isa coverage",
    .summary = "Counts the defined, reserved and unassigned words of an instruction set.",
    .details =
        "The counts are exact, per opcode and in total. A reserved word matches an instruction but "
        "has an unused bit set or an operand value that is not legal. With --corpus every program "
        "of the "
        "folder is assembled and decoded, and the values of each operand are listed: all of a "
        "field of at most four bits, the smallest and largest of a wider one.",
    .positionals = kSpec,
    .options = kCoverageOptions,
    .exit_codes =
        "0; 3 when SPEC is no ISA document, 'isa check' finds an error in it, or a "
        "program cannot be read.",
    .run = Coverage,
};

const Command kIsaDiffCommand = {
    .name = "isa diff",
    .summary = "Compares two instruction sets, instruction by instruction.",
    .details =
        "Says what was added, removed, renamed and re-encoded, which field moved where, and what "
        "changed in operands, timing, meaning and documentation.",
    .positionals = kDiffPositionals,
    .options = kDiffOptions,
    .exit_codes = "0 when they are equal; 1 when they differ; 3 when one is no ISA document.",
    .run = Diff,
};

const Command kIsaDumpCommand = {
    .name = "isa dump",
    .summary = "Writes an instruction set as one canonical document.",
    .details =
        "The SHA-256 of the JSON form is the ISA hash that containers and profiles name. An edited "
        "copy is read by --isa and by the other isa commands. The Markdown form is a page with one "
        "section per instruction.",
    .positionals = kDumpPositionals,
    .options = kDumpOptions,
    .exit_codes = "0; 3 when SPEC is no ISA document.",
    .run = Dump,
};

const Command kIsaCheckCommand = {
    .name = "isa check",
    .summary = "Finds overlapping encodings and other mistakes in an instruction set.",
    .details =
        "Every pair of encodings with a common word is reported with the smallest such word, "
        "whatever the order of the file. 'moescope explain IS010' and so on explain the findings.",
    .positionals = kSpec,
    .options = kCheckOptions,
    .exit_codes = "0; 1 when something is wrong (not with --warn); 3 when SPEC is no ISA document.",
    .run = Check,
};

}  // namespace moescope::cli
