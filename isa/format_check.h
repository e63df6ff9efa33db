#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "isa/number_format.h"

// Which formats are legal where (numerics.md, 1). Texts name neither file nor key: the reader that
// found the format adds them.

namespace moescope::isa {

enum class FormatSlot : std::uint8_t {
  kBf16Only,    // VECTOR_SRAM_TYPE, SCALAR_FP
  kMatrixSram,  // MATRIX_SRAM_TYPE
  kHbm,         // HBM_M_WEIGHT_TYPE, HBM_M_KV_TYPE, HBM_V_ACT_TYPE, HBM_V_KV_TYPE
};

// InvalidArgument unless `format` is legal in `slot`. A row of an Mx tensor has `mlen` > 0
// elements.
absl::Status CheckTensorFormat(const TensorFormat& format, FormatSlot slot, Convention convention,
                               std::uint32_t mlen);

// Whether an element type may stand in a Plain or an Mx format of HBM.
absl::Status CheckPlainElement(ElementType element);
absl::Status CheckMxElement(ElementType element, Convention convention);

// Mx{element, scale, block} as a file names it: the scale must be E8M0 and the block 1 to 2^31 - 1.
// The rest is left to CheckTensorFormat.
absl::StatusOr<TensorFormat> MakeMx(ElementType element, ElementType scale, std::int64_t block);

}  // namespace moescope::isa
