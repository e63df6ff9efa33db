#include "moe/emit/rows.h"

#include <numeric>

namespace moescope::moe {
namespace {

// FP_MEM[zero_row ..) = +0, M words.
void FillZeroRow(Emission& emission, Writer writer) {
  if (emission.lowering.zero_row == ZeroRow::kOnce && emission.zero_row_filled) return;
  emission.zero_row_filled = true;
  const GpLoan word = emission.TakeGp();
  const GpLoan counter = emission.TakeGp();
  writer.LoadConstant(word, emission.map.zero_row);
  writer.Repeat(counter, emission.m(), [&] {
    writer.Emit<"S_ST_FP">(kFp0, word, 0);
    writer.Emit<"S_ADDI_INT">(word, word, 1);
  });
}

enum class Direction : std::uint8_t { kLoad, kStore };

void Transfer(Emission& emission, const TransferRequest& request, Direction direction) {
  if (request.rows == 0) return;
  emission.builder.EndStage();
  Writer writer = emission.builder.Unattributed();
  const std::uint32_t row_bytes = request.matrix.blocks * emission.m() * 2;
  const GpLoan vram = emission.TakeGp();
  const GpLoan hbm = emission.TakeGp();
  const GpLoan scratch = emission.TakeGp();
  const auto base = emission.builder.ar().Take();
  writer.LoadAddress(base, request.hbm, vram, scratch);
  writer.LoadConstant(scratch, row_bytes);
  writer.Emit<"C_SET_STRIDE_REG">(scratch);
  const GpLoan blocks = emission.TakeGp();
  const GpLoan groups = emission.TakeGp();
  for (std::uint32_t first = 0; first < request.rows; first += emission.b()) {
    writer.LoadConstant(vram, request.matrix.Row(0, first));
    writer.LoadConstant(hbm, first * row_bytes);
    writer.Repeat(blocks, request.matrix.blocks, [&] {
      if (direction == Direction::kLoad) {
        writer.Emit<"H_PREFETCH_V">(vram, hbm, base, 1, 0);
      } else {
        writer.Emit<"H_STORE_V">(vram, hbm, base, 1, 0);
      }
      writer.Emit<"S_ADDI_INT">(vram, vram, request.matrix.block_step());
      writer.Emit<"S_ADDI_INT">(hbm, hbm, emission.m() * 2);
    });
  }
}

// FP_MEM[broadcast ..) = one word M times, then mapped to the row of every column block.
void BroadcastWeight(Emission& emission, Writer writer, const VramMatrix& route, std::uint32_t row,
                     std::uint32_t factor) {
  const GpLoan source = emission.TakeGp();
  const GpLoan word = emission.TakeGp();
  const GpLoan counter = emission.TakeGp();
  const FpLoan value = emission.TakeFp();
  writer.LoadConstant(source, factor);
  writer.LoadConstant(word, emission.map.broadcast);
  writer.Emit<"S_LD_FP">(value, source, 0);
  writer.Repeat(counter, emission.m(), [&] {
    writer.Emit<"S_ST_FP">(value, word, 0);
    writer.Emit<"S_ADDI_INT">(word, word, 1);
  });
  for (std::uint32_t block = 0; block < route.blocks; ++block) {
    writer.LoadConstant(source, route.Row(block, row));
    writer.LoadConstant(word, emission.map.broadcast);
    writer.Emit<"S_MAP_V_FP">(source, word, 0);
  }
}

std::vector<std::uint32_t> FirstRows(std::uint32_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

// The route tile of a slot: weights in the live rows, zeros in the others, times all rows.
void MultiplyByTile(Emission& emission, const RouteWeightRequest& request) {
  const Slot& slot = request.slot;
  const stages::Attribution at = OfSlot(stages::kExpertRouteWeight, slot);
  EmitZeroRows(emission, {slot.route, FirstRows(slot.rows)}, at);
  for (std::size_t row = 0; row < slot.pairs.size(); ++row) {
    BroadcastWeight(emission, emission.builder.In(OfPair(stages::kExpertRouteWeight, slot, row)),
                    slot.route, static_cast<std::uint32_t>(row),
                    emission.map.weights + static_cast<std::uint32_t>(slot.pairs[row]));
  }
  Writer writer = emission.builder.In(at);
  const GpLoan target = emission.TakeGp();
  const GpLoan weight = emission.TakeGp();
  for (std::uint32_t block = 0; block < request.matrix.blocks; ++block) {
    for (std::uint32_t row = 0; row < slot.rows; ++row) {
      writer.LoadConstant(target, request.matrix.Row(block, row));
      writer.LoadConstant(weight, slot.route.Row(block, row));
      writer.Emit<"V_MUL_VV">(target, target, weight, 0);
    }
  }
}

}  // namespace

stages::Attribution OfSlot(stages::Stage stage, const Slot& slot) {
  stages::Attribution at{.stage = stage};
  if (slot.pairs.size() == 1) at.pair = static_cast<std::uint32_t>(slot.pairs.front());
  if (slot.expert.has_value()) at.expert = static_cast<std::uint32_t>(*slot.expert);
  return at;
}

stages::Attribution OfPair(stages::Stage stage, const Slot& slot, std::size_t row) {
  stages::Attribution at = OfSlot(stage, slot);
  at.pair = static_cast<std::uint32_t>(slot.pairs[row]);
  return at;
}

void EmitZeroRows(Emission& emission, const ZeroRequest& request, const stages::Attribution& at) {
  CheckStage(at, {stages::kAccumulatorInit, stages::kGather, stages::kExpertRouteWeight,
                  stages::kResidualSetup, stages::kExpertActivation, stages::kSharedExpert});
  if (request.rows.empty()) return;
  Writer writer = emission.builder.In(at);
  FillZeroRow(emission, writer);
  const GpLoan zero = emission.TakeGp();
  const GpLoan row_address = emission.TakeGp();
  writer.LoadConstant(zero, emission.map.zero_row);
  for (std::uint32_t block = 0; block < request.matrix.blocks; ++block) {
    for (const std::uint32_t row : request.rows) {
      writer.LoadConstant(row_address, request.matrix.Row(block, row));
      writer.Emit<"S_MAP_V_FP">(row_address, zero, 0);
    }
  }
}

void EmitScaleRows(Emission& emission, const ScaleRequest& request, const stages::Attribution& at) {
  CheckStage(at, {stages::kExpertRouteWeight, stages::kSharedGate, stages::kGather});
  Writer writer = emission.builder.In(at);
  const GpLoan address = emission.TakeGp();
  const FpLoan factor = emission.TakeFp();
  writer.LoadConstant(address, request.factor);
  writer.Emit<"S_LD_FP">(factor, address, 0);
  for (std::uint32_t block = 0; block < request.matrix.blocks; ++block) {
    if (block == 0) {
      writer.LoadConstant(address, request.matrix.Row(0, request.row));
    } else {
      writer.Emit<"S_ADDI_INT">(address, address, request.matrix.block_step());
    }
    writer.Emit<"V_MUL_VF">(address, address, factor, 0);
  }
}

void EmitRouteWeights(Emission& emission, const RouteWeightRequest& request) {
  if (emission.lowering.route_weight == RouteWeight::kBroadcast) {
    return MultiplyByTile(emission, request);
  }
  for (std::size_t row = 0; row < request.slot.pairs.size(); ++row) {
    EmitScaleRows(emission,
                  {request.matrix, static_cast<std::uint32_t>(row),
                   emission.map.weights + static_cast<std::uint32_t>(request.slot.pairs[row])},
                  OfPair(stages::kExpertRouteWeight, request.slot, row));
  }
}

void EmitLoadRows(Emission& emission, const TransferRequest& request) {
  Transfer(emission, request, Direction::kLoad);
}

void EmitStoreRows(Emission& emission, const TransferRequest& request) {
  Transfer(emission, request, Direction::kStore);
}

}  // namespace moescope::moe
