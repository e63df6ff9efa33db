#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace moescope::isa {

// Little-endian numbers and texts of the program container.
class ByteWriter {
 public:
  void U32(std::uint32_t value) { Number(value, 4); }
  void U64(std::uint64_t value) { Number(value, 8); }
  void Text(std::string_view text);
  void Bytes(std::string_view bytes) { bytes_ += bytes; }
  // 0 for an empty value, else the value + 1; the value is below 2^32 - 1.
  void Optional(const std::optional<std::uint32_t>& value) { U32(value ? *value + 1 : 0); }

  const std::string& bytes() const { return bytes_; }
  std::string Take() { return std::move(bytes_); }

 private:
  void Number(std::uint64_t value, int size);

  std::string bytes_;
};

// Reads what ByteWriter wrote. Reading past the end gives zeros and sets `failed`.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint32_t U32() { return static_cast<std::uint32_t>(Number(4)); }
  std::uint64_t U64() { return Number(8); }
  std::string_view Bytes(std::size_t size);
  std::string Text() { return std::string(Bytes(U32())); }
  std::optional<std::uint32_t> Optional();
  // A number of elements of at least `element_size` bytes each, which the rest must be able to
  // hold; 0 and `failed` otherwise. So sizes are known to be right before anything is allocated.
  std::size_t Count(std::size_t element_size);

  std::size_t left() const { return rest_.size(); }
  bool failed() const { return failed_; }
  void Fail() { failed_ = true; }
  // Everything was read, and nothing beyond.
  bool IsComplete() const { return !failed_ && rest_.empty(); }

 private:
  std::uint64_t Number(std::size_t size);

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace moescope::isa
