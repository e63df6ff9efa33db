#include "isa/format_check.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "isa/format_text.h"

namespace moescope::isa {

namespace {

template <typename... Parts>
absl::Status Illegal(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// What the codec needs of every Fp element: a sign, subnormals, and values that fit f32.
bool HasLegalFields(ElementType element) {
  return element.is_signed && element.exponent >= 2 && element.exponent <= 8 &&
         element.mantissa >= 1;
}

absl::Status CheckBlock(const TensorFormat& format, std::uint32_t mlen) {
  if (mlen % format.block != 0) {
    return Illegal("block ", format.block, " does not divide MLEN = ", mlen);
  }
  const int bits = format.element.Bits();
  if (format.block * static_cast<std::uint64_t>(bits) % 8 != 0) {
    return Illegal("block ", format.block, " of ", bits,
                   "-bit elements is not a whole number of bytes");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckPlainElement(ElementType element) {
  const int bits = element.Bits();
  if (element.kind == ElementType::Kind::kFp && (bits == 8 || bits == 16) &&
      HasLegalFields(element)) {
    return absl::OkStatus();
  }
  return Illegal(
      "a Plain type must be a signed Fp of 8 or 16 bits with 2 to 8 exponent bits and at ",
      "least one mantissa bit, not ", ElementTypeName(element), " (", bits, " bits)");
}

absl::Status CheckMxElement(ElementType element, Convention convention) {
  if (element.kind == ElementType::Kind::kInt) {
    if (element != kInt8) {
      return Illegal("an Mx element of type Int must be 8 bits wide, not ", element.Bits());
    }
    if (convention == Convention::kReference) {
      return Illegal("an Int element needs convention = \"ocp\": the reference has none");
    }
    return absl::OkStatus();
  }
  const int bits = element.Bits();
  if (HasLegalFields(element) && bits <= 8) return absl::OkStatus();
  return Illegal(
      "an Mx element must be a signed Fp of 4 to 8 bits with at least two exponent bits ",
      "and one mantissa bit, or Int of 8 bits, not ", ElementTypeName(element), " (", bits,
      " bits)");
}

absl::Status CheckTensorFormat(const TensorFormat& format, FormatSlot slot, Convention convention,
                               std::uint32_t mlen) {
  if (slot == FormatSlot::kBf16Only) {
    if (format == Plain(kBf16)) return absl::OkStatus();
    return Illegal("only Plain BF16 is legal here, not ", TensorFormatName(format));
  }
  if (slot == FormatSlot::kMatrixSram && format.is_mx()) {
    return Illegal("only a Plain format is legal here, not ", TensorFormatName(format));
  }
  if (!format.is_mx()) return CheckPlainElement(format.element);
  RETURN_IF_ERROR(CheckMxElement(format.element, convention));
  return CheckBlock(format, mlen);
}

absl::StatusOr<TensorFormat> MakeMx(ElementType element, ElementType scale, std::int64_t block) {
  if (scale != kE8M0) {
    return Illegal(
        "the scale of an Mx format must be E8M0 (an Fp without sign, 8 exponent bits and ",
        "no mantissa), not ", ElementTypeName(scale));
  }
  constexpr std::int64_t kLargestBlock = std::numeric_limits<std::int32_t>::max();
  if (block < 1 || block > kLargestBlock) {
    return Illegal("the block of an Mx format must be 1 to ", kLargestBlock, ", not ", block);
  }
  return Mx(element, static_cast<std::uint32_t>(block));
}

}  // namespace moescope::isa
