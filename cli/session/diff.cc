#include "cli/session/diff.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/session/dump_diff.h"
#include "cli/session/exit_code.h"
#include "cli/session/input_file.h"
#include "cli/session/log_diff_json.h"
#include "cli/session/program.h"
#include "profiler/log/log_diff.h"

namespace moescope::session {

namespace {

constexpr std::string_view kLogBeginning = "# moescope commit log ";

bool IsFolder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

// Whether a file begins as registers.json does.
bool IsRegisters(std::string_view head) {
  return head.find("\"moescope.registers\"") != std::string_view::npos;
}

// An open side; a folder has no file.
struct Side {
  std::string path;
  std::optional<InputFile> file;
};

absl::StatusOr<Side> OpenSide(const std::string& path) {
  Side side{path, std::nullopt};
  if (!IsFolder(path)) {
    ASSIGN_OR_RETURN(side.file, InputFile::Open(path));
  }
  return side;
}

DiffResult ProfileResult(const profiler::Diff& diff, const std::string& format) {
  const std::string text = format == "json"       ? profiler::DiffJson(diff)
                           : format == "markdown" ? profiler::DiffMarkdown(diff)
                                                  : profiler::DiffText(diff);
  return {text, diff.is_within()};
}

DiffResult DumpResult(const DumpDiff& diff, const std::string& format) {
  const std::string text = format == "json"       ? DumpDiffJson(diff)
                           : format == "markdown" ? DumpDiffMarkdown(diff)
                                                  : DumpDiffText(diff);
  return {text, diff.is_equal()};
}

absl::StatusOr<DiffResult> DiffProfileFiles(const DiffRequest& request, Side& a, Side& b) {
  ASSIGN_OR_RETURN(const std::string text_a, a.file->ReadAll());
  ASSIGN_OR_RETURN(const std::string text_b, b.file->ReadAll());
  ASSIGN_OR_RETURN(const profiler::Diff diff,
                   profiler::DiffProfiles({a.path, text_a}, {b.path, text_b}, request.profile));
  return ProfileResult(diff, request.format);
}

// The hash in the header line "# program sha256:...".
std::string ProgramOf(std::string_view head) {
  constexpr std::string_view kName = "\n# program ";
  const std::size_t at = head.find(kName);
  if (at == std::string_view::npos) return "";
  head.remove_prefix(at + kName.size());
  return std::string(head.substr(0, head.find('\n')));
}

// The program that log A is of, for its source places.
absl::StatusOr<isa::Program> ProgramOfLog(const std::string& program, const Side& log) {
  const stages::Vocabulary vocabulary;
  ProgramRequest request;
  request.file = program;
  request.stage_errors = stages::UnknownStage::kWarning;  // only lines are wanted
  ASSIGN_OR_RETURN(assembler::LoadedProgram loaded, OpenProgram(request, vocabulary));
  const std::string hash = loaded.program.WordsHash();
  const std::string logged = ProgramOf(log.file->head());
  if (hash != logged) {
    return absl::InvalidArgumentError(absl::StrCat(program, ": ", hash, " is not the program of ",
                                                   log.path, ", which is ", logged));
  }
  return std::move(loaded.program);
}

// "A:5: text" names the file instead of the side.
absl::Status WithPaths(const absl::Status& status, const DiffRequest& request) {
  const std::string message(status.message());
  for (const auto& [prefix, path] : {std::pair("A:", &request.a), std::pair("B:", &request.b)}) {
    if (absl::StartsWith(message, prefix)) {
      return absl::Status(status.code(), absl::StrCat(*path, message.substr(1)));
    }
  }
  return status;
}

absl::StatusOr<DiffResult> DiffLogFiles(const DiffRequest& request, Side& a, Side& b) {
  profiler::LogDiffOptions options;
  options.ignore = request.ignored_columns;
  options.context = request.context;
  isa::Program program;
  if (!request.program.empty()) {
    ASSIGN_OR_RETURN(program, ProgramOfLog(request.program, a));
    options.place = [&program](std::uint64_t pc) {
      return pc < program.words.size() ? program.PlaceOf(static_cast<std::uint32_t>(pc)) : "";
    };
  }
  const auto source = [](Side& side) -> profiler::ByteSource {
    return [&side](char* buffer, std::size_t size) { return side.file->Read(buffer, size); };
  };
  const absl::StatusOr<profiler::LogDiff> diff = profiler::DiffLogs(source(a), source(b), options);
  if (!diff.ok()) return WithPaths(diff.status(), request);
  const std::string text = request.format == "json" ? LogDiffJson(*diff, request.a, request.b)
                           : request.format == "markdown"
                               ? LogDiffMarkdown(*diff, request.a, request.b)
                               : profiler::LogDiffText(*diff);
  return DiffResult{text, !diff->difference.has_value()};
}

absl::StatusOr<DiffResult> DiffDumpFiles(const DiffRequest& request, Side& a, Side& b) {
  if (a.file.has_value() != b.file.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(request.a, " and ", request.b,
                                                   ": a folder of dumps and a file cannot be "
                                                   "compared"));
  }
  if (!a.file) {
    if (!request.element.empty()) {
      return UsageError("--element is for files; dump_manifest.json says what a folder holds");
    }
    ASSIGN_OR_RETURN(const DumpDiff diff, DiffDumpFolders(request.a, request.b));
    return DumpResult(diff, request.format);
  }
  DumpShape shape;
  shape.name = std::filesystem::path(request.a).filename();
  const bool registers = IsRegisters(a.file->head()) && IsRegisters(b.file->head());
  shape.element = !request.element.empty() ? request.element : registers ? "json" : "bytes";
  DumpDiff diff{request.a, request.b, {}, {}};
  ASSIGN_OR_RETURN(DumpDifference difference,
                   CompareDumps(*a.file, *b.file, shape, *ParseDumpElement(shape.element)));
  diff.files.push_back(std::move(difference));
  return DumpResult(diff, request.format);
}

absl::StatusOr<DiffKind> KindOf(const DiffRequest& request, const Side& a, const Side& b) {
  const auto of = [](const Side& side) {
    return DetectDiffKind(side.path, side.file ? side.file->head() : std::string_view());
  };
  const DiffKind kind = of(a);
  if (kind == of(b)) return kind;
  return absl::InvalidArgumentError(
      absl::StrCat("only files of one kind can be compared: ", request.a, " belongs to ",
                   Absl(DiffKindName(kind)), ", ", request.b, " to ", Absl(DiffKindName(of(b)))));
}

absl::StatusOr<DiffResult> DiffSides(const DiffRequest& request, Side& a, Side& b) {
  DiffKind kind = DiffKind::kDump;
  if (request.kind) {
    kind = *request.kind;
  } else {
    ASSIGN_OR_RETURN(kind, KindOf(request, a, b));
  }
  for (const auto& [option, of] : request.used_options) {
    if (of == kind) continue;
    return UsageError(absl::StrCat("--", option, " is for comparing ", Absl(DiffKindName(of)),
                                   "; these are ", Absl(DiffKindName(kind))));
  }
  if (kind == DiffKind::kDump) return DiffDumpFiles(request, a, b);
  for (const Side* side : {&a, &b}) {
    if (side->file) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        side->path, " is a folder, not ", kind == DiffKind::kLog ? "a commit log" : "a profile"));
  }
  return kind == DiffKind::kLog ? DiffLogFiles(request, a, b) : DiffProfileFiles(request, a, b);
}

}  // namespace

std::string_view DiffKindName(DiffKind kind) {
  switch (kind) {
    case DiffKind::kProfile:
      return "profiles";
    case DiffKind::kLog:
      return "commit logs";
    case DiffKind::kDump:
      break;
  }
  return "dumps";
}

DiffKind DetectDiffKind(const std::string& path, std::string_view head) {
  if (IsFolder(path)) return DiffKind::kDump;
  if (absl::StartsWith(Absl(head), Absl(kLogBeginning))) return DiffKind::kLog;
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool is_json = first != std::string_view::npos && head[first] == '{';
  return is_json && !IsRegisters(head) ? DiffKind::kProfile : DiffKind::kDump;
}

absl::StatusOr<DiffResult> Diff(const DiffRequest& request) {
  ASSIGN_OR_RETURN(Side a, OpenSide(request.a));
  ASSIGN_OR_RETURN(Side b, OpenSide(request.b));
  return DiffSides(request, a, b);
}

}  // namespace moescope::session
