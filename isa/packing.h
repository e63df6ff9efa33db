#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Codes as a little-endian bit stream, first element in the lowest bits (numerics.md, 5): element 0
// of a 4-bit type is the low nibble, four 6-bit codes take three bytes, 16-bit codes are
// little-endian.

namespace moescope::isa {

// Reads codes of 1 to 16 bits one after the other, never a byte more than they occupy.
class CodeReader {
 public:
  CodeReader(const std::uint8_t* bytes, int bits) : next_(bytes), bits_(bits) {}

  std::uint32_t Next() {
    while (held_ < bits_) {
      buffer_ |= static_cast<std::uint32_t>(*next_++) << held_;
      held_ += 8;
    }
    const std::uint32_t code = buffer_ & ((std::uint32_t{1} << bits_) - 1);
    buffer_ >>= bits_;
    held_ -= bits_;
    return code;
  }

 private:
  const std::uint8_t* next_;
  std::uint32_t buffer_ = 0;
  int bits_;
  int held_ = 0;  // bits waiting in buffer_
};

// Writes codes of 1 to 16 bits. Codes that do not fill their last byte need Flush().
class CodeWriter {
 public:
  CodeWriter(std::uint8_t* bytes, int bits) : next_(bytes), bits_(bits) {}

  void Put(std::uint32_t code) {  // code < 2^bits
    buffer_ |= code << held_;
    held_ += bits_;
    while (held_ >= 8) {
      *next_++ = static_cast<std::uint8_t>(buffer_);
      buffer_ >>= 8;
      held_ -= 8;
    }
  }

  // Writes a last, incomplete byte with zero bits above the codes.
  void Flush() {
    if (held_ > 0) *next_++ = static_cast<std::uint8_t>(buffer_);
    buffer_ = 0;
    held_ = 0;
  }

 private:
  std::uint8_t* next_;
  std::uint32_t buffer_ = 0;
  int bits_;
  int held_ = 0;
};

constexpr std::uint64_t PackedBytes(std::uint64_t codes, int bits) {
  return (codes * static_cast<std::uint64_t>(bits) + 7) / 8;
}

// `bytes` holds PackedBytes(codes.size(), bits) bytes.
inline void PackCodes(std::span<const std::uint16_t> codes, int bits,
                      std::span<std::uint8_t> bytes) {
  CodeWriter writer(bytes.data(), bits);
  for (std::uint16_t code : codes) writer.Put(code);
  writer.Flush();
}
inline void UnpackCodes(std::span<const std::uint8_t> bytes, int bits,
                        std::span<std::uint16_t> codes) {
  CodeReader reader(bytes.data(), bits);
  for (std::uint16_t& code : codes) code = static_cast<std::uint16_t>(reader.Next());
}

}  // namespace moescope::isa
