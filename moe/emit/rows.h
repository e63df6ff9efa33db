#pragma once

#include <cstdint>
#include <vector>

#include "moe/emit/emission.h"

// Emitters that move, clear and scale whole rows.

namespace moescope::moe {

// +0 in the given rows of every column block, by S_MAP_V_FP of a row of zeros: never by
// multiplying, because NaN * 0 is NaN.
struct ZeroRequest {
  VramMatrix matrix;
  std::vector<std::uint32_t> rows;
};
void EmitZeroRows(Emission& emission, const ZeroRequest& request, const stages::Attribution& at);

// Row r of a matrix times one FP_MEM word.
struct ScaleRequest {
  VramMatrix matrix;
  std::uint32_t row = 0;
  std::uint32_t factor = 0;  // FP_MEM
};
void EmitScaleRows(Emission& emission, const ScaleRequest& request, const stages::Attribution& at);

// Rows of BF16 between HBM and VRAM, B at a time, outside all stages. `hbm` is [rows, H] row-major.
struct TransferRequest {
  VramMatrix matrix;
  std::uint64_t hbm = 0;
  std::uint32_t rows = 0;  // a multiple of B
};
void EmitLoadRows(Emission& emission, const TransferRequest& request);
void EmitStoreRows(Emission& emission, const TransferRequest& request);

// Multiplies a slot's rows by the route weights of its pairs, as route_weight says.
struct RouteWeightRequest {
  const Slot& slot;
  VramMatrix matrix;
};
void EmitRouteWeights(Emission& emission, const RouteWeightRequest& request);

// The attribution of work on a whole slot, and on one of its rows.
stages::Attribution OfSlot(stages::Stage stage, const Slot& slot);
stages::Attribution OfPair(stages::Stage stage, const Slot& slot, std::size_t row);

}  // namespace moescope::moe
