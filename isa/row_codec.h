#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "isa/element.h"
#include "isa/mx_block.h"
#include "isa/number_format.h"

namespace moescope::isa {

// Decodes and encodes rows of one tensor format, or any run of whole blocks of a row: what
// H_PREFETCH and H_STORE move (isa.md, 5.6) and what image files hold (numerics.md, 5). Made once
// per format; nothing is allocated per row.
//
// A run of n values has format.ElementBytes(n) element bytes and format.ScaleBytes(n) scale bytes;
// n is a multiple of the block (Mx). The spans are exactly that long.
class RowCodec {
 public:
  // `format` passes CheckTensorFormat (format_check.h). `rule` counts for Mx under kOcp only.
  RowCodec(TensorFormat format, Convention convention, ScaleRule rule);

  const TensorFormat& format() const { return format_; }
  Convention convention() const { return rules_.convention; }

  void Decode(std::span<const std::uint8_t> elements, std::span<const std::uint8_t> scales,
              std::span<float> values) const;
  void Encode(std::span<const float> values, std::span<std::uint8_t> elements,
              std::span<std::uint8_t> scales) const;

 private:
  void DecodePlain(const std::uint8_t* elements, std::span<float> values) const;
  void DecodeMxBlock(const std::uint8_t* elements, std::uint8_t scale, float* values) const;
  void EncodeShortBlock(const BlockScale& scale, std::span<const float> values,
                        std::uint8_t* elements) const;
  void EncodePlain(std::span<const float> values, std::uint8_t* elements) const;

  TensorFormat format_;
  ScaleRule rule_;
  ElementRules rules_;
  std::array<float, 256> values_ = {};   // of every code, for types of at most 8 bits
  std::array<float, 256> factors_ = {};  // of every scale byte
};

}  // namespace moescope::isa
