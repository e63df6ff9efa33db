#include "isa/tensor_codec.h"

#include <algorithm>

#include "base/check.h"

namespace moescope::isa {

TensorCodec::TensorCodec(const TensorLayout& layout, Convention convention, ScaleRule rule)
    : layout_(layout), codec_(layout.format, convention, rule) {
  if (layout.stored_columns != layout.columns) padded_.resize(layout.stored_columns);
}

void TensorCodec::EncodeRow(std::span<const float> values, std::span<std::uint8_t> elements,
                            std::span<std::uint8_t> scales) {
  CHECK(values.size() == layout_.columns);
  if (padded_.empty()) return codec_.Encode(values, elements, scales);
  const auto tail = std::copy(values.begin(), values.end(), padded_.begin());
  std::fill(tail, padded_.end(), 0.0F);
  codec_.Encode(padded_, elements, scales);
}

void TensorCodec::DecodeRow(std::span<const std::uint8_t> elements,
                            std::span<const std::uint8_t> scales, std::span<float> values) {
  CHECK(values.size() == layout_.columns);
  if (padded_.empty()) return codec_.Decode(elements, scales, values);
  codec_.Decode(elements, scales, padded_);
  std::copy_n(padded_.begin(), values.size(), values.begin());
}

void TensorCodec::Encode(std::span<const float> values, std::span<std::uint8_t> bytes) {
  CHECK(values.size() == layout_.rows * layout_.columns && bytes.size() == layout_.total_bytes());
  const std::span<std::uint8_t> scales = bytes.subspan(layout_.element_bytes());
  for (std::uint64_t row = 0; row < layout_.rows; ++row) {
    EncodeRow(values.subspan(row * layout_.columns, layout_.columns),
              bytes.subspan(row * layout_.row_bytes(), layout_.row_bytes()),
              scales.subspan(row * layout_.row_scales(), layout_.row_scales()));
  }
}

void TensorCodec::Decode(std::span<const std::uint8_t> bytes, std::span<float> values) {
  CHECK(values.size() == layout_.rows * layout_.columns && bytes.size() == layout_.total_bytes());
  const std::span<const std::uint8_t> scales = bytes.subspan(layout_.element_bytes());
  for (std::uint64_t row = 0; row < layout_.rows; ++row) {
    DecodeRow(bytes.subspan(row * layout_.row_bytes(), layout_.row_bytes()),
              scales.subspan(row * layout_.row_scales(), layout_.row_scales()),
              values.subspan(row * layout_.columns, layout_.columns));
  }
}

}  // namespace moescope::isa
