#pragma once

#include <cstdint>

#include "moe/emit/emission.h"

// Emitters that point at weights in HBM and bring their tiles to MRAM.

namespace moescope::moe {

// Address, scale and stride registers of the matrix of a dynamic expert: its id is loaded from
// INT_MEM. `base` stays live for the caller.
struct ExpertAddressRequest {
  const WeightTable& table;
  const Slot& slot;
  Ar base;
};
void EmitExpertAddress(Emission& emission, const ExpertAddressRequest& request);

// The same for a table of one matrix at a known place.
struct StaticAddressRequest {
  const WeightTable& table;
  Ar base;
};
void EmitStaticAddress(Emission& emission, const StaticAddressRequest& request,
                       const stages::Attribution& at);

// Tiles [first, first + count) along the contraction of one output tile, to consecutive MRAM tiles.
struct PrefetchRequest {
  const WeightTable& table;
  Ar base;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t output = 0;
  std::uint32_t mram_tile = 0;
};
void EmitWeightPrefetch(Emission& emission, const PrefetchRequest& request,
                        const stages::Attribution& at);

}  // namespace moescope::moe
