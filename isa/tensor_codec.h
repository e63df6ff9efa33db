#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/row_codec.h"
#include "isa/tensor_layout.h"

namespace moescope::isa {

// Writes and reads whole tensors as images hold them. One row at a time, so that a large tensor can
// be streamed. Spans are exactly as long as the layout says. Not for two threads at once.
class TensorCodec {
 public:
  TensorCodec(const TensorLayout& layout, Convention convention, ScaleRule rule);

  const TensorLayout& layout() const { return layout_; }

  // One row: `columns` values, row_bytes() bytes of elements, row_scales() bytes of scales. Padding
  // is written as +0.0 and dropped when read.
  void EncodeRow(std::span<const float> values, std::span<std::uint8_t> elements,
                 std::span<std::uint8_t> scales);
  void DecodeRow(std::span<const std::uint8_t> elements, std::span<const std::uint8_t> scales,
                 std::span<float> values);

  // rows x columns values, row-major, and the total_bytes() bytes of the tensor.
  void Encode(std::span<const float> values, std::span<std::uint8_t> bytes);
  void Decode(std::span<const std::uint8_t> bytes, std::span<float> values);

 private:
  TensorLayout layout_;
  RowCodec codec_;
  std::vector<float> padded_;  // one stored row; empty when rows need no padding
};

}  // namespace moescope::isa
