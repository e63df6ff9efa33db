#include "isa/row_codec.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/check.h"
#include "isa/bfloat16.h"
#include "isa/packing.h"

namespace moescope::isa {

RowCodec::RowCodec(TensorFormat format, Convention convention, ScaleRule rule)
    : format_(format), rule_(rule), rules_(RulesFor(format.element, convention)) {
  const int bits = format.element.Bits();
  if (bits <= 8) {
    for (std::uint32_t code = 0; code < (1U << bits); ++code) {
      values_[code] = DecodeElement(rules_, code);
    }
  }
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    factors_[byte] = DecodeScale(convention, static_cast<std::uint8_t>(byte));
  }
}

void RowCodec::Decode(std::span<const std::uint8_t> elements, std::span<const std::uint8_t> scales,
                      std::span<float> values) const {
  CHECK(elements.size() == format_.ElementBytes(values.size()) &&
        scales.size() == format_.ScaleBytes(values.size()));
  if (!format_.is_mx()) return DecodePlain(elements.data(), values);
  const std::size_t block_bytes = format_.BytesPerScale();
  for (std::size_t block = 0; block < scales.size(); ++block) {
    DecodeMxBlock(elements.data() + block * block_bytes, scales[block],
                  values.data() + block * format_.block);
  }
}

void RowCodec::DecodePlain(const std::uint8_t* elements, std::span<float> values) const {
  if (format_.element.Bits() == 8) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = values_[elements[i]];
    return;
  }
  const auto code = [&](std::size_t i) {
    return static_cast<std::uint16_t>(elements[2 * i] | elements[2 * i + 1] << 8);
  };
  if (format_.element == kBf16) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = Bf16ToFloat(code(i));
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = DecodeElement(rules_, code(i));
  }
}

void RowCodec::DecodeMxBlock(const std::uint8_t* elements, std::uint8_t scale,
                             float* values) const {
  const float factor = factors_[scale];
  const std::uint32_t count = format_.block;
  const int bits = format_.element.Bits();
  if (scale == 0xFF || scale == 0) [[unlikely]] {
    // Under kReference these scales are infinity and 0, and the sign of the NaN that 0 * infinity
    // gives differs between hosts; DecodeInBlock settles it.
    CodeReader codes(elements, bits);
    for (std::uint32_t i = 0; i < count; ++i) {
      values[i] = DecodeInBlock(rules_, factor, codes.Next());
    }
  } else if (bits == 8) {
    for (std::uint32_t i = 0; i < count; ++i) values[i] = values_[elements[i]] * factor;
  } else if (bits == 4) {
    for (std::uint32_t i = 0; i < count; i += 2) {
      const std::uint8_t pair = elements[i / 2];
      values[i] = values_[pair & 15] * factor;
      values[i + 1] = values_[pair >> 4] * factor;
    }
  } else {
    CodeReader codes(elements, bits);
    for (std::uint32_t i = 0; i < count; ++i) values[i] = values_[codes.Next()] * factor;
  }
}

void RowCodec::Encode(std::span<const float> values, std::span<std::uint8_t> elements,
                      std::span<std::uint8_t> scales) const {
  CHECK(elements.size() == format_.ElementBytes(values.size()) &&
        scales.size() == format_.ScaleBytes(values.size()));
  if (!format_.is_mx()) return EncodePlain(values, elements.data());
  const std::size_t block_bytes = format_.BytesPerScale();
  for (std::size_t block = 0; block < scales.size(); ++block) {
    const auto part = values.subspan(block * format_.block, format_.block);
    const auto bytes = elements.subspan(block * block_bytes, block_bytes);
    const BlockScale scale = ChooseScale(rules_, rule_, part);
    scales[block] = scale.byte;
    if (format_.element.Bits() == 8) {
      EncodeInBlock(rules_, scale, part, bytes);
    } else {
      EncodeShortBlock(scale, part, bytes.data());
    }
  }
}

void RowCodec::EncodeShortBlock(const BlockScale& scale, std::span<const float> values,
                                std::uint8_t* elements) const {
  std::array<std::uint8_t, 64> codes;
  CodeWriter writer(elements, format_.element.Bits());
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), codes.size());
    EncodeInBlock(rules_, scale, values.first(count), std::span(codes).first(count));
    for (std::size_t i = 0; i < count; ++i) writer.Put(codes[i]);
    values = values.subspan(count);
  }
}

void RowCodec::EncodePlain(std::span<const float> values, std::uint8_t* elements) const {
  CodeWriter writer(elements, format_.element.Bits());
  if (format_.element == kBf16) {
    for (float value : values) writer.Put(FloatToBf16(value));
  } else {
    for (float value : values) writer.Put(EncodeNearest(rules_, Overflow::kInfinity, value));
  }
}

}  // namespace moescope::isa
