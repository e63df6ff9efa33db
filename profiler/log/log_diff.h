#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

// `moescope diff log`: the first line at which two commit logs of any size differ.

namespace moescope::profiler {

// Reads up to `size` bytes into `buffer` and returns their number; 0 = the end.
using ByteSource = std::function<absl::StatusOr<std::size_t>(char* buffer, std::size_t size)>;

struct LogDiffOptions {
  std::set<std::string> ignore;  // columns: seq cycle pc word stage text effects
  std::size_t context = 8;       // lines shown in front of the difference
  // "file:line:col" of a pc, or empty; may be absent.
  std::function<std::string(std::uint64_t pc)> place;
};

struct LogDifference {
  std::uint64_t line = 0;            // of the first log, counted from 1
  std::vector<std::string> context;  // equal lines in front of it, as in A
  std::optional<std::string> a;      // absent: this log ended
  std::optional<std::string> b;
  std::vector<std::string> columns;    // names of those that differ
  std::vector<std::string> only_in_a;  // effects
  std::vector<std::string> only_in_b;
  std::string place;  // source of A's line, when known
};

struct LogDiff {
  std::vector<std::string> notes;  // header facts that differ: "program sha256:... / sha256:..."
  std::uint64_t lines = 0;         // compared, until the difference
  std::optional<LogDifference> difference;
};

// Needs constant memory. InvalidArgument when a side is no commit log of a known version, has other
// columns, holds a line that is malformed or longer than 16 MiB, or for an unknown column to
// ignore.
absl::StatusOr<LogDiff> DiffLogs(const ByteSource& a, const ByteSource& b,
                                 const LogDiffOptions& options);

std::string LogDiffText(const LogDiff& diff);

}  // namespace moescope::profiler
