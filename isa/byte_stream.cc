#include "isa/byte_stream.h"

namespace moescope::isa {

void ByteWriter::Number(std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFF);
}

void ByteWriter::Text(std::string_view text) {
  U32(static_cast<std::uint32_t>(text.size()));
  bytes_ += text;
}

std::string_view ByteReader::Bytes(std::size_t size) {
  if (failed_ || size > rest_.size()) {
    failed_ = true;
    return {};
  }
  const std::string_view bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return bytes;
}

std::uint64_t ByteReader::Number(std::size_t size) {
  std::uint64_t value = 0;
  const std::string_view bytes = Bytes(size);
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

std::optional<std::uint32_t> ByteReader::Optional() {
  const std::uint32_t value = U32();
  if (value == 0) return std::nullopt;
  return value - 1;
}

std::size_t ByteReader::Count(std::size_t element_size) {
  const std::uint32_t count = U32();
  if (failed_ || count > rest_.size() / element_size) {
    failed_ = true;
    return 0;
  }
  return count;
}

}  // namespace moescope::isa
