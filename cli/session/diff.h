#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "profiler/diff/diff.h"

// `moescope diff` of files: profiles, commit logs and dumps.

namespace moescope::session {

enum class DiffKind : std::uint8_t { kProfile, kLog, kDump };

// "profiles", "commit logs", "dumps".
std::string_view DiffKindName(DiffKind kind);

struct DiffRequest {
  std::string a;
  std::string b;
  std::optional<DiffKind> kind;  // absent: what the files are
  std::string format = "text";   // text json markdown

  profiler::DiffOptions profile;

  std::set<std::string> ignored_columns;  // of logs
  std::size_t context = 8;                // lines in front of the first difference of two logs
  std::string program;                    // of both logs, for source lines; empty = none

  // Options that the user gave and the kind that each is for; another kind is a usage error.
  std::vector<std::pair<std::string, DiffKind>> used_options;

  std::string element;  // of dumps without a manifest: bf16 u32 f32 bytes; empty = bytes
};

struct DiffResult {
  std::string text;
  bool is_equal = true;  // or within tolerance
};

// What a file is: a folder is one of dumps.
DiffKind DetectDiffKind(const std::string& path, std::string_view head);

// Compares two files. Logs and dumps of any size are compared in constant memory. Errors: a usage
// error when options of one kind are used for another; FailedPrecondition when the sides must not
// be compared; InvalidArgument for files that are not what they should be, naming the file.
absl::StatusOr<DiffResult> Diff(const DiffRequest& request);

}  // namespace moescope::session
