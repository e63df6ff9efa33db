#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_view.h"

namespace moescope {

namespace {

// Targets that a rename would replace by a regular file.
bool MustWriteDirectly(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

absl::StatusOr<int> OpenTemporary(const std::string& path, std::string& temporary) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = absl::StrCat(path, ".", ::getpid(), ".", attempt, ".tmp");
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return descriptor;
    if (errno != EEXIST) break;
  }
  const int error = errno;
  temporary.clear();
  return SystemError("create", path, error);
}

}  // namespace

absl::Status SystemError(std::string_view action, const std::string& path, int error) {
  const std::string text =
      absl::StrCat("cannot ", Absl(action), " '", path, "': ", std::strerror(error));
  if (error == ENOENT) return absl::NotFoundError(text);
  return absl::InvalidArgumentError(text);
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const bool standard_input = path == "-";
  const int descriptor = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError("open", path, errno);
  std::string content;
  struct stat info {};
  if (::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode)) {
    content.reserve(static_cast<std::size_t>(info.st_size));
  }
  absl::Status status;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      status = SystemError("read", path, errno);
      break;
    }
    content.append(buffer, static_cast<std::size_t>(got));
  }
  if (!standard_input) ::close(descriptor);
  if (!status.ok()) return status;
  return content;
}

absl::StatusOr<AtomicFile> AtomicFile::Create(const std::string& path) {
  AtomicFile file;
  file.path_ = path;
  if (path == "-") {
    file.descriptor_ = STDOUT_FILENO;
    return file;
  }
  if (MustWriteDirectly(path)) {
    file.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ < 0) return SystemError("open", path, errno);
  } else {
    ASSIGN_OR_RETURN(file.descriptor_, OpenTemporary(path, file.temporary_));
  }
  file.owns_descriptor_ = true;
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept { *this = std::move(other); }

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this == &other) return *this;
  Abandon();
  path_ = std::exchange(other.path_, {});
  temporary_ = std::exchange(other.temporary_, {});
  descriptor_ = std::exchange(other.descriptor_, -1);
  position_ = std::exchange(other.position_, 0);
  owns_descriptor_ = std::exchange(other.owns_descriptor_, false);
  return *this;
}

AtomicFile::~AtomicFile() { Abandon(); }

void AtomicFile::Abandon() {
  if (owns_descriptor_) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  owns_descriptor_ = false;
  temporary_.clear();
}

absl::Status AtomicFile::Write(std::string_view bytes) {
  position_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    // A reader that went away is no failure of ours: the rest of the stream is dropped.
    if (written < 0 && errno == EPIPE && temporary_.empty()) return absl::OkStatus();
    if (written < 0) return SystemError("write", path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status AtomicFile::Skip(std::uint64_t count) {
  if (temporary_.empty())
    return absl::FailedPreconditionError(absl::StrCat("cannot seek in '", path_, "'"));
  position_ += count;
  if (::lseek(descriptor_, static_cast<off_t>(position_), SEEK_SET) < 0)
    return SystemError("seek in", path_, errno);
  return absl::OkStatus();
}

absl::Status AtomicFile::Commit() {
  if (temporary_.empty()) return absl::OkStatus();
  // A trailing gap left by Skip becomes part of the file.
  if (::ftruncate(descriptor_, static_cast<off_t>(position_)) != 0 || ::fsync(descriptor_) != 0) {
    return SystemError("write", path_, errno);
  }
  owns_descriptor_ = false;
  if (::close(descriptor_) != 0) return SystemError("write", path_, errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    return SystemError("rename to", path_, errno);
  temporary_.clear();
  return absl::OkStatus();
}

absl::Status WriteFile(const std::string& path, std::string_view bytes) {
  ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Create(path));
  RETURN_IF_ERROR(file.Write(bytes));
  return file.Commit();
}

}  // namespace moescope
