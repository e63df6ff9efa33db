#include "cli/session/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/session/gzip.h"

namespace moescope::session {

namespace {

// The bytes of an open descriptor.
class Descriptor {
 public:
  Descriptor(std::string path, int number) : path_(std::move(path)), number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ != STDIN_FILENO) ::close(number_);
  }

  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) const {
    for (;;) {
      const ssize_t got = ::read(number_, buffer, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return SystemError("read", path_, errno);
    }
  }

 private:
  std::string path_;
  int number_;
};

// Reads until `text` has `size` bytes or `read` is at its end.
template <typename Read>
absl::Status FillTo(std::size_t size, std::string& text, Read read) {
  std::array<char, InputFile::kHeadBytes> buffer;
  while (text.size() < size) {
    const std::size_t wanted = std::min(buffer.size(), size - text.size());
    ASSIGN_OR_RETURN(const std::size_t got, read(buffer.data(), wanted));
    if (got == 0) break;
    text.append(buffer.data(), got);
  }
  return absl::OkStatus();
}

// Takes bytes off the front of `text`.
std::size_t TakeFrom(std::string_view& text, char* buffer, std::size_t size) {
  const std::size_t count = std::min(size, text.size());
  std::copy_n(text.data(), count, buffer);
  text.remove_prefix(count);
  return count;
}

}  // namespace

class InputFile::Stream {
 public:
  Stream(const std::string& path, int number) : path_(path), descriptor_(path, number) {}

  absl::Status Begin() {
    // Two bytes tell whether the file is compressed; they are handed on.
    RETURN_IF_ERROR(FillTo(2, magic_, [this](char* buffer, std::size_t size) {
      return descriptor_.Read(buffer, size);
    }));
    unread_magic_ = magic_;
    if (IsGzip(magic_)) {
      ASSIGN_OR_RETURN(gzip_, GzipReader::Create(path_, [this](char* buffer, std::size_t size) {
                         return ReadRaw(buffer, size);
                       }));
    }
    RETURN_IF_ERROR(FillTo(kHeadBytes, head_, [this](char* buffer, std::size_t size) {
      return ReadContent(buffer, size);
    }));
    unread_head_ = head_;
    return absl::OkStatus();
  }

  std::string_view head() const { return head_; }

  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) {
    if (!unread_head_.empty()) return TakeFrom(unread_head_, buffer, size);
    return ReadContent(buffer, size);
  }

 private:
  absl::StatusOr<std::size_t> ReadRaw(char* buffer, std::size_t size) {
    if (!unread_magic_.empty()) return TakeFrom(unread_magic_, buffer, size);
    return descriptor_.Read(buffer, size);
  }

  absl::StatusOr<std::size_t> ReadContent(char* buffer, std::size_t size) {
    return gzip_ == nullptr ? ReadRaw(buffer, size) : gzip_->Read(buffer, size);
  }

  std::string path_;
  Descriptor descriptor_;
  std::unique_ptr<GzipReader> gzip_;
  std::string magic_;
  std::string_view unread_magic_;
  std::string head_;
  std::string_view unread_head_;
};

InputFile::InputFile(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}
InputFile::InputFile(InputFile&&) noexcept = default;
InputFile& InputFile::operator=(InputFile&&) noexcept = default;
InputFile::~InputFile() = default;

absl::StatusOr<InputFile> InputFile::Open(const std::string& path) {
  const int number = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) return SystemError("open", path, errno);
  auto stream = std::make_unique<Stream>(path, number);
  RETURN_IF_ERROR(stream->Begin());
  return InputFile(std::move(stream));
}

std::string_view InputFile::head() const { return stream_->head(); }

absl::StatusOr<std::size_t> InputFile::Read(char* buffer, std::size_t size) {
  return stream_->Read(buffer, size);
}

absl::StatusOr<std::string> InputFile::ReadAll() {
  std::string content;
  std::array<char, 1 << 16> buffer;
  for (;;) {
    ASSIGN_OR_RETURN(const std::size_t got, stream_->Read(buffer.data(), buffer.size()));
    if (got == 0) return content;
    content.append(buffer.data(), got);
  }
}

}  // namespace moescope::session
