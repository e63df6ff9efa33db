#include "emulator/images.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/diagnostic.h"
#include "base/sha256.h"
#include "base/status.h"
#include "base/string_view.h"
#include "isa/element.h"

namespace moescope::emulator {

namespace {

constexpr std::array<std::string_view, 4> kTargetNames = {"hbm", "vram", "fpsram", "intsram"};
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

absl::Status Failure(const std::string& name, std::string message, std::string_view id) {
  Diagnostic diagnostic{.id = std::string(id), .message = std::move(message)};
  diagnostic.location.file = name;
  return ToStatus(diagnostic);
}

template <typename Word>
Word LoadWord(const char* bytes) {
  static_assert(std::endian::native == std::endian::little);
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Takes the bytes of an image piece by piece; every piece but the last is a whole number of
// elements.
class ImageWriter {
 public:
  ImageWriter(ImageTarget target, std::string name, const ImageOptions& options,
              MachineState& state)
      : target_(target), name_(std::move(name)), options_(options), state_(state) {}

  std::uint64_t capacity() const {
    switch (target_) {
      case ImageTarget::kHbm:
        return state_.hbm.size() - std::min(state_.hbm.size(), options_.hbm_offset);
      case ImageTarget::kVram:
        return state_.vram.rows() * state_.vram.width() * sizeof(isa::Bf16);
      case ImageTarget::kFpSram:
        return state_.fp_mem.size() * sizeof(isa::Bf16);
      case ImageTarget::kIntSram:
        return state_.int_mem.size() * sizeof(std::uint32_t);
    }
    return 0;
  }

  // `size` is the size of the whole image, when it is known.
  absl::Status CheckSize(std::uint64_t size, bool at_least = false) const {
    if (size <= capacity()) return absl::OkStatus();
    const std::string where = target_ == ImageTarget::kHbm && options_.hbm_offset > 0
                                  ? absl::StrCat(" from offset ", options_.hbm_offset, " on")
                                  : "";
    return Failure(name_,
                   absl::StrCat("the ", Absl(ImageTargetName(target_)), " image has ",
                                at_least ? "at least " : "", size, " bytes; the memory holds ",
                                capacity(), " bytes", where),
                   "IM002");
  }

  absl::Status Write(std::string_view bytes) {
    RETURN_IF_ERROR(CheckSize(size_ + bytes.size(), /*at_least=*/true));
    hash_.Update(bytes);
    const std::uint64_t at = size_;
    size_ += bytes.size();
    switch (target_) {
      case ImageTarget::kHbm:
        state_.hbm.Write(options_.hbm_offset + at,
                         {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
        return absl::OkStatus();
      case ImageTarget::kVram:
        WriteVram(at, bytes);
        return CheckWhole(sizeof(isa::Bf16));
      case ImageTarget::kFpSram:
        WriteFp(at, bytes);
        return CheckWhole(sizeof(isa::Bf16));
      case ImageTarget::kIntSram:
        WriteInt(at, bytes);
        return CheckWhole(sizeof(std::uint32_t));
    }
    return absl::OkStatus();
  }

  ImageRecord Record() const {
    return {std::string(ImageTargetName(target_)), size_, hash_.Name()};
  }

 private:
  absl::Status CheckWhole(std::size_t element) const {
    if (size_ % element == 0) return absl::OkStatus();
    return Failure(
        name_,
        absl::StrCat("the ", Absl(ImageTargetName(target_)), " image has ", size_,
                     " bytes, which is not a whole number of ", element, "-byte elements"),
        "IM003");
  }

  void WriteVram(std::uint64_t at, std::string_view bytes) {
    const std::uint64_t width = state_.vram.width();
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
      const std::uint64_t element = (at + i) / 2;
      state_.vram.Write(element / width)[element % width] = LoadWord<isa::Bf16>(&bytes[i]);
    }
  }

  void WriteFp(std::uint64_t at, std::string_view bytes) {
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
      const auto word = LoadWord<std::uint16_t>(&bytes[i]);
      state_.fp_mem.Write((at + i) / 2, options_.fp_format == FpImageFormat::kBf16
                                            ? word
                                            : isa::FloatToBf16(isa::Fp16ToFloat(word)));
    }
  }

  void WriteInt(std::uint64_t at, std::string_view bytes) {
    for (std::size_t i = 0; i + 3 < bytes.size(); i += 4) {
      state_.int_mem.Write((at + i) / 4, LoadWord<std::uint32_t>(&bytes[i]));
    }
  }

  ImageTarget target_;
  std::string name_;
  const ImageOptions& options_;
  MachineState& state_;
  Sha256 hash_;
  std::uint64_t size_ = 0;
};

// An open file that closes itself; "-" is standard input.
class InputFile {
 public:
  explicit InputFile(const std::string& path)
      : descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  }

  bool ok() const { return descriptor_ >= 0; }

  // The size of a regular file.
  std::optional<std::uint64_t> Size() const {
    struct stat info {};
    if (::fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(info.st_size);
  }

  // Fills the buffer unless the file ends before. False on an error (errno).
  bool Fill(std::vector<char>& buffer, std::size_t& count) const {
    for (count = 0; count < buffer.size();) {
      const ssize_t got = ::read(descriptor_, buffer.data() + count, buffer.size() - count);
      if (got == 0) return true;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return false;
      count += static_cast<std::size_t>(got);
    }
    return true;
  }

 private:
  int descriptor_;
};

}  // namespace

std::string_view ImageTargetName(ImageTarget target) {
  return kTargetNames[static_cast<std::size_t>(target)];
}

std::optional<ImageTarget> ParseImageTarget(std::string_view name) {
  for (std::size_t i = 0; i < kTargetNames.size(); ++i) {
    if (kTargetNames[i] == name) return static_cast<ImageTarget>(i);
  }
  return std::nullopt;
}

absl::StatusOr<ImageRecord> LoadImage(ImageTarget target, const std::string& path,
                                      const ImageOptions& options, MachineState& state) {
  const InputFile file(path);
  const auto unreadable = [&path] {
    return Failure(path, absl::StrCat("cannot read the image: ", std::strerror(errno)), "IM001");
  };
  if (!file.ok()) return unreadable();
  ImageWriter writer(target, path, options, state);
  if (const auto size = file.Size()) RETURN_IF_ERROR(writer.CheckSize(*size));
  std::vector<char> buffer(kChunkBytes);
  std::size_t count = buffer.size();
  while (count == buffer.size()) {
    if (!file.Fill(buffer, count)) return unreadable();
    RETURN_IF_ERROR(writer.Write({buffer.data(), count}));
  }
  return writer.Record();
}

absl::StatusOr<ImageRecord> LoadImageBytes(ImageTarget target, std::string_view bytes,
                                           const std::string& name, const ImageOptions& options,
                                           MachineState& state) {
  ImageWriter writer(target, name, options, state);
  RETURN_IF_ERROR(writer.CheckSize(bytes.size()));
  RETURN_IF_ERROR(writer.Write(bytes));
  return writer.Record();
}

}  // namespace moescope::emulator
