#pragma once

#include <cstdint>
#include <span>

#include "isa/element.h"

// One MX block: elements that share one E8M0 scale (numerics.md, 4).

namespace moescope::isa {

inline constexpr std::uint8_t kNanScale = 0xFF;  // kOcp: every element of the block is NaN

// kOcp: 2^(byte - 127), 0xFF is NaN. kReference: the same, but 0x00 is 0 and 0xFF is +infinity.
float DecodeScale(Convention convention, std::uint8_t byte);

// element * scale in f32. A NaN is 0x7FC00000 on every host.
float DecodeInBlock(const ElementRules& rules, float scale, std::uint32_t code);
void DecodeBlock(const ElementRules& rules, std::uint8_t scale, std::span<const std::uint8_t> codes,
                 std::span<float> values);

// kOcp: the exponent p of the scale for a block whose largest |x| is `largest`, finite and > 0;
// -127 <= p <= 127 (numerics.md, 4.2).
int ScaleExponent(const ElementRules& rules, ScaleRule rule, float largest);

// The scale of a block, and how its elements are encoded with it.
struct BlockScale {
  std::uint8_t byte = 0;
  int exponent = -127;      // elements are divided by 2^exponent
  bool zero_codes = false;  // every code of the block is 0, whatever the element
};

// `rule` counts under kOcp only.
BlockScale ChooseScale(const ElementRules& rules, ScaleRule rule, std::span<const float> values);

// Codes, one a byte, of elements of a block with that scale (numerics.md, 4.3). The spans have the
// same length.
void EncodeInBlock(const ElementRules& rules, const BlockScale& scale,
                   std::span<const float> values, std::span<std::uint8_t> codes);

// Scale byte and codes of a whole block.
std::uint8_t EncodeBlock(const ElementRules& rules, ScaleRule rule, std::span<const float> values,
                         std::span<std::uint8_t> codes);

}  // namespace moescope::isa
