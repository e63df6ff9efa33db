#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace moescope {

// SHA-256 (FIPS 180-4), incremental.
class Sha256 {
 public:
  Sha256();
  void Update(std::string_view bytes);
  // Hashes `count` zero bytes without touching memory of that size.
  void UpdateZeros(std::uint64_t count);
  std::array<std::uint8_t, 32> Digest() const;
  // "sha256:" and 64 lower-case hex digits.
  std::string Name() const;

 private:
  void Blocks(const std::uint8_t* data, std::size_t count);  // of 64 bytes

  std::array<std::uint32_t, 8> state_;
  std::array<std::uint8_t, 64> buffer_{};
  std::size_t buffered_ = 0;
  std::uint64_t length_ = 0;  // bytes so far
};

std::string Sha256Name(std::string_view bytes);

}  // namespace moescope
