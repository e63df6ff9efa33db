#include "base/sha256.h"

#include <algorithm>
#include <cstring>

#include "base/sha256_blocks.h"

namespace moescope {

namespace {

Sha256Blocks FastestBlocks() {
  const Sha256Blocks native = NativeSha256Blocks();
  return native != nullptr ? native : PortableSha256Blocks;
}

}  // namespace

Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::Blocks(const std::uint8_t* data, std::size_t count) {
  static const Sha256Blocks blocks = FastestBlocks();
  blocks(state_.data(), data, count);
}

void Sha256::Update(std::string_view bytes) {
  length_ += bytes.size();
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t left = bytes.size();
  while (left > 0) {
    if (buffered_ == 0 && left >= 64) {
      Blocks(data, left / 64);
      data += left / 64 * 64;
      left %= 64;
      continue;
    }
    const std::size_t taken = std::min(left, std::size_t{64} - buffered_);
    std::memcpy(buffer_.data() + buffered_, data, taken);
    buffered_ += taken;
    data += taken;
    left -= taken;
    if (buffered_ == 64) {
      Blocks(buffer_.data(), 1);
      buffered_ = 0;
    }
  }
}

void Sha256::UpdateZeros(std::uint64_t count) {
  static constexpr char kZeros[4096] = {};
  for (; count > 0;) {
    const std::uint64_t piece = std::min<std::uint64_t>(count, sizeof kZeros);
    Update({kZeros, static_cast<std::size_t>(piece)});
    count -= piece;
  }
}

std::array<std::uint8_t, 32> Sha256::Digest() const {
  Sha256 copy = *this;
  const std::uint64_t bits = length_ * 8;
  copy.Update(std::string_view("\x80", 1));
  while (copy.buffered_ != 56) copy.Update(std::string_view("\0", 1));
  char length_bytes[8];
  for (int i = 0; i < 8; ++i) length_bytes[i] = static_cast<char>(bits >> (56 - 8 * i));
  copy.Update({length_bytes, 8});
  std::array<std::uint8_t, 32> digest;
  for (std::size_t i = 0; i < 32; ++i)
    digest[i] = static_cast<std::uint8_t>(copy.state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

std::string Sha256::Name() const {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string name = "sha256:";
  for (const std::uint8_t byte : Digest()) {
    name += kHex[byte >> 4];
    name += kHex[byte & 15];
  }
  return name;
}

std::string Sha256Name(std::string_view bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return hash.Name();
}

}  // namespace moescope
