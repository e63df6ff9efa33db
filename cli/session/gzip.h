#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// gzip by zlib, where the build has it.

namespace moescope::session {

// Whether this build can read and write gzip.
bool HasGzip();

// Compresses a stream. The header holds no name and no time, so equal input gives equal bytes.
class GzipWriter {
 public:
  using Sink = std::function<absl::Status(std::string_view bytes)>;

  // Unimplemented, naming `path`, in a build without zlib.
  static absl::StatusOr<std::unique_ptr<GzipWriter>> Create(const std::string& path);
  virtual ~GzipWriter() = default;

  virtual absl::Status Write(std::string_view bytes, const Sink& sink) = 0;
  virtual absl::Status Finish(const Sink& sink) = 0;
};

// Whether a file that begins with `bytes` is compressed by gzip.
bool IsGzip(std::string_view bytes);

// Decompresses a stream, of several members one behind the other too.
class GzipReader {
 public:
  // Up to `size` bytes of the compressed file into `buffer`; 0 = the end.
  using Source = std::function<absl::StatusOr<std::size_t>(char* buffer, std::size_t size)>;

  // Unimplemented, naming `path`, in a build without zlib.
  static absl::StatusOr<std::unique_ptr<GzipReader>> Create(const std::string& path, Source source);
  virtual ~GzipReader() = default;

  // Up to `size` bytes of content; 0 = the end. InvalidArgument names the path when the file is
  // damaged or ends early.
  virtual absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) = 0;
};

}  // namespace moescope::session
