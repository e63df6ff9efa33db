#include "moe/emit/projection.h"

#include <algorithm>
#include <vector>

#include "moe/emit/rows.h"
#include "moe/emit/weights_emit.h"

namespace moescope::moe {
namespace {

// One fetch: some K tiles of one output tile.
struct Fetch {
  std::uint32_t output = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t mram_tile = 0;
};

// One projection and the fetches that must be complete before it.
struct Chunk {
  std::vector<Fetch> fetches;
  std::uint32_t output = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t mram_tile = 0;
};

std::vector<Chunk> ChunksOf(const Emission& emission, const WeightTable& table) {
  const bool accumulate = emission.lowering.k_add == KAdd::kAccumulate;
  const std::uint32_t per_fetch = emission.map.chunk_tiles;
  const std::uint32_t per_chunk = accumulate ? table.contraction_tiles : per_fetch;
  std::vector<Chunk> chunks;
  for (std::uint32_t output = 0; output < table.output_tiles; ++output) {
    for (std::uint32_t first = 0; first < table.contraction_tiles; first += per_chunk) {
      const auto buffer = static_cast<std::uint32_t>(chunks.size()) %
                          static_cast<std::uint32_t>(emission.lowering.buffers);
      const std::uint32_t mram = buffer * emission.map.buffer_tiles;
      const std::uint32_t count = std::min(per_chunk, table.contraction_tiles - first);
      Chunk chunk{{}, output, first, count, mram};
      for (std::uint32_t done = 0; done < count; done += per_fetch) {
        chunk.fetches.push_back(
            {output, first + done, std::min(per_fetch, count - done), mram + done});
      }
      chunks.push_back(std::move(chunk));
    }
  }
  return chunks;
}

stages::Attribution At(const MatrixRequest& request, stages::Stage routed) {
  return request.slot == nullptr ? stages::Attribution{.stage = stages::kSharedExpert}
                                 : OfSlot(routed, *request.slot);
}

void EmitAddress(Emission& emission, const MatrixRequest& request) {
  if (request.slot == nullptr) {
    EmitStaticAddress(emission, {request.table, request.base}, {.stage = stages::kSharedExpert});
  } else {
    EmitExpertAddress(emission, {request.table, *request.slot, request.base});
  }
}

void EmitFetches(Emission& emission, const MatrixRequest& request, const Chunk& chunk) {
  for (const Fetch& fetch : chunk.fetches) {
    if (emission.lowering.address == AddressUse::kTile) EmitAddress(emission, request);
    EmitWeightPrefetch(
        emission,
        {request.table, request.base, fetch.first, fetch.count, fetch.output, fetch.mram_tile},
        At(request, stages::kExpertWeightPrefetch));
  }
}

void EmitCompute(Emission& emission, const MatrixRequest& request, const Chunk& chunk) {
  const bool is_first = chunk.first == 0;
  const stages::Attribution at = At(request, stages::kExpertProjection);
  EmitProjection(emission,
                 {.orientation = request.table.orientation,
                  .input = request.input,
                  .output = is_first ? request.output : request.temp,
                  .output_block = is_first ? chunk.output : 0,
                  .rows = request.rows,
                  .first = chunk.first,
                  .count = chunk.count,
                  .mram_tile = chunk.mram_tile},
                 at);
  if (!is_first) {
    EmitKChunkAdd(emission, {request.output, request.temp, chunk.output, request.rows}, at);
  }
}

}  // namespace

void EmitProjection(Emission& emission, const ProjectionRequest& request,
                    const stages::Attribution& at) {
  CheckStage(at, {stages::kExpertProjection, stages::kSharedExpert, stages::kRouterTopk});
  Writer w = emission.builder.In(at);
  const std::uint32_t m = emission.m();
  const std::uint32_t b = emission.b();
  const GpLoan group_tile = emission.TakeGp();  // MRAM: column group of the first tile
  const GpLoan group_out = emission.TakeGp();   // VRAM: lanes of the column group
  const GpLoan input_row = emission.TakeGp();   // VRAM: row group of the first block
  const GpLoan output_row = emission.TakeGp();
  const GpLoan x = emission.TakeGp();
  const GpLoan tile = emission.TakeGp();
  const GpLoan columns = emission.TakeGp();
  const GpLoan row_groups = emission.TakeGp();
  const GpLoan k = emission.TakeGp();
  w.LoadConstant(group_tile, request.mram_tile * m * m);
  w.LoadConstant(group_out, request.output.Row(request.output_block, 0));
  w.Repeat(columns, m / b, [&] {
    w.LoadConstant(input_row, request.input.Row(request.first, 0));
    w.Emit<"S_ADDI_INT">(output_row, group_out, 0);
    w.Repeat(row_groups, request.rows / b, [&] {
      w.Emit<"S_ADDI_INT">(x, input_row, 0);
      w.Emit<"S_ADDI_INT">(tile, group_tile, 0);
      w.Repeat(k, request.count, [&] {
        if (request.orientation == Orientation::kContractionMajor) {
          w.Emit<"M_MM">(tile, x);
        } else {
          w.Emit<"M_TMM">(x, tile);
        }
        w.Emit<"S_ADDI_INT">(x, x, request.input.block_step());
        w.Emit<"S_ADDI_INT">(tile, tile, m * m);
      });
      w.Emit<"M_MM_WO">(output_row, kGp0, 0);
      w.Emit<"S_ADDI_INT">(input_row, input_row, b * m);
      w.Emit<"S_ADDI_INT">(output_row, output_row, b * m);
    });
    w.Emit<"S_ADDI_INT">(group_tile, group_tile, b * m);
    w.Emit<"S_ADDI_INT">(group_out, group_out, b);
  });
}

void EmitKChunkAdd(Emission& emission, const KChunkAddRequest& request,
                   const stages::Attribution& at) {
  CheckStage(at, {stages::kExpertProjection, stages::kSharedExpert, stages::kRouterTopk});
  Writer w = emission.builder.In(at);
  const std::uint32_t rows =
      emission.lowering.k_add == KAdd::kTile ? request.temp.physical_rows : request.rows;
  const GpLoan sum = emission.TakeGp();
  const GpLoan left = emission.TakeGp();
  const GpLoan right = emission.TakeGp();
  const GpLoan counter = emission.TakeGp();
  w.LoadConstant(sum, request.output.Row(request.block, 0));
  w.LoadConstant(left, request.output.Row(request.block, 0));
  w.LoadConstant(right, request.temp.Row(0, 0));
  w.Repeat(counter, rows, [&] {
    w.Emit<"V_ADD_VV">(sum, left, right, 0);
    w.Emit<"S_ADDI_INT">(sum, sum, emission.m());
    w.Emit<"S_ADDI_INT">(left, left, emission.m());
    w.Emit<"S_ADDI_INT">(right, right, emission.m());
  });
}

// With two buffers chunk i+1 is fetched before chunk i is computed.
void EmitMatrix(Emission& emission, const MatrixRequest& request) {
  const std::vector<Chunk> chunks = ChunksOf(emission, request.table);
  if (emission.lowering.address == AddressUse::kHoist) EmitAddress(emission, request);
  const bool ahead = emission.lowering.buffers == 2;
  if (ahead) EmitFetches(emission, request, chunks.front());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::size_t next = ahead ? i + 1 : i;
    if (next < chunks.size()) EmitFetches(emission, request, chunks[next]);
    EmitCompute(emission, request, chunks[i]);
  }
}

}  // namespace moescope::moe
