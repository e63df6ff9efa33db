#pragma once

#include <array>
#include <cstdio>
#include <string>

#include "absl/status/statusor.h"
#include "base/file.h"

namespace moescope::test {

// The content of a file, or of the file with ".gz" appended when only that exists.
inline absl::StatusOr<std::string> ReadPlainOrGzipped(const std::string& path) {
  absl::StatusOr<std::string> plain = ReadFile(path);
  if (plain.ok()) return plain;
  if (!ReadFile(path + ".gz").ok()) return plain.status();
  const std::string command = "gzip -dc '" + path + ".gz'";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return absl::InternalError("cannot run gzip");
  std::string content;
  std::array<char, 1 << 16> buffer;
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    content.append(buffer.data(), got);
  }
  if (::pclose(pipe) != 0) return absl::InternalError("gzip failed on " + path);
  return content;
}

}  // namespace moescope::test
