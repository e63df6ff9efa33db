#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace moescope::session {

// A file of any size that is read piece by piece; "-" is standard input. One that is compressed by
// gzip is decompressed, whatever its name.
class InputFile {
 public:
  // Reads the first bytes, so that it is known what the file is.
  static absl::StatusOr<InputFile> Open(const std::string& path);
  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;
  ~InputFile();

  // The beginning of the content: kHeadBytes, or all when it is shorter.
  static constexpr std::size_t kHeadBytes = 1024;
  std::string_view head() const;

  // Up to `size` bytes of the content, the head included; 0 = the end. Errors name the path.
  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size);
  // Everything that was not read yet.
  absl::StatusOr<std::string> ReadAll();

 private:
  class Stream;
  explicit InputFile(std::unique_ptr<Stream> stream);

  std::unique_ptr<Stream> stream_;
};

}  // namespace moescope::session
