// Instead of gzip.cc in a build without zlib.

#include "absl/strings/str_cat.h"
#include "cli/session/gzip.h"

namespace moescope::session {

namespace {

absl::Status Refusal(const std::string& path) {
  return absl::UnimplementedError(absl::StrCat(
      "'", path, "' is compressed, and this build was made without zlib; use a file without .gz"));
}

}  // namespace

bool HasGzip() { return false; }

absl::StatusOr<std::unique_ptr<GzipWriter>> GzipWriter::Create(const std::string& path) {
  return Refusal(path);
}

bool IsGzip(std::string_view bytes) { return bytes.substr(0, 2) == "\x1f\x8b"; }

absl::StatusOr<std::unique_ptr<GzipReader>> GzipReader::Create(const std::string& path, Source) {
  return Refusal(path);
}

}  // namespace moescope::session
