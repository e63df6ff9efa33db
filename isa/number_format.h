#pragma once

#include <cstdint>
#include <string>

namespace moescope::isa {

// Which rules decode elements and scales and encode MX blocks (numerics.md, 1): the OCP
// Microscaling specification, or the public reference emulator.
enum class Convention : std::uint8_t { kOcp, kReference };

// How the shared scale of a block is chosen under kOcp (numerics.md, 4.2).
enum class ScaleRule : std::uint8_t { kFloor, kCeil, kEven, kRceil };

// A number type: Fp{sign, exponent bits, mantissa bits} or Int{width}.
struct ElementType {
  enum class Kind : std::uint8_t { kFp, kInt };
  Kind kind = Kind::kFp;
  bool is_signed = true;
  int exponent = 0;  // Fp only
  int mantissa = 0;  // Fp: fraction bits. Int: width without the sign bit

  constexpr int Bits() const { return (is_signed ? 1 : 0) + exponent + mantissa; }
  friend constexpr bool operator==(const ElementType&, const ElementType&) = default;
};

inline constexpr ElementType Fp(bool is_signed, int exponent, int mantissa) {
  return {ElementType::Kind::kFp, is_signed, exponent, mantissa};
}
inline constexpr ElementType Int(int width) {
  return {ElementType::Kind::kInt, true, 0, width - 1};
}

inline constexpr ElementType kBf16 = Fp(true, 8, 7);
inline constexpr ElementType kFp16 = Fp(true, 5, 10);
inline constexpr ElementType kE4M3 = Fp(true, 4, 3);
inline constexpr ElementType kE5M2 = Fp(true, 5, 2);
inline constexpr ElementType kE3M2 = Fp(true, 3, 2);
inline constexpr ElementType kE2M3 = Fp(true, 2, 3);
inline constexpr ElementType kE2M1 = Fp(true, 2, 1);
inline constexpr ElementType kInt8 = Int(8);
inline constexpr ElementType kE8M0 = Fp(false, 8, 0);

// Storage of a tensor: Plain(element), or Mx{element, E8M0 scale, block} with block > 0.
struct TensorFormat {
  ElementType element = kBf16;
  std::uint32_t block = 0;  // elements per scale byte; 0 = Plain

  constexpr bool is_mx() const { return block != 0; }
  // Bytes of the elements, and of the scales, of one row of `columns` elements. `columns` is a
  // multiple of `block` and of the elements in a byte.
  constexpr std::uint64_t ElementBytes(std::uint64_t columns) const {
    return columns * static_cast<std::uint64_t>(element.Bits()) / 8;
  }
  constexpr std::uint64_t ScaleBytes(std::uint64_t columns) const {
    return is_mx() ? columns / block : 0;
  }
  // R of isa.md, 5.6: element bytes that one scale byte governs; 0 for Plain.
  constexpr std::uint64_t BytesPerScale() const { return ElementBytes(block); }
  friend constexpr bool operator==(const TensorFormat&, const TensorFormat&) = default;
};

constexpr TensorFormat Plain(ElementType element) { return {element, 0}; }
constexpr TensorFormat Mx(ElementType element, std::uint32_t block) { return {element, block}; }

}  // namespace moescope::isa
