#include "cli/session/gzip.h"

#include <zlib.h>

#include <array>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"

namespace moescope::session {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr int kGzipWindow = 15 + 16;  // 32 KiB, gzip header instead of zlib's
constexpr int kMemoryLevel = 8;       // zlib's default

class Deflater : public GzipWriter {
 public:
  Deflater() {
    // Fails only without memory or with another version of the library.
    CHECK(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                       Z_DEFAULT_STRATEGY) == Z_OK);
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() override { deflateEnd(&stream_); }

  absl::Status Write(std::string_view bytes, const Sink& sink) override {
    constexpr std::size_t kLargest = std::numeric_limits<uInt>::max();
    for (; bytes.size() > kLargest; bytes.remove_prefix(kLargest)) {
      RETURN_IF_ERROR(Feed(bytes.substr(0, kLargest), Z_NO_FLUSH, sink));
    }
    return Feed(bytes, Z_NO_FLUSH, sink);
  }

  absl::Status Finish(const Sink& sink) override { return Feed("", Z_FINISH, sink); }

 private:
  absl::Status Feed(std::string_view bytes, int flush, const Sink& sink) {
    // zlib does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_out = static_cast<uInt>(packed_.size());
      CHECK(deflate(&stream_, flush) != Z_STREAM_ERROR);
      const std::size_t made = packed_.size() - stream_.avail_out;
      if (made > 0) RETURN_IF_ERROR(sink({packed_.data(), made}));
    } while (stream_.avail_out == 0);
    return absl::OkStatus();
  }

  z_stream stream_{};
  std::array<char, kChunk> packed_;
};

class Inflater : public GzipReader {
 public:
  Inflater(std::string path, Source source) : path_(std::move(path)), source_(std::move(source)) {
    CHECK(inflateInit2(&stream_, kGzipWindow) == Z_OK);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() override { inflateEnd(&stream_); }

  absl::StatusOr<std::size_t> Read(char* buffer, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0) {
        ASSIGN_OR_RETURN(const std::size_t got, source_(packed_.data(), packed_.size()));
        if (got == 0) {
          if (at_boundary_) return std::size_t{0};
          return absl::InvalidArgumentError(
              absl::StrCat(path_, ": the compressed file ends early"));
        }
        stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
        stream_.avail_in = static_cast<uInt>(got);
      }
      at_boundary_ = false;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        at_boundary_ = true;
        CHECK(inflateReset(&stream_) == Z_OK);
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        return absl::InvalidArgumentError(absl::StrCat(path_, ": damaged gzip data"));
      }
    }
    return size - stream_.avail_out;
  }

 private:
  std::string path_;
  Source source_;
  z_stream stream_{};
  bool at_boundary_ = false;  // behind a complete member
  std::array<char, kChunk> packed_;
};

}  // namespace

bool HasGzip() { return true; }

absl::StatusOr<std::unique_ptr<GzipWriter>> GzipWriter::Create(const std::string&) {
  return std::unique_ptr<GzipWriter>(std::make_unique<Deflater>());
}

bool IsGzip(std::string_view bytes) { return bytes.substr(0, 2) == "\x1f\x8b"; }

absl::StatusOr<std::unique_ptr<GzipReader>> GzipReader::Create(const std::string& path,
                                                               Source source) {
  return std::unique_ptr<GzipReader>(std::make_unique<Inflater>(path, std::move(source)));
}

}  // namespace moescope::session
