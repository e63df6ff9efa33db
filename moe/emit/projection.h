#pragma once

#include <cstdint>

#include "moe/emit/emission.h"

// Emitters that multiply rows by weight tiles.

namespace moescope::moe {

// One M-wide output tile: rows of `input`, column blocks [first, first + count), times `count`
// consecutive MRAM tiles, written out once to block `output_block` of `output`.
struct ProjectionRequest {
  Orientation orientation;
  VramMatrix input;
  VramMatrix output;
  std::uint32_t output_block = 0;
  std::uint32_t rows = 0;  // rounded up to B
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t mram_tile = 0;
};
void EmitProjection(Emission& emission, const ProjectionRequest& request,
                    const stages::Attribution& at);

// Block `block` of `output` += block 0 of `temp`: all M rows, or the rows in use, as k_add says.
struct KChunkAddRequest {
  VramMatrix output;
  VramMatrix temp;
  std::uint32_t block = 0;
  std::uint32_t rows = 0;
};
void EmitKChunkAdd(Emission& emission, const KChunkAddRequest& request,
                   const stages::Attribution& at);

// A whole matrix: address, prefetch, projection and K-chunk add of every output tile and chunk.
struct MatrixRequest {
  const WeightTable& table;
  VramMatrix input;
  VramMatrix output;
  VramMatrix temp;
  std::uint32_t rows = 0;
  const Slot* slot = nullptr;  // null: the shared expert
  Ar base;
};
void EmitMatrix(Emission& emission, const MatrixRequest& request);

}  // namespace moescope::moe
