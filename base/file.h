#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace moescope {

// The whole content of a file; "-" is standard input. Errors name the path and the system's reason;
// a directory is an error. NotFound when the file does not exist.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// "cannot ACTION 'PATH': REASON" for an errno value: NotFound for ENOENT, else InvalidArgument.
absl::Status SystemError(std::string_view action, const std::string& path, int error);

// A file that appears under its name only when complete: bytes go to a temporary file in the
// target's folder, Commit() flushes and renames it, the destructor removes it when Commit was not
// reached.
// "-" (standard output), "/dev/*" and pipes are written directly.
class AtomicFile {
 public:
  static absl::StatusOr<AtomicFile> Create(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  absl::Status Write(std::string_view bytes);
  // Moves the write position `count` bytes forward without writing; the gap reads as zeros. Fails
  // with FailedPrecondition on a target that cannot seek.
  absl::Status Skip(std::uint64_t count);
  absl::Status Commit();

 private:
  AtomicFile() = default;
  void Abandon();

  std::string path_;
  std::string temporary_;  // empty when written directly
  int descriptor_ = -1;
  std::uint64_t position_ = 0;
  bool owns_descriptor_ = false;
};

// Create, Write, Commit in one call.
absl::Status WriteFile(const std::string& path, std::string_view bytes);

}  // namespace moescope
